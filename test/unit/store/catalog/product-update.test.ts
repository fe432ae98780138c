/** What is sent says no more than what differs, and makes of the stored product what a replacement would. */
import { BSON, type Document } from 'mongodb'
import t from 'tap'
import { createRandom } from '../../../../src/cli/sample-random.js'
import type { ProductContent, Variant } from '../../../../src/domain/product.js'
import { toDocument, type ProductDocument, type ProductRecord } from '../../../../src/store/catalog/product-document.js'
import { charactersIn } from '../../../../src/store/catalog/product-size.js'
import { productUpdate, variantsUpdate } from '../../../../src/store/catalog/product-update.js'
import { StoredProduct } from '../../../../src/store/catalog/stored-product.js'
import { testDatabase } from '../../../support/database.js'

const at = new Date(1_000)
const { database: { collections: { products } } } = await testDatabase(t)

const variant = (name: string, more: Partial<Variant> = {}): Variant => ({
  id: name, externalId: name, name, sku: null, upc: null, imageExternalId: null, inventory: 1, locationQuantities: [], inventoryPolicy: null,
  prices: [{ price: 1, compareAtPrice: null, currency: 'EUR' }], fitmentTargetIds: [], sizeChartId: null, metafields: [], ...more
})
const content = (more: Partial<ProductContent> = {}): ProductContent => ({
  name: 'Trail Backpack', brandName: 'Northwind', externalUrl: 'https://shop.example.com/p', description: 'x'.repeat(2_000), publishedAt: at, archived: false, images: [],
  imageAliases: [], variants: [variant('S'), variant('M'), variant('L')], categories: ['Bags'], tags: [], fitmentTargetIds: [], sizeChartId: null, metafields: [], ...more
})
const record = (product: ProductContent, revision = 1): ProductRecord => ({
  _id: 'p', vendorId: 'v', externalId: 'p', revision, writeId: `w${revision}`, createdAt: at, updatedAt: at, createdBy: null, writtenBy: null,
  upsertedDuring: null, archivedByJobId: null, patchHash: null, size: charactersIn(product)
})
const document = (product: ProductContent, revision = 1): ProductDocument => toDocument(record(product, revision), product)
const storedProduct = (product: ProductContent): StoredProduct => new StoredProduct(BSON.serialize(document(product), { ignoreUndefined: true }))
const written = (before: ProductContent, after: ProductContent): Document => productUpdate(document(before), document(after, 2))
const guard = { _id: 'p', revision: 1 }

t.test('one quantity is one path, beside the record of the write', async (t) => {
  t.strictSame(written(content(), content({ variants: [variant('S'), variant('M', { inventory: 7 }), variant('L')] })), {
    updateOne: { filter: guard, update: { $set: { revision: 2, writeId: 'w2', 'variants.1.inventory': 7 } } }
  })
})

t.test('what a variant has no longer is taken away', async (t) => {
  t.match(written(content({ variants: [variant('S', { upc: '1' })] }), content({ variants: [variant('S', { inventory: null })] })), {
    updateOne: { update: { $unset: { 'variants.0.upc': true, 'variants.0.inventory': true } } }
  })
})

t.test('what is made from a field that changes is written with it', async (t) => {
  const soldOut = written(content({ variants: [variant('S')] }), content({ variants: [variant('S', { inventory: 0 })] }))
  t.match(soldOut, { updateOne: { update: { $set: { soldOut: true, 'variants.0.inventory': 0 } } } })
  const inStock = written(content({ variants: [variant('S')] }), content({ variants: [variant('S', { fitmentTargetIds: ['x'] })] }))
  t.match(inStock, { updateOne: { update: { $set: { targeted: true, searchKeys: [] as object[], 'variants.0.fitmentTargetIds': ['x'] } } } })
})

t.test('a list with another variant, or in another order, is written as a whole', async (t) => {
  const paths = (variants: Variant[]): string[] => Object.keys((written(content(), content({ variants })) as { updateOne: { update: { $set: object } } }).updateOne.update.$set).filter((path) => path.startsWith('variants'))
  t.strictSame(paths([variant('M'), variant('S'), variant('L')]), ['variants'])
  t.strictSame(paths([variant('S'), variant('M')]), ['variants'])
  t.strictSame(paths([variant('S'), variant('M'), variant('L'), variant('XL')]), ['variants'])
})

t.test('where most of it differs, the product is replaced', async (t) => {
  const everythingElse = content({
    name: 'Tent', brandName: 'Else', externalUrl: 'https://shop.example.com/o', description: 'y'.repeat(2_000), publishedAt: new Date(2_000), categories: ['Tents'], tags: Array.from({ length: 30 }, (_, index) => `tag${index}`),
    variants: [variant('A'), variant('B'), variant('C')]
  })
  t.match(written(content(), everythingElse), { replaceOne: { filter: guard } })
})

t.test('a field that this version does not know goes', async (t) => {
  const before: ProductDocument & { once?: string } = { ...document(content()), once: 'known' }
  t.match(productUpdate(before, document(content(), 2)), { updateOne: { update: { $unset: { once: true } } } })
})

