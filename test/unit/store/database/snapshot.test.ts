/** What is read and then updated in one transaction: others' writes since are never overwritten, and whatever fails is done without it. */
import type { AnyBulkWriteOperation, BulkWriteOptions } from 'mongodb'
import t, { type Test } from 'tap'
import type { ProductDocument } from '../../../../src/store/catalog/product-document.js'
import { commitUpdates } from '../../../../src/store/database/commit-updates.js'
import { openDatabase, type Collections } from '../../../../src/store/database/connection.js'
import { findByIds } from '../../../../src/store/database/find-by-ids.js'
import { serverOf } from '../../../../src/store/database/server-of.js'
import { mongodb, secantusdb, type ServerProfile } from '../../../../src/store/database/server-profile.js'
import { noSnapshot, openSnapshot, type Snapshot } from '../../../../src/store/database/snapshot.js'
import { bareProduct } from '../../../support/bare-product.js'
import { testDatabase } from '../../../support/database.js'

const ids = ['a', 'b', 'c']
const product = (_id: string): ProductDocument => bareProduct(_id, { searchKeys: [] })
const rename = (_id: string, revision: number, name: string): AnyBulkWriteOperation<ProductDocument> => ({ updateOne: { filter: { _id, revision }, update: { $set: { name, revision: revision + 1 } } } })

const { url, database } = await testDatabase(t)

async function stored (t: Test, serverProfile: ServerProfile = secantusdb) {
  await database.collections.products.deleteMany({})
  const { db, collections: { products }, close } = openDatabase(url, { appName: 'catalog-test', serverProfile })
  t.teardown(close)
  await products.insertMany(ids.map(product))
  const sent: Array<{ filters: string[], inTransaction: boolean }> = []
  const bulkWrite = products.bulkWrite.bind(products)
  products.bulkWrite = async (operations: Array<AnyBulkWriteOperation<ProductDocument>>, options?: BulkWriteOptions) => {
    const filters = operations.flatMap((operation) => 'updateOne' in operation ? Object.keys(operation.updateOne.filter).join() : 'replaceOne' in operation ? Object.keys(operation.replaceOne.filter).join() : [])
    sent.push({ filters, inTransaction: options?.session !== undefined })
    return await bulkWrite(operations, options)
  }
  return { db, products, sent }
}

const read = async (products: Collections['products'], snapshot: Snapshot, wanted = ids): Promise<ProductDocument[]> =>
  await snapshot.read(async (strength) => await findByIds(products, wanted, undefined, strength))
/** Somebody else. */
const write = async (_id: string): Promise<unknown> => await database.collections.products.updateOne({ _id }, { $set: { name: 'theirs' }, $inc: { revision: 1 } })
const names = async (): Promise<string[]> => (await database.collections.products.find({}).sort({ _id: 1 }).toArray()).map(({ name }) => name)
const openSessions = async (): Promise<number> => (await database.collections.transactionSessions.find({}).toArray()).reduce((sum, { sessions }) => sum + sessions.length, 0)

t.test('updates of what was read in it go by _id alone, in its transaction', async (t) => {
  const { products, sent } = await stored(t)
  const snapshot = await openSnapshot(products)
  const found = await read(products, snapshot)
  const replacement: AnyBulkWriteOperation<ProductDocument> = { replaceOne: { filter: { _id: 'c', revision: 1 }, replacement: { ...product('c'), name: 'mine', revision: 2 } } }
  t.match(await commitUpdates(products, [...found.slice(0, 2).map(({ _id, revision }) => rename(_id, revision, 'mine')), replacement], { snapshot }), { matchedCount: 3 })
  t.strictSame(sent, [{ filters: ['_id', '_id', '_id'], inTransaction: true }])
  t.strictSame(await names(), ['mine', 'mine', 'mine'])
  t.equal(snapshot.isOpen(), false, 'it is over')
})

