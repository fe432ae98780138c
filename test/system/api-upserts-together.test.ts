/** Many small upsertProducts at once, through the API: each is answered by itself, whatever it shares a batch with. */
import t from 'tap'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import type { UpsertProducts } from '../../src/domain/upsert-products.js'
import { groupUpserts } from '../../src/store/catalog/grouped-upserts.js'
import { product, type Fields } from '../support/product-lines.js'
import { testApi } from '../unit/api/test-api.js'

const batches: Array<{ vendorId: string, count: number }> = []
let apply: UpsertProducts | null = null
const api = await testApi(t, {
  dependencies: {
    upsertProducts: groupUpserts(async (vendorId, records) => {
      batches.push({ vendorId, count: records.length })
      apply ??= createUpsertProducts(api.database.collections)
      return await apply(vendorId, records)
    })
  }
})
const [key, other] = [await api.keyOf('shop'), await api.keyOf('other')]
const mutation = 'mutation ($products: [UpsertProductInput!]!, $vendorId: ID!) { upsertProducts(vendorId: $vendorId, products: $products) { externalId name } }'
const upsert = async (vendorId: string, products: Fields[]) => await api.graphql(vendorId === 'shop' ? key : other, mutation, { vendorId, products })

t.test('each has its own products, errors by its own indexes, and what was right is stored', async (t) => {
  const bad = { externalId: 'bad', name: 'B' }
  const answers = await Promise.all(Array.from({ length: 60 }, async (_, n) => {
    const vendorId = n % 3 === 0 ? 'other' : 'shop'
    return await upsert(vendorId, n % 7 === 0 ? [product(`P${n}`), bad] : [product(`P${n}`)])
  }))
  for (const [n, { data, errors }] of answers.entries()) {
    const told = { externalId: `P${n}`, name: `Product P${n}` }
    t.strictSame(data.upsertProducts, n % 7 === 0 ? [told, null] : [told])
    if (n % 7 === 0) t.match(errors, [{ path: ['upsertProducts', 1], message: /Missing required field: brandName/, extensions: { code: 'BAD_USER_INPUT' } }])
    else t.equal(errors, undefined)
  }
  t.strictSame([await api.repositories.products.count('shop', null), await api.repositories.products.count('other', null)], [40, 20])
  t.ok(batches.length < 40, `${batches.length} batches`)
})

t.test('a vendor may not write another\'s product, and nobody who shares a batch is the worse for it', async (t) => {
  const [refused, done] = await Promise.all([api.graphql(other, mutation, { vendorId: 'shop', products: [product('X')] }), upsert('shop', [product('Y')])])
  t.match([refused.errors, done.data], [[{ extensions: { code: 'FORBIDDEN' } }], { upsertProducts: [{ externalId: 'Y' }] }])
})
