/** What there is to see in the console: a catalog, conversations, or both, whose names try to be HTML. */
import type { Test } from 'tap'
import { loadAnalyticsMessages } from '../../../pipelines/analytics-load.js'
import { sampleKinds, sampleYear } from '../../../src/cli/sample-conversations.js'
import { holdLane, type HeldLane } from '../../support/held-lane.js'
import type { StartedConsole } from './start-console.js'

/** In everything that a merchant names: what is put in as HTML anywhere would run. */
export const hostile = '<img src=x onerror="alert(1)">'

export const jsonl = (lines: object[]): string => lines.map((line) => JSON.stringify(line)).join('\n')
export const lamp = (id: string): object => ({ externalId: id, name: `Lamp ${id}`, brandName: 'Acme', externalUrl: `https://example.com/${id}` })

export interface FilledCatalog {
  /** Of an import with errors and warnings that is over. */
  jobId: string
  productId: string
  chartId: string
}

export interface FilledConversations {
  conversationId: string
  /** Of the customer in that conversation. */
  email: string
}

/** Every page that shows something of it, to its owner. */
export const pagesOf = ({ jobId, productId, chartId, conversationId }: FilledCatalog & FilledConversations): string[] => [
  '/imports', `/imports/${jobId}`, '/catalog', '/catalog?text=img', `/catalog/${encodeURIComponent(productId)}`, '/stores', '/fitment', '/size-charts',
  `/size-charts/${chartId}`, '/assistant', '/analytics?from=2025-01-01&to=2025-12-31', '/conversations', '/conversations?start=2025-01-01T00:00:00.000Z&end=2026-01-01T00:00:00.000Z&day=0&hour=9&zone=UTC', `/conversations/${conversationId}`,
  '/access', '/access?show=own', '/access?show=sftp', '/access?show=users', '/access?show=audit', '/access?show=audit&actor=USER&from=2025-01-01'
]

export interface ImportQueue {
  /** Another worker's job holds the lane, and one waits behind it. */
  queueBehindALongOne (t: Test): Promise<{ file: string, jobId: string, held: HeldLane }>
  /** Gives the name of its file. */
  startAnother (): Promise<string>
}

const analytics = { conversations: 80, seed: 5 }

type Started = Pick<StartedConsole, 'service' | 'vendor'>

/** Something on every page. */
export const fillShop = async (started: Started): Promise<FilledCatalog & FilledConversations> => ({ ...await fillCatalog(started), ...await fillConversations(started) })

export async function fillCatalog ({ service, vendor }: Started): Promise<FilledCatalog> {
  const repositories = service.repositories()
  const all = await repositories.integrationApiKeys.create(vendor.id, hostile, ['PRODUCT_MANAGE', 'STORE_LOCATION_MANAGE', 'FITMENT_MANAGE', 'SIZE_CHART_MANAGE'])
  const ask = async (query: string, variables: object): Promise<Record<string, { id: string }>> => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST', headers: { 'x-vendor-api-key': all.key, 'content-type': 'application/json' }, body: JSON.stringify({ query, variables })
    })
    const { data, errors } = await response.json() as { data: Record<string, { id: string }>, errors?: unknown }
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    return data
  }
  await ask('mutation ($input: CreateStoreLocationInput!) { createStoreLocation(input: $input) { id } }', { input: { vendorId: vendor.id, storeCode: 'A', name: hostile } })
  for (const [position, slug] of ['make', 'year'].entries()) {
    await ask('mutation ($input: CreateFitmentFacetInput!) { createFitmentFacet(input: $input) { id } }', { input: { name: `${slug} ${hostile}`, slug, position } })
  }
  const targets = ['2019', '2020', '2021'].map((year) => ({ externalId: `honda-${year}`, facetValues: { make: 'Honda', year } }))
  await ask('mutation ($input: BulkUpsertFitmentTargetsInput!) { bulkUpsertFitmentTargets(input: $input) { total } }', { input: { targets } })
  const { createSizeChart } = await ask('mutation ($input: CreateSizeChartInput!) { createSizeChart(input: $input) { id } }', {
    input: { externalId: 'shirts', name: hostile, body: `| Size | cm |\n|---|---|\n| S | 86 |\n\n${hostile}\n\n[bad](javascript:alert(1))` }
  })
  const productId = `p/1 ${hostile}`
  const lines = [
    { externalId: productId, name: hostile, brandName: hostile, externalUrl: 'https://example.com/1', description: hostile, publishedAt: '2026-01-01', tags: [hostile], categories: [hostile], 'meta:care': hostile, variants: [{ externalId: 'v1', name: hostile, inventory: 3, inventoryByLocation: { A: 3, B: 1 }, prices: [{ price: 9.5, currency: 'USD' }] }] },
    { externalId: `bad ${hostile}`, name: 'No brand', externalUrl: 'https://example.com/2' },
    { externalId: 'p3', name: 'Brake pads', brandName: 'Acme', externalUrl: 'https://example.com/3', publishedAt: '2026-01-01', sizeChartExternalId: 'unknown', fitmentTargetExternalIds: ['honda-2020'] },
    { externalId: 'draft', name: 'Paper lantern', brandName: 'Acme', externalUrl: 'https://example.com/draft' }
  ]
  await vendor.put('first.jsonl', jsonl(lines))
  const jobId = await vendor.startImport({ files: ['first.jsonl'], mode: 'UPDATE' })
  await vendor.ended(jobId)
  return { jobId, productId, chartId: createSizeChart?.id ?? '' }
}

/** `member`, who may see conversations alone. */
export async function addMember ({ service, vendor }: Started): Promise<void> {
  await service.repositories().users.create('member', 'member@example.com', [{ vendorId: vendor.id, role: 'member', permissions: ['VIEW_CONVERSATIONS'] }])
}

export function importQueue ({ service, vendor }: Started): ImportQueue {
  let count = 0
  const started: string[] = []
  async function start (): Promise<{ file: string, jobId: string }> {
    const file = `another-${++count}.jsonl`
    await vendor.put(file, jsonl([lamp('p4')]))
    const jobId = await vendor.startImport({ files: [file], mode: 'UPDATE' })
    started.push(jobId)
    return { file, jobId }
  }
  return {
    async queueBehindALongOne (t) {
      // Until the lane is free.
      for (const each of started.splice(0)) await vendor.ended(each)
      const held = await holdLane(t, service.repositories(), vendor.id)
      return { ...await start(), held }
    },
    startAnother: async () => (await start()).file
  }
}

/** A year of them. */
export async function fillConversations ({ service, vendor: { id: vendorId } }: Started): Promise<FilledConversations> {
  const { writer } = service.repositories().analytics
  let found: FilledConversations | null = null
  for (const kind of sampleKinds) {
    const records = [...sampleYear(kind, analytics)].map((record) => {
      if (kind === 'smart-tags') return { ...record, title: `${String(record['title'])} ${hostile}` }
      if (kind === 'conversation-events') return { ...record, body: record['body'] === null ? null : hostile }
      if (kind !== 'conversations') return record
      const { email } = (record['customer'] ?? {}) as { email?: string }
      if (email !== undefined) found = { conversationId: String(record['id']), email }
      return { ...record, subject: hostile }
    })
    const bad = await loadAnalyticsMessages(records.map((record) => JSON.stringify({ kind, vendorId, record })), writer)
    if (bad.length > 0) throw new Error(JSON.stringify(bad[0]))
  }
  if (found === null) throw new Error('The sample holds no conversation with an address')
  return found
}
