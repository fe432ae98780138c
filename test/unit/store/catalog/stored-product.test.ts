/** However little of it is looked at, a stored product is what the driver would have made of it. */
import { BSON } from 'mongodb'
import t from 'tap'
import { fromDocument, toDocument } from '../../../../src/store/catalog/product-document.js'
import { StoredProduct } from '../../../../src/store/catalog/stored-product.js'
import { contentOf, variantOf } from '../../domain/mergeable-patch.js'

const at = new Date(1_000)
const record = {
  _id: 'p', vendorId: 'v', externalId: 'ünïcode', revision: 3, writeId: 'w', createdAt: at, updatedAt: at, createdBy: 'job:0:1', writtenBy: null, upsertedDuring: null, archivedByJobId: null, patchHash: 'h', size: 100
}
const content = contentOf({
  description: 'Größe 42', publishedAt: at, tags: ['a', '😀'], metafields: [{ key: 'variants', value: 'size' }],
  variants: [variantOf('S', { inventory: -3, prices: [{ price: 1.5, compareAtPrice: null, currency: 'EUR' }] }), variantOf('M', { fitmentTargetIds: ['t'] })]
})
const encode = (document: object): Uint8Array => BSON.serialize(document, { ignoreUndefined: true })
const storedOf = (document: object): StoredProduct => new StoredProduct(encode(document))
const document = toDocument(record, content)

/** Whether a field was decoded: one whose text is broken says so. */
function broken (text: string): Uint8Array {
  const bytes = Buffer.from(encode(document))
  bytes[bytes.indexOf(text)] = 0xFF
  return bytes
}

t.test('the whole is what the driver makes of it, looked at at once or part by part', async (t) => {
  const whole = BSON.deserialize(encode(document))
  t.strictSame(new Map(Object.entries(storedOf(document).document)), new Map(Object.entries(whole)))
  const partly = storedOf(document)
  t.strictSame(partly.variants, whole['variants'])
  t.strictSame(partly.record, { _id: 'p', vendorId: 'v', externalId: 'ünïcode', revision: 3, writeId: 'w', createdAt: at, updatedAt: at, createdBy: 'job:0:1', patchHash: 'h', size: 100 })
  t.strictSame(fromDocument(partly.document), { ...record, ...content })
})

t.test('it is the same in whatever order updates have left its fields', async (t) => {
  const reversed = storedOf(Object.fromEntries(Object.entries(document).reverse()))
  t.strictSame(fromDocument(reversed.document), { ...record, ...content })
  t.strictSame(reversed.variants, storedOf(document).variants)
})

t.test('a field that this version does not know is part of the whole', async (t) => {
  t.match(storedOf({ ...document, once: { known: true } }).document, { once: { known: true } })
})

t.test('a product without variants has none', async (t) => {
  const { variants: _, ...without } = document
  const stored = storedOf(without)
  t.strictSame(stored.variants, [])
  t.strictSame(stored.toFoldable().variants, [])
  t.notOk('variants' in stored.document)
})

t.test('a field within a list that is called like one of the record stays where it is', async (t) => {
  const stored = storedOf({ ...document, metafields: [{ key: 'size', value: 'revision' }], images: [{ externalId: 'i', url: 'size' }] })
  t.equal(stored.record.size, 100)
  t.equal(stored.record.externalId, 'ünïcode')
})

t.test('what is not looked at is not decoded, and what is broken says so when it is', async (t) => {
  const stored = new StoredProduct(broken('Größe'))
  t.equal(stored.record.revision, 3)
  t.equal(stored.toFoldable().variants.length, 2)
  t.throws(() => stored.document)
  t.throws(() => stored.toFoldable().others())
})

t.test('what folding one line changes is not in what the next begins with', async (t) => {
  const stored = storedOf(document)
  for (const variant of stored.toFoldable().variants) Object.assign(variant, { inventory: 99, prices: [] })
  t.strictSame(stored.toFoldable().variants, content.variants)
  t.strictSame(stored.document, BSON.deserialize(encode(stored.document)))
})

t.test('a document that is cut off is refused', async (t) => {
  t.throws(() => new StoredProduct(encode(document).subarray(0, 40)))
})
