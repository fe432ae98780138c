/** Products that are asked for by id while others of the vendor's are being read. */
import { BSON } from 'mongodb'
import t from 'tap'
import { asReader } from '../../../../src/store/reads/reader.js'
import { createProducts } from '../../../../src/store/catalog/products.js'
import { productId } from '../../../../src/domain/product.js'
import { testDatabase } from '../../../support/database.js'
import { testCatalog } from '../test-catalog.js'

const testing = await testDatabase(t)
const { collections } = testing.database
const catalog = testCatalog(testing)
const { vendorId } = catalog
const ids = Array.from({ length: 12 }, (_, n) => `P${n}`)
await catalog.import(ids.map((externalId) => ({ externalId, name: `Name of ${externalId}`, brandName: 'B', externalUrl: 'https://shop.example.com/p' })))

t.test('the first is read by itself, those that come meanwhile together, eight at a time, and each is answered with its own', async (t) => {
  const asked = t.capture(collections.products, 'find', collections.products.find)
  const { findByExternalId } = createProducts(collections)
  const wanted = [...ids, 'missing', 'P0']
  const found = await Promise.all(wanted.map(async (externalId) => (await findByExternalId(vendorId, externalId))?.name))
  t.strictSame(found, wanted.map((externalId) => externalId === 'missing' ? undefined : `Name of ${externalId}`))
  t.strictSame(asked().map(({ args: [filter] }) => (filter as { _id: { $in: string[] } })._id.$in.length), [1, 8, 5])
})

t.test('two of the same are two objects', async (t) => {
  const { findByExternalId } = createProducts(collections)
  const [, one, other] = await Promise.all([findByExternalId(vendorId, 'P1'), findByExternalId(vendorId, 'P2'), findByExternalId(vendorId, 'P2')])
  t.strictSame(one, other)
  t.not(one, other)
})

t.test('each counts for who has asked for it, and one that is too large for its reader is nobody else\'s matter', async (t) => {
  const { findByExternalId } = createProducts(collections)
  const sizes = new Map(await Promise.all(ids.map(async (externalId) => {
    const document = await collections.products.findOne({ _id: productId(vendorId, externalId) })
    return [externalId, BSON.calculateObjectSize(document ?? {})] as const
  })))
  const taken = new Map<string, number>()
  const answers = await Promise.allSettled(ids.map(async (externalId) => await asReader({
    owner: vendorId,
    take (bytes) {
      if (externalId === 'P3') throw new Error('too large')
      taken.set(externalId, bytes)
    }
  }, async () => await findByExternalId(vendorId, externalId))))
  t.strictSame(answers.map(({ status }) => status), ids.map((externalId) => externalId === 'P3' ? 'rejected' : 'fulfilled'))
  sizes.delete('P3')
  t.strictSame(new Map([...taken].sort()), new Map([...sizes].sort()))
})
