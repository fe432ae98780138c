/**
 * What each operation takes through the API with 500 and with `GROWTH_PRODUCTS` (default 20,000) products of each of two vendors, as many issues in one of their jobs and audit events, and a quarter as
 * many fitment targets, size charts and conversations: it grows with what is answered, not with what is stored. A line for each, with both medians and their ratio; those that grow to more than twice and more
 * than `GROWTH_MS` (default 15) are counted at the end. `GROWTH_OPERATIONS` is a regular expression of names. The server is that of `EMBEDDED_MONGO`.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sampleKinds, sampleYear } from '../src/cli/sample-conversations.js'
import { readRecord } from '../src/domain/analytics/records.js'
import type { ImportJob } from '../src/domain/import-job.js'
import { newSizeChart } from '../src/domain/size-chart.js'
import { createRepositories, type Repositories } from '../src/store/repositories.js'
import { storeLocation } from '../test/support/store-location.js'
import { startBenchService, type BenchService } from './bench-service.js'
import { median, note, print } from './figure.js'
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
const vendors = ['bench', 'other'] as const
const jobs = { oneError: randomUUID(), manyErrors: randomUUID() }

interface Asked {
  url: string
  repositories: Repositories
  /** Ids of what was made for this. */
  targetId: string
  chartId: string
  locationId: string
  conversationId: string
  /** A cursor in the middle of the products. */
  middle: string
  /** Of the round. */
  round: number
  graphql (query: string): Promise<Record<string, unknown>>
  rest (path: string): Promise<void>
  /** A job of ten lines, from request to end. */
  importTen (): Promise<number>
}

type Operation = (asked: Asked) => Promise<unknown>

const job = (id: string, more: string) => async ({ graphql }: Asked) => await graphql(`{ productImportJob(jobId: "${id}") { status stats { errors } ${more} } }`)
const ask = (query: string): Operation => async ({ graphql }) => await graphql(query)
const vendor = 'vendorId: "bench"'
const found = '{ nodes { externalId name } hasNextPage endCursor }'
const search = (input: string, answer = found, of = vendor): Operation => ask(`{ searchProducts(input: { ${of}, ${input} }) ${answer} }`)

