/** A vendor's own list, narrowed down. */
import t from 'tap'
import { everything, type ListFilter } from '../../../../src/store/catalog/product-filters.js'
import { createProducts, type ProductCursor } from '../../../../src/store/catalog/products.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { storeLocation } from '../../../support/store-location.js'
import { testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { vendorId, import: load } = testCatalog(parts)
const { storeLocations, fitmentTargets } = parts.repositories
const store = await storeLocations.create(vendorId, storeLocation('S'))
await fitmentTargets.create(vendorId, { externalId: 'T', facetValues: [] })

const targeted = { fitmentTargetExternalIds: ['T'] }
const stocked = (units: number): object => ({ variants: [{ externalId: 'V', name: 'V', inventory: units, inventoryPolicy: 'DENY', inventoryByLocation: { S: units } }] })
await load([
  line('a', { publishedAt: '2020-01-01', ...stocked(2) }), line('b', targeted), line('c', { publishedAt: '2999-01-01', ...stocked(1) }), line('d', { ...targeted, ...stocked(3) }),
  line('e', { archived: true, ...stocked(4) }), line('f', { archived: true, publishedAt: '2020-01-01', ...targeted }), line('g', { publishedAt: '2020-01-01', ...targeted, ...stocked(0) }),
  ...Array.from({ length: 20 }, (_, n) => line(`h${String(n).padStart(2, '0')}`, { publishedAt: '2020-01-01', ...stocked(0), ...n % 2 === 0 ? targeted : {} })), line('i')
])
await testCatalog(parts).import([line('theirs')])

/** So many are looked at by a command, and for a page. */
const looks = { atOnce: 2, inAll: 4 }

async function pagesOf (filter: Partial<ListFilter>, products = createProducts(parts.database.collections, looks)): Promise<string[][]> {
  const pages: string[][] = []
  for (let after: ProductCursor | null = null; ;) {
    const { nodes, hasNextPage, end } = await products.page(vendorId, { ...everything, ...filter }, { first: 2, after })
    pages.push(nodes.map(({ externalId }) => externalId))
    if (!hasNextPage) return pages
    after = end
  }
}

const found = async (filter: Partial<ListFilter>): Promise<string> => (await pagesOf(filter)).flat().join(' ')

t.test('drafts, scheduled and published products, each once over pages, whether linked to targets or not', async (t) => {
  t.equal(await found({ archived: false, visibility: 'DRAFT' }), 'b d i')
  t.equal(await found({ archived: false, visibility: 'SCHEDULED' }), 'c')
  t.match(await found({ archived: false, visibility: 'PUBLISHED' }), /^a g h00 h01 .* h19$/)
})

t.test('what can be bought, and what a store has, of live and then of archived products', async (t) => {
  t.equal(await found({ storeLocationId: store._id }), 'a c d e')
  t.equal(await found({ storeLocationId: store._id, visibility: 'DRAFT' }), 'd e')
  t.equal(await found({ isInStock: true, archived: false, visibility: 'PUBLISHED' }), 'a')
})

t.test('a page looks at so many products, may be empty, and the next one goes on behind those', async (t) => {
  const pages = await pagesOf({ archived: false, isInStock: true })
  t.ok(pages.some((page) => page.length === 0), JSON.stringify(pages))
  t.ok(pages.length > 4, JSON.stringify(pages))
})

t.test('as many are counted as all pages hold', async (t) => {
  const { products } = parts.repositories
  t.equal(await products.countSifted(vendorId, { ...everything, archived: false, visibility: 'DRAFT' }), 3)
  t.equal(await products.countSifted(vendorId, { ...everything, storeLocationId: store._id }), 4)
})

t.test('without a filter the list is as before', async (t) => {
  t.match((await pagesOf({})).flat().join(' '), /^a b c d g h00 .* i e f$/)
})
