/**
 * What each operation takes through the API with 500 and with `GROWTH_PRODUCTS` (default 20,000) products of each of two vendors, as many issues in one of their jobs and audit events, and a quarter as
 * many fitment targets, size charts and conversations: it grows with what is answered, not with what is stored. A line for each, with both medians and their ratio; those that grow to more than twice and more
 * than `GROWTH_MS` (default 15) are counted at the end. `GROWTH_OPERATIONS` is a regular expression of names. The server is that of `EMBEDDED_MONGO`.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { signAccessToken } from '../src/cli/sign-access-token.js'
import { sampleKinds, sampleYear } from '../src/cli/sample-conversations.js'
import { readRecord } from '../src/domain/analytics/records.js'
import type { ImportJob } from '../src/domain/import-job.js'
import { newSizeChart } from '../src/domain/size-chart.js'
import { createRepositories, type Repositories } from '../src/store/repositories.js'
import { storeLocation } from '../test/support/store-location.js'
import { startBenchService, type BenchService } from './bench-service.js'
import { median, note, print } from './figure.js'
import { jobs, operations, type Asked, type Operation } from './growth-operations.js'
import { judgedProduct } from './search-catalog.js'
import { documentOf } from './search.js'

const bench = 'growth'
const few = 500
const many = Number(process.env['GROWTH_PRODUCTS'] ?? 20_000)
const smallMs = Number(process.env['GROWTH_MS'] ?? 15)
const wanted = new RegExp(process.env['GROWTH_OPERATIONS'] ?? '')
const rounds = 9
/** A slow operation is not asked as often. */
const longestMs = 3_000
const bulkSize = 1_000
const secret = randomBytes(32).toString('hex')
const vendors = ['bench', 'other'] as const

export async function benchGrowth (): Promise<void> {
  const services: BenchService[] = []
  try {
    const asked: Asked[] = []
    for (const products of [few, many]) {
      note(`growth: ${products} products`)
      const service = await startBenchService('api,worker,sftp', { RATE_LIMIT_PER_MINUTE: '100000', AUTH_JWT_SECRET: secret })
      services.push(service)
      asked.push(await prepare(service, products))
    }
    const grown: string[] = []
    for (const [figure, run] of Object.entries(operations).filter(([name]) => wanted.test(name))) {
      const [small, large] = await inTurns(run, asked)
      const [smallTook, largeTook] = [median(small?.usual ?? []), median(large?.usual ?? [])]
      if (largeTook > 2 * smallTook && largeTook > smallMs) grown.push(figure)
      print({
        bench, figure, value: largeTook / smallTook, unit: 'ratio', against: `${few} products`, smallMs: round(smallTook), largeMs: round(largeTook), firstMs: round(large?.first ?? NaN), products: many, server: services[0]?.databaseServer
      })
    }
    print({ bench, figure: `operations that grow to more than twice, and take more than ${smallMs} ms`, value: grown.length, unit: 'operations', which: grown.join('; ') })
  } finally {
    for (const service of services) await service.close()
  }
}

const round = (ms: number): number => Number(ms.toPrecision(3))

/** Milliseconds. `first`: it finds out what is not known yet. */
interface Times { first: number, usual: number[] }

/** One after the other in each round: what else the machine does, it does to both. */
async function inTurns (run: Operation, asked: Asked[]): Promise<Times[]> {
  const times = asked.map((): Times => ({ first: NaN, usual: [] }))
  for (let at = 0, spent = 0; at <= rounds && (at < 3 || spent < longestMs); at++) {
    for (const [index, one] of asked.entries()) {
      one.round = at
      const startedAt = performance.now()
      const told = await run(one)
      const took = typeof told === 'number' ? told : performance.now() - startedAt
      spent += took
      const of = times[index] as Times
      if (at === 0) of.first = took
      else of.usual.push(took)
    }
  }
  return times
}

