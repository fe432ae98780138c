/** A store location that no import has asked for is held by no product: whoever deletes it waits for no look through the catalog. */
import t from 'tap'
import { createLinkRemovals } from '../../../../src/store/catalog/link-removals.js'
import { createStoreLocations } from '../../../../src/store/catalog/store-locations.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { storeLocation } from '../../../support/store-location.js'
import { withMethod } from '../../../support/with-method.js'
import { testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database

/** Locations whose deletion counts how often products are looked for. */
function locations () {
  let looks = 0
  const looking = (method: 'find' | 'aggregate') => (...parameters: unknown[]) => {
    looks++
    return (collections.products[method] as (...parameters: unknown[]) => never)(...parameters)
  }
  const products = withMethod(withMethod(collections.products, 'find', looking('find')), 'aggregate', looking('aggregate'))
  return { ...createStoreLocations(collections, createLinkRemovals({ ...collections, products })), looks: () => looks }
}

t.test('one that was never asked for is deleted without a look at products, and swept once for imports of that moment', async (t) => {
  const { create, delete: remove, looks } = locations()
  const { _id } = await create('idle', storeLocation('X'))
  await testCatalog(parts, 'idle').import([line('p')])
  await remove('idle', _id)
  t.equal(looks(), 0)
  t.match(await collections.linkRemovals.findOne({ linkId: _id }), { isLastPass: true })
})

t.test('one is in use from the first line on that says something of any location, before a product is written', async (t) => {
  const { create, delete: remove, find, looks } = locations()
  const [first, second] = [await create('busy', storeLocation('A')), await create('busy', storeLocation('B'))]
  t.match(await find('busy', second._id), { isUnused: true })
  const links = parts.repositories.links
  await links.storeLocations('busy')
  t.match(await find('busy', second._id), { isUnused: true }, 'to read them is no use')
  await links.stockLocations('busy')
  for (const { _id } of [first, second]) t.notOk((await find('busy', _id))?.isUnused)
  await remove('busy', second._id)
  t.ok(looks() > 0)
})

t.test('stock that an import has written goes with its location', async (t) => {
  const { create, delete: remove } = locations()
  const { _id } = await create('stocked', storeLocation('A'))
  const catalog = testCatalog(parts, 'stocked')
  await catalog.import([line('p', { variants: [{ externalId: 'v', name: 'V', inventoryByLocation: { A: 3 } }] })])
  t.match((await catalog.product('p')).variants[0]?.locationQuantities, [{ locationId: _id, quantity: 3 }])
  await remove('stocked', _id)
  t.strictSame((await catalog.product('p')).variants[0]?.locationQuantities, [])
})

t.test('one of a version before, of which nothing is known, is looked for', async (t) => {
  const { create, delete: remove, looks } = locations()
  const { _id } = await create('older', storeLocation('A'))
  await collections.storeLocations.updateOne({ _id }, { $unset: { isUnused: true } })
  await remove('older', _id)
  t.ok(looks() > 0)
})
