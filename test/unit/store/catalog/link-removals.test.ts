/** Deletions of what more products link to than anyone waits for; the API's side of them is in system/api-store-locations and api-fitment. */
import t from 'tap'
import { targetKey } from '../../../../src/domain/search-keys.js'
import type { Collections } from '../../../../src/store/database/connection.js'
import { createLinkRemovals } from '../../../../src/store/catalog/link-removals.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
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