async function prepare (service: BenchService, products: number): Promise<Asked> {
  const { database } = service
  const repositories = createRepositories(database)
  await service.createVendor('other')
  for (const vendorId of vendors) await fill(service, repositories, vendorId, products)
  await repositories.searchVocabularies.find('bench')
  await repositories.searchVocabularies.countDue(new AbortController().signal)
  await repositories.users.create('owner', 'owner@example.com', vendors.map((vendorId) => ({ vendorId, role: 'owner', permissions: [] })))
  const { key } = await repositories.userApiKeys.create('owner', 'bench', null)
  const headers = { authorization: `Bearer ${key}`, 'x-vendor-id': 'bench', 'content-type': 'application/json' }
  const userHeaders = { ...headers, authorization: `Bearer ${await signAccessToken('owner', 12 * 60 * 60, { secret, authIssuer: undefined, authAudience: undefined, authTokenMaxAgeSeconds: 24 * 60 * 60 })}` }
  async function graphql (query: string, by = headers): Promise<Record<string, unknown>> {
    const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers: by, body: JSON.stringify({ query }) })
    const { data, errors } = await response.json() as { data: Record<string, unknown>, errors?: unknown }
    if (errors !== undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`)
    return data
  }
  const [target] = (await repositories.fitmentTargets.page('bench', { facets: [], values: [], after: 0, limit: 1 })).targets
  const [chart] = (await repositories.sizeCharts.page('bench', { first: 1, after: null })).nodes
  const location = await repositories.storeLocations.findByCode('bench', 'S-1')
  const externalIds = Array.from({ length: products }, (_, index) => judgedProduct(1, index).externalId).sort()
  return {
    url: service.url,
    repositories,
    targetId: target?._id ?? '',
    chartId: chart?._id ?? '',
    locationId: location?._id ?? '',
    conversationId: 'conversation-7',
    middle: Buffer.from(JSON.stringify({ archived: false, externalId: externalIds[products >> 1] })).toString('base64url'),
    round: 0,
    graphql,
    asUser: async (query) => await graphql(query, userHeaders),
    async rest (path) {
      const response = await fetch(`${service.url}${path}`, { headers })
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      await response.text()
    },
    importTen: async (by) => await importTen(service, repositories, by)
  }
}

async function importTen (service: BenchService, { importJobs }: Repositories, by: 'GraphQL' | 'REST'): Promise<number> {
  const name = `ten-${randomBytes(4).toString('hex')}.jsonl`
  const path = join(service.folder, name)
  await writeFile(path, Array.from({ length: 10 }, (_, index) => JSON.stringify({ externalId: `U-${index}`, name: `N ${name}`, brandName: 'B', externalUrl: 'https://shop.example.com/u' })).join('\n'))
  await service.upload(path)
  const startedAt = performance.now()
  const jobId = by === 'REST' ? await service.startJob(name, 'UPDATE') : await startByGraphql(service, name)
  for (;;) {
    const job = await importJobs.find('bench', jobId)
    if (job?.status === 'completed') return performance.now() - startedAt
    if (job?.status === 'failed') throw new Error('The import has failed')
    await delay(5)
  }
}

async function startByGraphql (service: BenchService, name: string): Promise<string> {
  const { processProductImport: { jobId } } = await service.graphql(`mutation { processProductImport(input: { files: ["${name}"], mode: UPDATE }) { jobId } }`) as { processProductImport: { jobId: string } }
  return jobId
}

async function fill ({ database: { collections: c } }: BenchService, repositories: Repositories, vendorId: string, products: number): Promise<void> {
  const quarter = products / 4
  await inBulks(products, async (indexes) => { await c.products.insertMany(indexes.map((index) => documentOf(vendorId, judgedProduct(1, index), index)), { ordered: false }) })
  if (vendorId === 'bench') {
    await inBulks(products, async (indexes) => { await repositories.importIssues.add(vendorId, jobs.manyErrors, indexes.map(issueOf)) })
    await repositories.importIssues.add(vendorId, jobs.oneError, [issueOf(1)])
    await c.importJobs.insertMany(Object.values(jobs).map((_id) => jobOf(vendorId, _id, products)))
  }
  await c.importJobs.insertMany(Array.from({ length: 50 }, () => jobOf(vendorId, randomUUID(), 0)))
  await inBulks(products, async (indexes) => {
    await c.auditEvents.insertMany(indexes.map((index) => {
      const at = new Date(Date.now() - index * 60_000)
      return { _id: `${vendorId}:${at.getTime().toString(36).padStart(9, '0')}:${randomBytes(8).toString('hex')}`, vendorId, actor: { kind: 'operator' as const }, action: 'bench', targetId: null, outcome: 'done' as const, code: null, at, expiresAt: new Date(Date.now() + 1e9) }
    }))
  })
  const facet = await repositories.fitmentFacets.create(vendorId, { name: 'make', slug: 'make', position: 0 })
  await inBulks(quarter, async (indexes) => {
    await repositories.fitmentTargets.upsert(vendorId, indexes.map((index) => ({ externalId: `T-${index}`, facetValues: [{ facetId: facet._id, value: `make-${index % 20}` }] })))
  })
  await inBulks(quarter, async (indexes) => { await c.sizeCharts.insertMany(indexes.map((index) => newSizeChart(vendorId, { externalId: `C-${index}`, name: `Chart ${index}`, origin: { body: '| a |' } }, new Date()))) })
  for (let index = 0; index < 20; index++) await repositories.storeLocations.create(vendorId, storeLocation(`S-${index}`))
  for (const kind of sampleKinds) {
    const rows = [...sampleYear(kind, { conversations: quarter, seed: 1, eventsEach: 4 })]
    for (let from = 0; from < rows.length; from += 500) await repositories.analytics.writer.write(vendorId, kind, rows.slice(from, from + 500).map((row) => readRecord(kind, row, [])))
  }
}

async function inBulks (count: number, write: (indexes: number[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += bulkSize) await write(Array.from({ length: Math.min(bulkSize, count - from) }, (_, at) => from + at))
}

const issueOf = (index: number) => ({ severity: 'error' as const, position: { file: 0, line: index + 1 }, file: 'a.jsonl', line: index + 1, externalId: `P-${index}`, faults: [{ code: 'blank' as const, path: 'name' }] })

const jobOf = (vendorId: string, _id: string, errors: number): ImportJob => ({
  _id, vendorId, files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null, status: 'completed', attempt: 1, runs: 1, progress: null, cancelRequested: false, liveProductsAtStart: null,
  stats: { productsProcessed: errors, productsCreated: 0, productsUpdated: 0, productsArchived: 0, productsSkipped: errors, errors },
  createdAt: new Date(), startedAt: new Date(), completedAt: new Date(), expiresAt: new Date(Date.now() + 1e9)
})
