/** While all products are new the writer inserts without asking. Whatever exists after all is merged as if it had asked. */
import t, { type Test } from 'tap'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { statsOf, testCatalog, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

/** Counts the queries for products. */
function counted (): { collections: Pick<typeof collections, 'products'>, queries: () => number } {
  let queries = 0
  const products = new Proxy(collections.products, {
    get (target, name) {
      if (name === 'find') queries++
      return Reflect.get(target, name) as unknown
    }
  })
  return { collections: { products }, queries: () => queries }
}

/** Those that a REPLACE reads before its first line. */
const queriesForLiveProducts = 1

t.test('a first load asks for the products of its first batch only, and once: whether they know their lines', async (t) => {
  const catalog = testCatalog(parts)
  const { collections, queries } = counted()
  const ids = Array.from({ length: 20 }, (_, index) => `P${index}`)
  const { stats } = await catalog.import(ids.map((id) => line(id)), { batchSize: 5, collections })
  t.strictSame(stats, statsOf(20, 0))
  t.equal(queries(), 1)
})

t.test('a REPLACE of a vendor that has no products asks for none', async (t) => {
  const catalog = testCatalog(parts)
  const { collections, queries } = counted()
  const { stats } = await catalog.import([line('A'), line('B')], { mode: 'REPLACE', collections })
  t.strictSame(stats, statsOf(2, 0))
  t.equal(queries(), queriesForLiveProducts)
})

t.test('a REPLACE of a vendor all of whose products are archived takes them for new, and brings them back', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import([line('A', { tags: ['before'] })])
  await collections.products.updateMany({ vendorId: catalog.vendorId }, { $set: { archived: true } })
  const { stats } = await catalog.import([line('A'), line('B')], { mode: 'REPLACE' })
  t.strictSame(stats, statsOf(1, 1))
  t.match(await catalog.product('A'), { revision: 2 })
})

t.test('a dry run is not told that all is new: it inserts nothing that it could lose by', async (t) => {
  const catalog = testCatalog(parts)
  const lines = [line('A'), line('B')]
  t.strictSame((await catalog.import(lines, { dryRun: true })).stats, statsOf(2, 0))
  t.equal(await collections.products.countDocuments({ vendorId: catalog.vendorId }), 0)
})

t.test('products that exist in the middle of a first load turn the asking on again', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.import(['B1', 'B2', 'C1', 'C2'].map((id) => line(id, { tags: ['before'] })))
  const { stats } = await catalog.import(['A1', 'A2', 'B1', 'B2', 'C1', 'C2'].map((id) => line(id, { categories: ['after'] })), { batchSize: 2 })
  t.strictSame(stats, statsOf(2, 4))
  for (const id of ['B1', 'C2']) t.match(await catalog.product(id), { tags: ['before'], categories: ['after'], revision: 2 })
})

/** The catalog after an import whose second line comes when the writer has stopped asking. */
async function afterNewOne (t: Test, before: Array<Record<string, unknown>>, second: unknown): Promise<{ catalog: TestCatalog, errors: string[], warnings: string[] }> {
  const catalog = testCatalog(parts)
  await catalog.upsert(...before)
  const { errors, warnings, stats } = await catalog.import([line('new'), second], { batchSize: 1 })
  t.equal(stats.errors, errors.length)
  return { catalog, errors, warnings }
}

const known = (more: Record<string, unknown> = {}): Record<string, unknown> => ({ ...JSON.parse(line('known')) as Record<string, unknown>, ...more })

t.test('a line without the required fields updates the product that exists', async (t) => {
  const { catalog, errors } = await afterNewOne(t, [known()], { externalId: 'known', tags: ['after'] })
  t.strictSame(errors, [])
  t.match(await catalog.product('known'), { tags: ['after'] })
})

t.test('a line without the required fields is an error when the product does not exist', async (t) => {
  const { catalog, errors } = await afterNewOne(t, [], { externalId: 'unknown', tags: ['after'] })
  t.strictSame(errors, ['2: Missing required field: name; Missing required field: brandName; Missing required field: externalUrl'])
  t.equal(await catalog.find('unknown'), null)
})

t.test('a variant without a name updates the variant that exists', async (t) => {
  const { catalog, errors } = await afterNewOne(t, [known({ variants: [{ externalId: 'V', name: 'V' }] })], known({ variants: [{ externalId: 'V', inventory: 5 }] }))
  t.strictSame(errors, [])
  t.match(await catalog.product('known'), { variants: [{ externalId: 'V', name: 'V', inventory: 5 }] })
})

t.test('an image that only the stored product has brings no warning', async (t) => {
  const image = { externalId: 'front', url: 'https://example.com/front.jpg' }
  const { catalog, warnings } = await afterNewOne(t, [known({ images: [image] })], known({ variants: [{ externalId: 'V', name: 'V', imageExternalId: 'front' }] }))
  t.strictSame(warnings, [])
  t.match(await catalog.product('known'), { variants: [{ imageExternalId: 'front' }] })
})

t.test('a dry run counts as the import would', async (t) => {
  const catalog = testCatalog(parts)
  await catalog.upsert(known())
  const lines = [line('new'), line('newer'), known({ tags: ['x'] }), line('newer'), { externalId: 'unknown' }]
  const { stats } = await catalog.import(lines, { batchSize: 1, dryRun: true })
  t.strictSame(stats, (await catalog.import(lines, { batchSize: 1 })).stats)
})
