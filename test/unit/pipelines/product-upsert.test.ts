import t from 'tap'
import { wordFault } from '../../../src/domain/issue.js'
import type { UpsertedProduct } from '../../../src/domain/upsert-products.js'
import { createUpsertProducts } from '../../../pipelines/product-upsert.js'
import { testDatabase } from '../../support/database.js'
import { product, type Fields } from '../../support/product-lines.js'

const { database: { collections } } = await testDatabase(t)
const upsertProducts = createUpsertProducts(collections)

let vendors = 0
const newVendor = (): ((...records: Fields[]) => Promise<UpsertedProduct[]>) => {
  const vendorId = `upsert-${++vendors}`
  return async (...records) => await upsertProducts(vendorId, records)
}

/** A product's external id and name, or what was wrong. */
const told = (results: UpsertedProduct[]): unknown[] =>
  results.map((result) => 'product' in result ? [result.product.externalId, result.product.name] : result.faults.map(wordFault))

t.test('the result has one element per input, in order; the valid ones are applied', async (t) => {
  const upsert = newVendor()
  t.strictSame(told(await upsert(product('a'), { externalId: 'b' }, product('c', { externalUrl: 'x' }), product('d'), {})), [
    ['a', 'Product a'],
    ['Missing required field: name', 'Missing required field: brandName', 'Missing required field: externalUrl'],
    ['Invalid URL format for externalUrl'],
    ['d', 'Product d'],
    ['Missing required field: externalId']
  ])
  t.strictSame(told(await upsert({ externalId: 'a' }, { externalId: 'd', name: 'New' })), [['a', 'Product a'], ['d', 'New']])
})

t.test('nothing is nothing', async (t) => { t.strictSame(await newVendor()(), []) })

t.test('the same externalId twice applies in order, with a bad one in between', async (t) => {
  const upsert = newVendor()
  const results = await upsert(product('a', { tags: ['x'] }), { externalId: 'a', name: 5 }, { externalId: 'a', name: 'Second', categories: ['y'] })
  t.strictSame(told(results), [['a', 'Second'], ['name must be a string'], ['a', 'Second']])
  t.match(results[2], { product: { tags: ['x'], categories: ['y'], revision: 1 } })
})

t.test('it is always UPDATE: variants not sent stay, archived changes only when sent', async (t) => {
  const upsert = newVendor()
  await upsert(product('a', { archived: true, variants: [{ sku: 'v', name: 'V' }, { sku: 'w', name: 'W' }] }))
  t.match(await upsert({ externalId: 'a', variants: [{ sku: 'w', inventory: 3 }] }), [{ product: { archived: true, variants: [{ externalId: 'v' }, { externalId: 'w', inventory: 3 }] } }])
})

t.test('a product made here belongs to no job', async (t) => {
  t.match(await newVendor()(product('a')), [{ product: { createdBy: null } }])
})

t.test('more records than a batch holds: each has its answer in its place, also the same product in two batches', async (t) => {
  const upsert = newVendor()
  const records = [...Array.from({ length: 700 }, (_, index) => index % 100 === 7 ? { externalId: `P${index}` } : product(`P${index}`)), { externalId: 'P0', name: 'Last' }]
  const answers = told(await upsert(...records))
  t.equal(answers.length, 701)
  t.strictSame(answers[0], ['P0', 'Last'])
  t.strictSame(answers[699], ['P699', 'Product P699'])
  t.ok([7, 107, 607].every((index) => (answers[index] as string[])[0] === 'Missing required field: name'))
})

t.test('hostile values are faults of their record, not of the request', async (t) => {
  const answers = told(await newVendor()({ externalId: { $gt: '' } }, product('b', { name: '\uD800' }), product('c', { 'meta:x': '\uDC00' }), JSON.parse('{"__proto__":{"externalId":"d"}}') as Fields, product('e')))
  t.strictSame(answers.map((answer) => (answer as string[])[0]), [
    'externalId must be a string', 'name contains a lone surrogate, which is not valid Unicode', 'meta:x contains a lone surrogate, which is not valid Unicode', 'Missing required field: externalId', 'e'
  ])
})

t.test('the same product from many callers at once: all of them are there', async (t) => {
  const upsert = newVendor()
  await upsert(product('a'))
  await Promise.all(Array.from({ length: 8 }, async (_, index) => await upsert({ externalId: 'a', [`meta:${index}`]: index })))
  const [result] = await upsert({ externalId: 'a' })
  t.match(result, { product: { metafields: { length: 8 } } })
})