const operations: Record<string, Operation> = {
  '{ __typename }': ask('{ __typename }'),
  viewer: ask('{ viewer { id vendors { id name } } }'),
  'productImportJob, one error': job(jobs.oneError, 'errorDetails { line message }'),
  'productImportJob, 1,000 of many errors': job(jobs.manyErrors, 'errorDetails { line message }'),
  'productImportJob, ten of many errors': job(jobs.manyErrors, 'errorDetails(first: 10) { line message }'),
  productImportJobs: ask(`{ productImportJobs(${vendor}) { nodes { jobId status } totalCount } }`),
  'GET …/import/{jobId}, one error': async ({ rest }) => { await rest(`/api/v1/products/import/${jobs.oneError}`) },
  'GET …/import/{jobId}/errors, one error': async ({ rest }) => { await rest(`/api/v1/products/import/${jobs.oneError}/errors`) },
  product: ask(`{ product(${vendor}, externalId: "P-7") { name } }`),
  'products(first: 10)': ask(`{ products(${vendor}, first: 10) ${found} }`),
  'products(first: 200)': ask(`{ products(${vendor}, first: 200) ${found} }`),
  'products(first: 10), from the middle': async ({ graphql, middle }) => await graphql(`{ products(${vendor}, first: 10, cursor: "${middle}") ${found} }`),
  'products(first: 10, archived: false), totalCount': ask(`{ products(${vendor}, first: 10, archived: false) { nodes { externalId } totalCount } }`),
  'products(first: 10), totalCount': ask(`{ products(${vendor}, first: 10) { nodes { externalId } totalCount } }`),
  'searchProducts, two words': search('text: "leather jacket"'),
  'searchProducts, a beginning': search('text: "jack"'),
  'searchProducts, without a word': search('first: 20'),
  'searchProducts, fitment target': search('fitmentTargetExternalId: "T-1"'),
  'searchProducts, in stock': search('inStock: true'),
  'searchProducts, price': search('minPrice: 20, maxPrice: 40'),
  'searchProducts, facets': search('first: 20', '{ nodes { externalId } facets { brands { value count } } }'),
  'sizeCharts, first 50': ask('{ sizeCharts(first: 50) { nodes { externalId name } hasNextPage } }'),
  'sizeCharts, totalCount': ask('{ sizeCharts(first: 1) { totalCount } }'),
  sizeChart: ask('{ sizeChart(externalId: "C-1") { name } }'),
  'sizeChartAnswer, by name': ask(`{ sizeChartAnswer(${vendor}, name: "Chart 7") { kind } }`),
  storeLocations: ask(`{ storeLocations(${vendor}) { storeCode } }`),
  storeLocation: async ({ graphql, locationId }) => await graphql(`{ storeLocation(id: "${locationId}") { storeCode } }`),
  fitmentFacets: ask('{ fitmentFacets { slug } }'),
  fitmentTargets: ask('{ fitmentTargets { targets { externalId } nextCursor } }'),
  'fitmentTargets, by values': ask('{ fitmentTargets(input: { limit: 10, facetValues: { make: "make-3" } }) { targets { externalId } } }'),
  resolveFitment: ask(`mutation { resolveFitment(input: { ${vendor}, conversationId: "c", text: "make-3" }) { status } }`),
  'auditEvents, first 50': ask(`{ auditEvents(${vendor}) { nodes { action } hasNextPage } }`),
  'auditEvents, totalCount': ask(`{ auditEvents(${vendor}, first: 1) { totalCount } }`),
  integrationApiKeys: ask(`{ integrationApiKeys(${vendor}) { name } }`),
  userApiKeys: ask('{ userApiKeys { name } }'),
  'conversations, first 25': ask(`{ conversations(${vendor}) { edges { node { id subject } } hasNextPage } }`),
  'conversations, totalCount': ask(`{ conversations(${vendor}, first: 1) { totalCount } }`),
  conversation: async ({ graphql, conversationId }) => await graphql(`{ conversation(id: "${conversationId}") { subject events(last: 20) { edges { node { body } } } } }`),
  customerEvent: async ({ graphql, conversationId }) => await graphql(`{ customerEvent(id: "${conversationId}", ${vendor}) { type } }`),
  vendorSmartTags: ask(`{ vendorSmartTags(${vendor}) { title } }`),
  'smartTagCounts, a month': ask(`{ smartTagCounts(${vendor}, start: "2025-06-01", end: "2025-07-01") { count tag { title } } }`),
  'upsertProducts, one': async ({ graphql, round }) => await graphql(`mutation { upsertProducts(${vendor}, products: [{ externalId: "U-1", name: "N ${round}", brandName: "B", externalUrl: "https://shop.example.com/u" }]) { id } }`),
  'createSizeChart, deleteSizeChart': async ({ graphql }) => {
    const { createSizeChart } = await graphql('mutation { createSizeChart(input: { externalId: "X", name: "X", body: "b" }) { id } }') as { createSizeChart: { id: string } }
    await graphql(`mutation { deleteSizeChart(id: "${createSizeChart.id}") }`)
  },
  updateSizeChart: async ({ graphql, chartId, round }) => await graphql(`mutation { updateSizeChart(id: "${chartId}", input: { name: "N ${round}" }) { id } }`),
  'createFitmentTarget, deleteFitmentTarget': async ({ graphql }) => {
    const { createFitmentTarget } = await graphql('mutation { createFitmentTarget(input: { externalId: "X", facetValues: { make: "make-3" } }) { id } }') as { createFitmentTarget: { id: string } }
    await graphql(`mutation { deleteFitmentTarget(id: "${createFitmentTarget.id}") }`)
  },
  updateFitmentTarget: async ({ graphql, targetId, round }) => await graphql(`mutation { updateFitmentTarget(id: "${targetId}", input: { label: "L ${round}" }) { id } }`),
  'createStoreLocation, deleteStoreLocation': async ({ graphql }) => {
    const { createStoreLocation } = await graphql(`mutation { createStoreLocation(input: { ${vendor}, storeCode: "X", name: "X" }) { id } }`) as { createStoreLocation: { id: string } }
    await graphql(`mutation { deleteStoreLocation(id: "${createStoreLocation.id}") { id } }`)
  },
  updateStoreLocation: async ({ graphql, locationId, round }) => await graphql(`mutation { updateStoreLocation(input: { id: "${locationId}", name: "N ${round}" }) { id } }`),
  'createSmartTag, deleteSmartTag': async ({ graphql }) => {
    const { createSmartTag } = await graphql(`mutation { createSmartTag(${vendor}, input: { title: "X" }) { id } }`) as { createSmartTag: { id: string } }
    await graphql(`mutation { deleteSmartTag(id: "${createSmartTag.id}") }`)
  },
  'an import of ten lines, request to end': async ({ importTen }) => await importTen(),
  // Whose vocabulary no worker has counted yet: one does then, which the others would feel.
  'searchProducts, two words, just loaded': search('text: "leather jacket"', found, 'vendorId: "other"')
}

