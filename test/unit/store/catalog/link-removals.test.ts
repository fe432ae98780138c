/** Deletions of what more products link to than anyone waits for; the API's side of them is in system/api-store-locations and api-fitment. */
import type { Document } from 'mongodb'
import t from 'tap'
import { targetKey } from '../../../../src/domain/search-keys.js'
import type { Collections } from '../../../../src/store/database/connection.js'
import { createLinkRemovals } from '../../../../src/store/catalog/link-removals.js'
import { holdsLocation } from '../../../../src/store/catalog/stock-filters.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { storeLocation } from '../../../support/store-location.js'
import { withMethod } from '../../../support/with-method.js'
import { testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database
const linked = 10

/** As many products as `linked`, of a vendor of its own, all linked to one target. */
async function linkedProducts (vendorId: string) {
  const catalog = testCatalog(parts, vendorId)
  const { _id: targetId } = await parts.repositories.fitmentTargets.create(vendorId, { externalId: 'T', facetValues: [] })
  await catalog.import(Array.from({ length: linked }, (_, index) => line(`P${index}`, { fitmentTargetExternalIds: ['T'] })))
  const left = async (): Promise<number> => await collections.products.countDocuments({ vendorId, 'searchKeys.key': targetKey(targetId) })
  return { targetId, left }
}

const never = new AbortController().signal

/** The collections, with something done after each bulk of products. */
function afterEachBulk (done: () => void): Collections {
  const { products } = collections
  return {
    ...collections,
    products: withMethod(products, 'bulkWrite', async (...parameters) => {
      const result = await products.bulkWrite(...parameters)
      done()
      return result
    })
  }
}

t.test('who deletes waits for so many products; a worker does the others', async (t) => {
  const { targetId, left } = await linkedProducts('waits')
  t.equal(await left(), linked)
  const removals = createLinkRemovals(collections, { productsAtOnce: 4, batchSize: 3 })
  await removals.request('waits', 'fitment-target', targetId)
  await removals.run('waits', 'fitment-target', targetId)
  t.equal(await left(), linked - 4)
  t.match(await collections.linkRemovals.findOne({ linkId: targetId }), { isLastPass: false }, 'the first pass is not over')
  await removals.runDue(never)
  t.equal(await left(), 0)
  t.match(await collections.linkRemovals.findOne({ linkId: targetId }), { isLastPass: true })
})

t.test('a worker that is stopped in the middle leaves the rest to the next one', async (t) => {
  const { targetId, left } = await linkedProducts('stopped')
  const stopping = new AbortController()
  const stopped = createLinkRemovals(afterEachBulk(() => { stopping.abort() }), { batchSize: 3 })
  await stopped.request('stopped', 'fitment-target', targetId)
  await stopped.runDue(stopping.signal)
  t.equal(await left(), linked - 3, 'one batch was finished')
  await createLinkRemovals(collections, { batchSize: 3 }).runDue(never)
  t.equal(await left(), 0)
})

/** As many products, live and archived, linked to a target and not, all with an entry for one store, of which half have stock there. */
async function stockedProducts (vendorId: string, count: number) {
  const catalog = testCatalog(parts, vendorId)
  const { _id: locationId } = await parts.repositories.storeLocations.create(vendorId, storeLocation('S'))
  await parts.repositories.storeLocations.create(vendorId, storeLocation('other'))
  await parts.repositories.fitmentTargets.create(vendorId, { externalId: 'T', facetValues: [] })
  await catalog.import(Array.from({ length: count }, (_, n) => line(`P${String(n).padStart(2, '0')}`, {
    archived: n % 3 === 0, ...(n % 2 === 0 ? { fitmentTargetExternalIds: ['T'] } : {}), variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { S: n % 2, other: n } }]
  })))
  const left = async (): Promise<string[]> => (await collections.products.find({ vendorId, ...holdsLocation(locationId) }, { sort: { externalId: 1 } }).toArray()).map(({ externalId }) => externalId)
  return { catalog, locationId, left }
}

