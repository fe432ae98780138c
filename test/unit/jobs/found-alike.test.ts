/**
 * What leaves products found and counted as they were needs no mark (store/search/search-vocabularies): prices and stock, which are most of what is sent. Whatever a line changes, it is told
 * from what is stored before and after whether that is so.
 */
import t from 'tap'
import type { ImportJob } from '../../../src/domain/import-job.js'
import { productId } from '../../../src/domain/product.js'
import { createRunImport, type ImportResult } from '../../../src/jobs/run-import.js'
import { changesOf } from '../../../src/store/search/search-vocabularies.js'
import { testDatabase } from '../../support/database.js'
import { silent } from '../../support/log.js'
import { memoryFiles } from '../../support/memory-files.js'
import { file, line, type Fields } from '../../support/product-lines.js'
import { storeLocation } from '../../support/store-location.js'
import { testCatalog, type TestCatalog } from '../store/test-catalog.js'
import { runningJob } from './running-job.js'

const parts = await testDatabase(t)
const { database: { collections }, repositories } = parts

const variant = (externalId: string, fields: Fields = {}): Fields => ({ externalId, name: `Size ${externalId}`, sku: `sku-${externalId}`, inventory: 1, ...fields })

async function catalogWithTwo (): Promise<TestCatalog> {
  const catalog = testCatalog(parts)
  const { vendorId } = catalog
  await repositories.storeLocations.create(vendorId, storeLocation('S1'))
  await repositories.fitmentTargets.create(vendorId, { externalId: 'T', facetValues: [] })
  await catalog.import(['P', 'Q'].map((id) => line(id, { description: 'Warm.', variants: [variant('S'), variant('M')] })))
  return catalog
}

async function run ({ vendorId }: TestCatalog, lines: string[], fields: Partial<ImportJob> = {}): Promise<ImportResult> {
  const job = runningJob(vendorId, { files: ['a.jsonl'], mode: 'UPDATE', ...fields })
  const files = memoryFiles({ 'a.jsonl': [file(...lines)] })
  return await createRunImport({ collections, files, log: silent })({ job, attempt: job.attempt, signal: new AbortController().signal, onProgress: () => {} })
}

/** What searches, lists and counts go by. */
async function foundBy ({ vendorId }: TestCatalog): Promise<unknown> {
  const { externalId, archived, publishedAt, targeted, description, searchKeys } = await collections.products.findOne({ _id: productId(vendorId, 'P') }) ?? {}
  return { externalId, archived, publishedAt, targeted, description, searchKeys }
}

const ofVariant: Record<string, unknown> = {
  name: 'Tall',
  sku: 'x-1',
  upc: '012345678905',
  inventory: 0,
  inventoryByLocation: { S1: 4 },
  inventoryPolicy: 'CONTINUE',
  prices: [{ currency: 'EUR', price: 12 }],
  fitmentTargetExternalIds: ['T'],
  'meta:color': 'red'
}
const ofProduct: Record<string, unknown> = {
  name: 'Another name',
  brandName: 'Southwind',
  externalUrl: 'https://shop.example.com/else',
  description: 'Cold.',
  publishedAt: '2020-01-01T00:00:00Z',
  archived: true,
  images: [{ externalId: 'I', url: 'https://shop.example.com/i.jpg' }],
  categories: ['Shoes'],
  tags: ['new'],
  fitmentTargetExternalIds: ['T'],
  'meta:color': 'red'
}
const changes: Array<[string, Fields]> = [
  ...Object.entries(ofVariant).map(([field, value]): [string, Fields] => [`${field} of a variant`, { variants: [variant('M', { [field]: value })] }]),
  ...Object.entries(ofProduct).map(([field, value]): [string, Fields] => [field, { [field]: value }]),
  ['a variant more', { variants: [variant('L')] }]
]

