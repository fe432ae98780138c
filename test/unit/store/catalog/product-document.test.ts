import t from 'tap'
import { BSON } from 'mongodb'
import type { Product, Variant } from '../../../../src/domain/product.js'
import { fromDocument, toDocument, type ProductDocument } from '../../../../src/store/catalog/product-document.js'

const bareVariant: Variant = {
  id: 'v', externalId: 'V', name: null, sku: null, upc: null, imageExternalId: null, inventory: null, locationQuantities: [],
  inventoryPolicy: null, prices: [], fitmentTargetIds: [], sizeChartId: null, metafields: []
}
const fullVariant: Variant = {
  id: 'w', externalId: 'W', name: 'W', sku: 's', upc: 'u', imageExternalId: 'i', inventory: 0, locationQuantities: [{ locationId: 'l', quantity: 0 }],
  inventoryPolicy: 'DENY', prices: [{ price: 0, compareAtPrice: 0, currency: 'USD' }, { price: 1, compareAtPrice: null, currency: 'EUR' }],
  fitmentTargetIds: ['t'], sizeChartId: 'c', metafields: [{ key: 'k', value: '' }]
}
const bare: Product = {
  _id: 'p', vendorId: 'acme', externalId: 'P', revision: 1, writeId: 'w.1', name: 'N', brandName: 'B', externalUrl: 'https://example.com/', description: null,
  publishedAt: null, archived: false, images: [], imageAliases: [], variants: [], categories: [], tags: [], fitmentTargetIds: [], sizeChartId: null, metafields: [],
  createdAt: new Date(1), updatedAt: new Date(2), createdBy: null, writtenBy: null, upsertedDuring: null, archivedByJobId: null, patchHash: null, size: 0
}
const full: Product = {
  ...bare, description: '', publishedAt: new Date(0), archived: true, images: [{ externalId: 'i', url: 'https://example.com/i', position: 0 }, { externalId: 'j', url: 'https://example.com/j', position: null }],
  imageAliases: [{ externalId: 'a', imageExternalId: 'i' }], variants: [fullVariant, bareVariant], categories: ['c'], tags: ['t'], fitmentTargetIds: ['t'],
  sizeChartId: 'c', metafields: [{ key: 'k', value: 'v' }], createdBy: 'j:0:1', writtenBy: 'j:0:2', upsertedDuring: 'k', archivedByJobId: 'j', patchHash: 'h', size: 7
}

/** As the collection encodes and the driver decodes it. */
const stored = (product: Product): ProductDocument =>
  BSON.deserialize(BSON.serialize(toDocument(product, product), { ignoreUndefined: true })) as ProductDocument

for (const [name, product] of Object.entries({ bare, full })) {
  t.test(`a ${name} product comes back as it was`, async (t) => {
    t.strictSame(fromDocument(stored(product)), product)
  })
}

t.test('what it is found by is made from its content', async (t) => {
  t.match(stored({ ...bare, name: 'Brake Pad' }), { targeted: false, searchKeys: [{ key: 'w:brake' }, { key: 'w:pad' }, { key: 'w:b' }] })
  t.match(stored({ ...bare, variants: [fullVariant] }), { targeted: true, searchKeys: [{ key: 'w:n' }, { key: 'w:b' }, { key: 't:t' }] })
  t.strictSame(stored({ ...bare, name: '?', brandName: '!' }).searchKeys, [{ key: 'v:draft' }])
  t.equal(stored({ ...bare, name: '?', brandName: '!', publishedAt: new Date(0) }).searchKeys, undefined)
})

t.test('a product of which no variant can be bought says so', async (t) => {
  const of = (...variants: Array<Partial<typeof fullVariant>>) => stored({ ...bare, variants: variants.map((each) => ({ ...fullVariant, inventoryPolicy: null, ...each })) }).soldOut
  t.strictSame([of(), of({ inventory: 0 }), of({ inventory: -1 }, { inventory: 0 })], [undefined, true, true])
  t.strictSame([of({ inventory: 0 }, { inventory: 1 }), of({ inventory: null }), of({ inventory: 0, inventoryPolicy: 'CONTINUE' })], [undefined, undefined, undefined])
})

t.test('what a product lacks takes no room', async (t) => {
  t.strictSame(Object.keys(stored({ ...bare, variants: [bareVariant] })).sort(),
    ['_id', 'archived', 'brandName', 'createdAt', 'externalId', 'externalUrl', 'name', 'revision', 'searchKeys', 'size', 'targeted', 'updatedAt', 'variants', 'vendorId', 'writeId'])
  t.strictSame(stored({ ...bare, variants: [bareVariant] }).variants, [{ id: 'v', externalId: 'V' }])
})