export async function benchGrowth (): Promise<void> {
  const services: BenchService[] = []
  try {
    const asked: Asked[] = []
    for (const products of [few, many]) {
      note(`growth: ${products} products`)
      const service = await startBenchService('api,worker,sftp', { RATE_LIMIT_PER_MINUTE: '100000' })
      services.push(service)
      asked.push(await prepare(service, products))
    }
    const grown: string[] = []
    for (const [figure, run] of Object.entries(operations).filter(([name]) => wanted.test(name))) {
      const [smallTook = NaN, largeTook = NaN] = await inTurns(run, asked)
      if (largeTook > 2 * smallTook && largeTook > smallMs) grown.push(figure)
      print({
        bench, figure, value: largeTook / smallTook, unit: 'ratio', against: `${few} products`, smallMs: round(smallTook), largeMs: round(largeTook), products: many, server: services[0]?.databaseServer
      })
    }
    print({ bench, figure: `operations that grow to more than twice, and take more than ${smallMs} ms`, value: grown.length, unit: 'operations', which: grown.join('; ') })
  } finally {
    for (const service of services) await service.close()
  }
}

const round = (ms: number): number => Number(ms.toPrecision(3))

/** Medians, one after the other in each round: what else the machine does, it does to both. */
async function inTurns (run: Operation, asked: Asked[]): Promise<number[]> {
  const times = asked.map((): number[] => [])
  for (let at = 0, spent = 0; at <= rounds && (at < 3 || spent < longestMs); at++) {
    for (const [index, one] of asked.entries()) {
      one.round = at
      const startedAt = performance.now()
      const told = await run(one)
      const took = typeof told === 'number' ? told : performance.now() - startedAt
      spent += took
      // The first finds out what is not known yet.
      if (at > 0) times[index]?.push(took)
    }
  }
  return times.map(median)
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
  async function graphql (query: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
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
    async rest (path) {
      const response = await fetch(`${service.url}${path}`, { headers })
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      await response.text()
    },
    importTen: async () => await importTen(service, repositories)
  }
}

async function importTen (service: BenchService, { importJobs }: Repositories): Promise<number> {
  const name = `ten-${randomBytes(4).toString('hex')}.jsonl`
  const path = join(service.folder, name)
  await writeFile(path, Array.from({ length: 10 }, (_, index) => JSON.stringify({ externalId: `U-${index}`, name: `N ${name}`, brandName: 'B', externalUrl: 'https://shop.example.com/u' })).join('\n'))
  await service.upload(path)
  const startedAt = performance.now()
  const { processProductImport: { jobId } } = await service.graphql(`mutation { processProductImport(input: { files: ["${name}"], mode: UPDATE }) { jobId } }`) as { processProductImport: { jobId: string } }
  for (;;) {
    const job = await importJobs.find('bench', jobId)
    if (job?.status === 'completed') return performance.now() - startedAt
    if (job?.status === 'failed') throw new Error('The import has failed')
    await delay(5)
  }
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