t.test('a catalog that is sent again is found as before, also where its lines were taken for those of new products', async (t) => {
  const catalog = testCatalog(parts)
  // The first id of such a line is a variant's, of which there is no product; of fewer characters none is asked for.
  const again = (externalId: string): string => JSON.stringify({ variants: [variant(`${externalId}-S`)], ...JSON.parse(line(externalId, { description: 'x'.repeat(20_000) })) as Fields })
  await catalog.import(['P', 'Q'].map(again))
  const { stats, isFoundAlike } = await run(catalog, ['P', 'Q'].map(again))
  t.match(stats, { productsUpdated: 2, productsCreated: 0 })
  t.equal(isFoundAlike, true)
})

for (const [what, fields] of changes) {
  t.test(`${what}: who is told that products are found as before finds them so`, async (t) => {
    const catalog = await catalogWithTwo()
    const before = await foundBy(catalog)
    const { isFoundAlike, stats } = await run(catalog, [JSON.stringify({ externalId: 'P', ...fields })])
    t.match(stats, { productsUpdated: 1, errors: 0 })
    t.equal((await catalog.product('P')).revision, 2, 'it is changed')
    if (isFoundAlike === true) t.strictSame(await foundBy(catalog), before)
    else t.equal(isFoundAlike, false)
  })
}

const stock = (id: string, inventory: number): string => JSON.stringify({ externalId: id, variants: [variant('S', { inventory, prices: [{ currency: 'EUR', price: inventory }] })] })

t.test('prices and stock leave products found as they were, and so do lines that change nothing or cannot be read', async (t) => {
  const catalog = await catalogWithTwo()
  t.match(await run(catalog, [stock('P', 5), '{"externalId":"Q"', JSON.stringify({ externalId: 'Q', name: 'Product Q' })]), { stats: { productsUpdated: 2, errors: 1 }, isFoundAlike: true })
})

t.test('one line that does more is enough', async (t) => {
  const catalog = await catalogWithTwo()
  t.match(await run(catalog, [stock('P', 5), JSON.stringify({ externalId: 'Q', name: 'New' })]), { isFoundAlike: false })
})

t.test('a new product is found', async (t) => {
  t.match(await run(testCatalog(parts), [line('N')]), { stats: { productsCreated: 1 }, isFoundAlike: false })
})

t.test('of a REPLACE, and of a job that is run again, it is not known', async (t) => {
  const catalog = await catalogWithTwo()
  t.match(await run(catalog, [stock('P', 5), stock('Q', 5)], { mode: 'REPLACE' }), { isFoundAlike: false })
  t.match(await run(catalog, [stock('P', 6)], { attempt: 2, runs: 2 }), { isFoundAlike: false })
})

t.test('a job that fails tells of what it has done until then', async (t) => {
  const catalog = await catalogWithTwo()
  t.match(await run(catalog, [stock('P', 5)], { files: ['a.jsonl', 'missing.jsonl'] }), { status: 'failed', isFoundAlike: true })
  const files = memoryFiles({ 'a.jsonl': [file(JSON.stringify({ externalId: 'P', name: 'New' }))], 'b.json': ['no array'] })
  const job = runningJob(catalog.vendorId, { files: ['a.jsonl', 'b.json'], mode: 'UPDATE' })
  t.match(await createRunImport({ collections, files, log: silent })({ job, attempt: 1, signal: new AbortController().signal, onProgress: () => {} }), { status: 'failed', isFoundAlike: false })
})

t.test('upsertProducts marks what is found otherwise, and nothing else', async (t) => {
  const catalog = await catalogWithTwo()
  const marks = async (): Promise<number> => await changesOf(collections, catalog.vendorId)
  const before = await marks()
  await catalog.upsert(JSON.parse(stock('P', 5)) as Fields, { externalId: 'Q', name: 'Product Q' })
  t.equal(await marks(), before)
  await catalog.upsert(JSON.parse(stock('P', 6)) as Fields, { externalId: 'Q', name: 'New' })
  t.equal(await marks(), before + 1)
})
