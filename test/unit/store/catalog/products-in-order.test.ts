import t from 'tap'
import type { Filter, FindOptions } from 'mongodb'
import type { ProductDocument } from '../../../../src/store/catalog/product-document.js'
import { countInRange, findInOrder, type ProductRange } from '../../../../src/store/catalog/products-in-order.js'
import { testDatabase } from '../../../support/database.js'
import { line } from '../../../support/product-lines.js'
import { withMethod } from '../../../support/with-method.js'
import { testCatalog } from '../test-catalog.js'

const parts = await testDatabase(t)
const { collections } = parts.database
const { vendorId, import: load } = testCatalog(parts)
await parts.repositories.fitmentTargets.create(vendorId, { externalId: 'T', facetValues: [] })

const targeted = { fitmentTargetExternalIds: ['T'] }
const variantTargeted = { variants: [{ externalId: 'V', name: 'V', ...targeted }] }
await load([
  line('a', targeted), line('b', { publishedAt: '2020-01-01' }), line('c', variantTargeted), line('d', { archived: true }), line('e', { ...targeted, archived: true }),
  // The bytes of an emoji come after those of a full-width tilde, its UTF-16 before.
  line('\u{1F697}', targeted), line('～')
])
await testCatalog(parts).import([line('theirs'), line('theirs too')])

/** External ids, over pages of two. */
async function idsIn (range: Omit<ProductRange, 'vendorId'>): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await findInOrder<{ externalId: string }>(collections, { vendorId, ...range }, { after: ids.at(-1) ?? null, limit: 2, projection: { externalId: 1 } })
    if (page.length === 0) return ids
    ids.push(...page.map(({ externalId }) => externalId))
  }
}
const live = { archived: false }

t.test('all live products in the order of their bytes, each once over pages, whether linked to targets or not', async (t) => {
  t.strictSame(await idsIn({ ...live, targeted: null }), ['a', 'b', 'c', '～', '\u{1F697}'])
})

t.test('those that are linked to targets, and those that fit everything', async (t) => {
  t.strictSame(await idsIn({ ...live, targeted: true }), ['a', 'c', '\u{1F697}'])
  t.strictSame(await idsIn({ ...live, targeted: false }), ['b', '～'])
})

t.test('archived ones', async (t) => {
  t.strictSame(await idsIn({ archived: true, targeted: null }), ['d', 'e'])
})

t.test('of these, what else is asked for', async (t) => {
  const where = { publishedAt: { $lte: new Date() } }
  t.strictSame(await idsIn({ ...live, targeted: null, where }), ['b'])
  t.strictSame(await idsIn({ ...live, targeted: true, where }), [])
})

t.test('a product that is linked between the two reads is there once', async (t) => {
  const { products } = collections
  const inBoth = ((filter: Filter<ProductDocument>, options: FindOptions) => products.find({ ...filter, targeted: { $in: [true, false] } }, options)) as typeof products.find
  const page = await findInOrder({ products: withMethod(products, 'find', inBoth) }, { vendorId, ...live, targeted: null }, { after: null, limit: 3 })
  t.strictSame(page.map(({ externalId }) => externalId), ['a', 'b', 'c'])
})

t.test('counts are those of the range', async (t) => {
  const count = async (targeted: boolean | null, where = {}): Promise<number> => await countInRange(collections, { vendorId, ...live, targeted, where })
  t.strictSame([await count(null), await count(true), await count(false), await count(false, { name: 'Product b' })], [5, 3, 2, 1])
})

t.test('a product comes to the other range when it is linked, and back', async (t) => {
  await load([line('b', targeted), line('a', { fitmentTargetExternalIds: [] })])
  t.strictSame(await idsIn({ ...live, targeted: false }), ['a', '～'])
})