for (const [name, theirs, readsAgain] of [['since it was read', 'a', []], ['since something else was read', 'b', ['b']]] as const) {
  t.test(`what another has written ${name} stays, and the rest is done`, async (t) => {
    const { products, sent } = await stored(t)
    const snapshot = await openSnapshot(products)
    const found = await read(products, snapshot, readsAgain.length === 0 ? ids : ['a', 'c'])
    await write(theirs)
    found.push(...await read(products, snapshot, [...readsAgain]))
    t.strictSame(found.map(({ revision }) => revision), [1, 1, 1], 'it sees one state')
    t.match(await commitUpdates(products, found.map(({ _id, revision }) => rename(_id, revision, 'mine')), { snapshot }), { matchedCount: 2 })
    t.strictSame(await names(), ids.map((id) => id === theirs ? 'theirs' : 'mine'))
    t.strictSame(sent.map(({ filters, inTransaction }) => [filters[0], inTransaction]), [['_id', true], ['_id,revision', true]])
  })
}

t.test('what another has deleted and made anew stays', async (t) => {
  const { products } = await stored(t)
  const snapshot = await openSnapshot(products)
  const found = await read(products, snapshot)
  await database.collections.products.deleteOne({ _id: 'b' })
  await database.collections.products.insertOne({ ...product('b'), revision: 7, name: 'theirs' })
  t.match(await commitUpdates(products, found.map(({ _id, revision }) => rename(_id, revision, 'mine')), { snapshot }), { matchedCount: 2 })
  t.strictSame(await names(), ['mine', 'theirs', 'mine'])
})

t.test('a transaction that the server has ended is done without, reads as well as updates', async (t) => {
  const { db, products, sent } = await stored(t)
  const snapshot = await openSnapshot(products)
  await read(products, snapshot)
  const [{ sessions } = { sessions: [] }] = await database.collections.transactionSessions.find({}).sort({ startedAt: -1 }).limit(1).toArray()
  await db.admin().command({ killSessions: sessions.map((id) => ({ id })) })
  t.strictSame((await read(products, snapshot)).map(({ _id }) => _id).sort(), ids)
  t.equal(snapshot.isOpen(), false)
  t.match(await commitUpdates(products, ids.map((id) => rename(id, 1, 'mine')), { snapshot }), { matchedCount: 3 })
  t.strictSame(sent, [{ filters: ids.map(() => '_id,revision'), inTransaction: true }])
})

t.test('the fence ends updates in a snapshot as any', async (t) => {
  const { products, sent } = await stored(t)
  const snapshot = await openSnapshot(products)
  await read(products, snapshot)
  await t.rejects(commitUpdates(products, [rename('a', 1, 'mine')], { snapshot, fence: async () => { throw new Error('not yours any more') } }), { message: 'not yours any more' })
  t.strictSame(sent, [])
  t.strictSame(await names(), ['n', 'n', 'n'])
})

t.test('one that nothing comes of leaves nothing open, and its session is used again', async (t) => {
  const { products } = await stored(t)
  for (let time = 0; time < 4; time++) {
    const before = await openSessions()
    const snapshot = await openSnapshot(products)
    await read(products, snapshot)
    await snapshot.end()
    if (time > 0) t.equal(await openSessions(), before)
    await write('a')
  }
  t.strictSame(await names(), ['theirs', 'n', 'n'])
})

t.test('no more are open at a time than may be: who comes then does without', async (t) => {
  const { products } = await stored(t)
  const open: Snapshot[] = []
  for (let next = await openSnapshot(products); next !== noSnapshot; next = await openSnapshot(products)) open.push(next)
  t.equal(open.length, 16)
  await open.pop()?.end()
  const another = await openSnapshot(products)
  t.not(another, noSnapshot)
  for (const snapshot of [another, ...open]) await snapshot.end()
})

t.test('there is none on a server that commits bulks by itself, or of which nothing is known', async (t) => {
  const { products } = await stored(t, mongodb)
  t.equal(await openSnapshot(products), noSnapshot)
  t.equal(await openSnapshot({ collectionName: 'unknown' }), noSnapshot)
  t.equal(await serverOf({}).openTransaction(), null)
})

t.test('many writers of the same documents lose nothing of each other', async (t) => {
  const { products } = await stored(t)
  let done = 0
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let time = 0; time < 8; time++) {
      const snapshot = await openSnapshot(products)
      const found = await read(products, snapshot)
      const { matchedCount } = await commitUpdates(products, found.map(({ _id, revision }) => rename(_id, revision, 'mine')), { snapshot })
      done += matchedCount
    }
  }))
  const revisions = (await database.collections.products.find({}).toArray()).map(({ revision }) => revision - 1)
  t.equal(revisions.reduce((sum, revision) => sum + revision, 0), done)
})
