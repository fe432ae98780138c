/** While all products are new the writer inserts without asking. Whatever exists after all is merged as if it had asked. */
import t, { type Test } from 'tap'
import { serverOf, setServerOf } from '../../../../src/store/database/server-of.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { statsOf, testCatalog, type TestCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

/** Counts the queries for products, those of them for small ones in a transaction, and the products that are inserted, in vain or not. */
function counted (): { collections: Pick<typeof collections, 'products'>, queries: () => number, inserted: () => number, inSession: () => number } {
  let [queries, inserted, inSession] = [0, 0, 0]
  const products = new Proxy(collections.products, {
    get (target, name) {
      if (name === 'find') {
        return (...[filter = {}, options = {}]: Parameters<typeof collections.products.find>) => {
          queries++
          if (options.session !== undefined && 'size' in filter) inSession++
          return target.find(filter, options)
        }
      }
      if (name !== 'bulkWrite') return Reflect.get(target, name) as unknown
      return async (...[operations, options]: Parameters<typeof collections.products.bulkWrite>) => {
        for (const operation of operations) if ('insertOne' in operation) inserted++
        return await target.bulkWrite(operations, options)
      }
    }
  })
  setServerOf(products, serverOf(collections.products))
  return { collections: { products }, queries: () => queries, inserted: () => inserted, inSession: () => inSession }
}

async function archivedCatalog (...ids: string[]): Promise<TestCatalog> {
  const catalog = testCatalog(parts)
  await catalog.import(ids.map((id) => line(id)))
  await collections.products.updateMany({ vendorId: catalog.vendorId }, { $set: { archived: true } })
  return catalog
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
  const catalog = await archivedCatalog('A')
  const { stats } = await catalog.import([line('A'), line('B')], { mode: 'REPLACE' })
  t.strictSame(stats, statsOf(1, 1))
  t.match(await catalog.product('A'), { revision: 2 })
})

t.test('a dry run believes nothing of the kind: it inserts nothing, so it would hear of no product that exists', async (t) => {
  const catalog = await archivedCatalog('A')
  t.strictSame((await catalog.import([line('A'), line('B')], { mode: 'REPLACE', dryRun: true })).stats, statsOf(1, 1))
  t.equal(await collections.products.countDocuments({ vendorId: catalog.vendorId }), 1)
})

t.test('that products are new is believed until the first are found to exist, whoever goes on saying so', async (t) => {
  const ids = Array.from({ length: 60 }, (_, index) => `P${index}`)
  const catalog = await archivedCatalog(...ids)
  const { collections, inserted } = counted()
  const { stats } = await catalog.import(ids.map((id) => line(id)), { mode: 'REPLACE', batchSize: 2, collections })
  t.strictSame(stats, statsOf(0, 60))
  // The known lines are asked for in every ninth batch, and three batches are in flight when the first one's answer comes.
  t.ok(inserted() <= 3 * 2, `${inserted()}`)
})

t.test('a delta that was taken for new, as its ids were not understood, is read and written in transactions as soon as its products are met', async (t) => {
  const catalog = testCatalog(parts)
  const ids = Array.from({ length: 20 }, (_, index) => `P${index}`)
  const variants = (id: string, inventory: number): Record<string, unknown> => ({ variants: [{ externalId: `${id}-V`, name: 'V', inventory }] })
  await catalog.import(ids.map((id) => line(id, variants(id, 1))))
  const { collections, inSession } = counted()
  const { stats } = await catalog.import(ids.map((externalId) => ({ ...variants(externalId, 2), externalId })), { batchSize: 2, collections })
  t.strictSame(stats, statsOf(0, 20))
  const { commitsEachDocument } = await serverOf(collections.products).profile()
  t.ok(commitsEachDocument, 'the embedded servers do')
  t.ok(inSession() > 0)
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
