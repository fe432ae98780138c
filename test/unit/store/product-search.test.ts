/** What a search reads of its candidates; what it finds is in system/api-fitment-assistant. */
import t from 'tap'
import { testDatabase } from '../../support/database.js'
import { line } from '../../support/product-lines.js'
import { withMethod } from '../../support/with-method.js'
import { createProductSearch } from '../../../src/store/product-search.js'
import { testCatalog } from './test-catalog.js'

const parts = await testDatabase(t)
const { products } = parts.database.collections

t.test('of a candidate its words are read, and none of the targets and stores that it is linked to', async (t) => {
  const catalog = testCatalog(parts)
  const targets = Array.from({ length: 50 }, (_, n) => ({ externalId: `T${n}`, facetValues: [] }))
  await parts.repositories.fitmentTargets.upsert(catalog.vendorId, targets)
  const words = Array.from({ length: 40 }, (_, n) => `w${n}x`)
  await catalog.import([line('P', { name: words.join(' '), publishedAt: '2020-01-01', fitmentTargetExternalIds: targets.map(({ externalId }) => externalId) }), line('Q', { publishedAt: '2020-01-01' })])
  const read: string[][] = []
  const watched = withMethod(products, 'find', ((...parameters: Parameters<typeof products.find>) => {
    const cursor = products.find(...parameters)
    return withMethod(cursor, 'toArray', async () => {
      const found = await cursor.toArray()
      for (const { searchKeys } of found) if (searchKeys !== undefined) read.push(searchKeys.map(({ key }) => key))
      return found
    })
  }) as typeof products.find)
  const { nodes } = await createProductSearch({ products: watched }).search(catalog.vendorId, { words: ['w3x', 'w4x'], fitmentTargetId: null, storeLocationId: null }, { first: 0, after: null })
  t.strictSame(nodes, [])
  t.equal(read.length, 3, 'by both words together, and by each')
  for (const keys of read) t.strictSame(keys, words.slice(0, 32).map((word) => `w:${word}`))
})