t.test('who deletes a store waits until so many products have been looked through; a worker goes on from there', async (t) => {
  const { catalog, locationId, left } = await stockedProducts('store-waits', 24)
  const removals = createLinkRemovals(collections, { productsAtOnce: 10, batchSize: 4 })
  await removals.request('store-waits', 'store-location', locationId)
  await removals.run('store-waits', 'store-location', locationId)
  t.equal((await left()).length, 14)
  t.match(await collections.linkRemovals.findOne({ linkId: locationId }), { isLastPass: false, walked: { archived: false } })
  const looked: unknown[] = []
  const { products } = collections
  const watched = { ...collections, products: withMethod(products, 'aggregate', (pipeline: Document[]) => { looked.push(pipeline[0]); return products.aggregate(pipeline) }) }
  await createLinkRemovals(watched, { batchSize: 4 }).runDue(never)
  t.strictSame(await left(), [])
  t.notSame(looked[0], { $match: { vendorId: 'store-waits', archived: false, targeted: false } }, 'not from the start')
  const removal = await collections.linkRemovals.findOne({ linkId: locationId })
  t.match(removal, { isLastPass: true })
  t.notOk(removal?.walked, 'the last pass begins anew')
  t.strictSame((await catalog.product('P05')).variants[0]?.locationQuantities.map(({ quantity }) => quantity), [5], 'what other stores have stays')
})

t.test('a deletion of a store that is killed in the middle of a page, or of a bulk, is resumed', async (t) => {
  const { locationId, left } = await stockedProducts('store-killed', 24)
  const { products } = collections
  let bulks = 0
  const dying = {
    ...collections,
    products: withMethod(products, 'bulkWrite', async (...parameters: Parameters<typeof products.bulkWrite>) => {
      if (++bulks % 2 === 0) throw new Error('killed')
      return await products.bulkWrite(...parameters)
    })
  }
  await createLinkRemovals(collections).request('store-killed', 'store-location', locationId)
  const counts: number[] = []
  for (let kills = 0; (await left()).length > 0; kills++) {
    if (kills === 10) throw new Error('it does not come any further')
    await createLinkRemovals(dying, { batchSize: 4 }).runDue(never).catch((error: Error) => { t.equal(error.message, 'killed') })
    counts.push((await left()).length)
  }
  t.strictSame(counts.slice(0, 3), [20, 16, 12], 'each goes on where the one before was killed')
  await createLinkRemovals(collections).runDue(never)
  t.match(await collections.linkRemovals.findOne({ linkId: locationId }), { isLastPass: true })
})

t.test('a product that another writer is faster with is looked at again', async (t) => {
  const { catalog, locationId, left } = await stockedProducts('store-race', 6)
  const { products } = collections
  let isFirst = true
  const racing = {
    ...collections,
    products: withMethod(products, 'bulkWrite', async (...parameters: Parameters<typeof products.bulkWrite>) => {
      if (isFirst) {
        isFirst = false
        await catalog.upsert({ externalId: 'P01', name: 'Faster' })
      }
      return await products.bulkWrite(...parameters)
    })
  }
  const removals = createLinkRemovals(racing)
  await removals.request('store-race', 'store-location', locationId)
  await removals.run('store-race', 'store-location', locationId)
  t.strictSame(await left(), [])
  t.equal((await catalog.product('P01')).name, 'Faster')
})

t.test('stores that are deleted together share a pass; a round looks through so many products of a vendor, and others do not wait for it', async (t) => {
  const [large, small] = [await stockedProducts('store-large', 24), await stockedProducts('store-small', 6)]
  const other = (await parts.repositories.storeLocations.findByCode('store-large', 'other'))?._id ?? ''
  const looked: unknown[] = []
  const { products } = collections
  const watched = {
    ...collections,
    products: withMethod(products, 'aggregate', (pipeline: Document[]) => {
      looked.push((pipeline[0]?.['$match'] as Document)['vendorId'])
      return products.aggregate(pipeline)
    })
  }
  const removals = createLinkRemovals(watched, { batchSize: 4, productsPerRound: 8 })
  for (const [vendorId, id] of [['store-large', large.locationId], ['store-large', other], ['store-small', small.locationId]] as const) await removals.request(vendorId, 'store-location', id)
  await removals.runDue(never)
  t.strictSame([(await large.left()).length, await small.left()], [16, []], 'not all of the one, all of the other')
  const walked = await collections.linkRemovals.find({ vendorId: 'store-large' }).toArray()
  t.strictSame(walked.map(({ walked }) => walked), [walked[0]?.walked, walked[0]?.walked])
  for (let rounds = 0; rounds < 4; rounds++) await removals.runDue(never)
  t.strictSame((await large.catalog.product('P05')).variants[0]?.locationQuantities, [], 'both are gone')
  t.equal(await collections.linkRemovals.countDocuments({ vendorId: 'store-large', isLastPass: true }), 2)
  t.ok(looked.filter((vendorId) => vendorId === 'store-large').length <= 2 * 6 + 4, 'in one pass')
})
