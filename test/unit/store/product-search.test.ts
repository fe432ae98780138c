/** What a search reads of its candidates; what it finds is in system/api-fitment-assistant. */
import t from 'tap'
import { testDatabase } from '../../support/database.js'
import { line } from '../../support/product-lines.js'
import { withMethod } from '../../support/with-method.js'
import type { ProductDocument } from '../../../src/store/product-document.js'
import { createProductSearch } from '../../../src/store/product-search.js'
import { testCatalog } from './test-catalog.js'

const parts = await testDatabase(t)
const { products } = parts.database.collections

t.test('of a bounded number of products, the words are read, and none of the targets and stores that they are linked to', async (t) => {
  const catalog = testCatalog(parts)
  const targets = Array.from({ length: 50 }, (_, n) => ({ externalId: `T${n}`, facetValues: [] }))
  await parts.repositories.fitmentTargets.upsert(catalog.vendorId, targets)
  const words = Array.from({ length: 40 }, (_, n) => `w${n}x`)
  await catalog.import([line('P', { name: words.join(' '), publishedAt: '2020-01-01', fitmentTargetExternalIds: targets.map(({ externalId }) => externalId) }), line('Q', { publishedAt: '2020-01-01' })])
  const read: string[][] = []
  const bounds: unknown[] = []
  const watched = withMethod(products, 'aggregate', ((...parameters: Parameters<typeof products.aggregate>) => {
    bounds.push(parameters[0]?.[2])
    const cursor = products.aggregate<ProductDocument>(...parameters)
    return withMethod(cursor, 'toArray', async () => {
      const found = await cursor.toArray()
      for (const { searchKeys } of found) if (searchKeys !== undefined) read.push(searchKeys.map(({ key }) => key))
      return found
    })
  }) as typeof products.aggregate)
  const { nodes } = await createProductSearch({ products: watched }).search(catalog.vendorId, { words: ['w3x', 'w4x'], fitmentTargetId: null, storeLocationId: null }, { first: 0, after: null })
  t.strictSame(nodes, [])
  t.equal(read.length, 3, 'by both words together, and by each')
  t.strictSame(bounds, Array.from(read, () => ({ $limit: 2_000 })), 'before what is not in the index is compared')
  for (const keys of read) t.strictSame(keys, words.slice(0, 32).map((word) => `w:${word}`))
})

t.test('a rare word is found behind however many products that are in stock without it', async (t) => {
  const catalog = testCatalog(parts)
  const store = await parts.repositories.storeLocations.create(catalog.vendorId, {
    storeCode: 'S1', name: 'Store', isActive: true, phone: null, latitude: null, longitude: null, streetAddress: null, streetAddress2: null, city: null, region: null, country: null, postalCode: null
  })
  const stocked = (externalId: string, name: string): string =>
    line(externalId, { name, publishedAt: '2020-01-01', variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { S1: 1 } }] })
  await catalog.import([...Array.from({ length: 9 }, (_, n) => stocked(`A${n}`, 'common')), stocked('Z', 'rare')])
  const { nodes } = await createProductSearch({ products }, 2).search(catalog.vendorId, { words: ['rare'], fitmentTargetId: null, storeLocationId: store._id }, { first: 5, after: null })
  t.strictSame(nodes.map(({ externalId }) => externalId), ['Z'])
})