t.test('where only variants have changed, what is sent is what comparing the whole would have sent', async (t) => {
  const random = createRandom(26)
  const draw = <T>(...values: T[]): T => values[random.integer(0, values.length - 1)] as T
  const drawn = (names: string[]): Variant[] => names.map((name) => variant(name, {
    name: draw('Blue', null), inventory: draw(null, 0, 1, 2), upc: draw(null, '1'), sku: draw(null, 's'), inventoryPolicy: draw(null, 'DENY', 'CONTINUE'), imageExternalId: draw(null, 'i'), sizeChartId: draw(null, 'c'),
    locationQuantities: draw([], [{ locationId: 'a', quantity: 0 }], [{ locationId: 'a', quantity: 1 }, { locationId: 'b', quantity: 0 }]),
    prices: draw([], [{ price: 1, compareAtPrice: null, currency: 'EUR' }], [{ price: 1, compareAtPrice: 2, currency: 'EUR' }]),
    fitmentTargetIds: draw([], [], [], [], ['x']), metafields: draw([], [{ key: 'a', value: 'd' }])
  }))
  let [narrow, whole] = [0, 0]
  for (let round = 0; round < 500; round++) {
    const before = content({ variants: drawn(draw(['S'], ['S', 'M'], [])) })
    const after = { ...before, variants: random.chance(0.8) ? drawn(before.variants.map(({ id }) => id)) : drawn(draw(['S'], ['M', 'S'])) }
    const sent = variantsUpdate(storedProduct(before), after.variants, { ...record(after, 2), writtenBy: 'job:0:1', patchHash: draw(null, 'h') })
    if (sent === null) {
      whole++
      continue
    }
    narrow++
    const { updateOne: { update: { $set } } } = sent as unknown as { updateOne: { update: { $set: { writtenBy: string, patchHash: string | null } } } }
    t.strictSame(sent, productUpdate(document(before), toDocument({ ...record(after, 2), writtenBy: $set.writtenBy, patchHash: $set.patchHash ?? null }, after)))
  }
  t.ok(narrow > 100 && whole > 50, `${narrow} by their variants alone, ${whole} as a whole`)
})

t.test('variants that are linked to other targets, or are others, take the whole: keys are made of those', async (t) => {
  const before = content({ variants: [variant('S', { fitmentTargetIds: ['x'] }), variant('M')] })
  for (const variants of [[variant('S'), variant('M')], [variant('S', { fitmentTargetIds: ['y'] }), variant('M')], [variant('S', { fitmentTargetIds: ['x'] })], [variant('M'), variant('S', { fitmentTargetIds: ['x'] })]]) {
    t.equal(variantsUpdate(storedProduct(before), variants, record({ ...before, variants }, 2)), null)
  }
})

t.test('whatever differs, the server has afterwards what a replacement would have made', async (t) => {
  const random = createRandom(25)
  const draw = <T>(...values: T[]): T => values[random.integer(0, values.length - 1)] as T
  const drawnVariant = (name: string): Variant => variant(name, {
    inventory: draw(null, 0, 1, 2), upc: draw(null, '1', '2'), sku: draw(null, 's'), inventoryPolicy: draw(null, 'DENY'), imageExternalId: draw(null, 'i'),
    locationQuantities: draw([], [{ locationId: 'a', quantity: 0 }], [{ locationId: 'a', quantity: 1 }, { locationId: 'b', quantity: 0 }]),
    prices: draw([], [{ price: 1, compareAtPrice: null, currency: 'EUR' }], [{ price: 1, compareAtPrice: 2, currency: 'EUR' }]),
    fitmentTargetIds: draw([], ['x'], ['x', 'y']), metafields: draw([], [{ key: '$a.b', value: '$c' }], [{ key: '$a.b', value: 'd' }])
  })
  const drawn = (): ProductContent => content({
    name: draw('Trail Backpack', '$name'), description: draw(null, 'short', 'x'.repeat(2_000)), publishedAt: draw(null, at, new Date(2_000)), archived: draw(true, false),
    images: draw([], [{ externalId: 'i', url: 'https://shop.example.com/i', position: null }], [{ externalId: 'i', url: 'https://shop.example.com/i', position: 1 }]),
    variants: draw(['S'], ['S', 'M'], ['M', 'S'], ['S', 'M', 'L'], []).map(drawnVariant), tags: draw([], ['a'], ['a', 'b'])
  })
  const rounds = Array.from({ length: 200 }, (_, round) => `p${round}`)
  const before = rounds.map((_id) => ({ ...document(drawn()), _id }))
  const after = rounds.map((_id) => ({ ...document(drawn(), 2), _id }))
  const storedAs = async (documents: ProductDocument[]): Promise<ProductDocument[]> => {
    await products.deleteMany({})
    await products.insertMany(documents)
    return await products.find({}).sort({ _id: 1 }).toArray()
  }
  const wanted = await storedAs(after)
  const stored = new Map((await storedAs(before)).map((product) => [product._id, product]))
  const updates = after.map((product) => productUpdate(stored.get(product._id) as ProductDocument, product))
  const { matchedCount } = await products.bulkWrite(updates, { ordered: false })
  t.equal(matchedCount, rounds.length)
  t.strictSame(await products.find({}).sort({ _id: 1 }).toArray(), wanted)
  t.strictSame([...new Set(updates.map((update) => Object.keys(update)[0]))].sort(), ['replaceOne', 'updateOne'])
})
