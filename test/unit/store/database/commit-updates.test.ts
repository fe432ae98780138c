/** Updates in one commit where the server needs that, and the plain bulk wherever a transaction fails: with the same in the database afterwards. */
import type { AnyBulkWriteOperation, ClientSession, Collection } from 'mongodb'
import t, { type Test } from 'tap'
import { commitUpdates } from '../../../../src/store/database/commit-updates.js'
import type { ProductDocument } from '../../../../src/store/catalog/product-document.js'
import { openDatabase, type Collections } from '../../../../src/store/database/connection.js'
import { serverOf, setServerOf, type DatabaseServer } from '../../../../src/store/database/server-of.js'
import { mongodb, profileOf, secantusdb, secantusdRs, type ServerProfile } from '../../../../src/store/database/server-profile.js'
import { bareProduct } from '../../../support/bare-product.js'
import { testDatabase } from '../../../support/database.js'

const product = (_id: string): ProductDocument => bareProduct(_id, { searchKeys: [{ key: 'w:old' }] })
const toNew = (_id: string, revision = 1): AnyBulkWriteOperation<ProductDocument> =>
  ({ updateOne: { filter: { _id, revision }, update: { $set: { revision: revision + 1, searchKeys: [{ key: 'w:new' }] } } } })

interface Bulk { inTransaction: boolean, operations: number }

const { url, database } = await testDatabase(t)

/** Products on a server of this profile, with what was sent to them; `fail` may do something in the middle, and throw. */
async function stored (t: Test, ids: string[], { profile = secantusdb, fail = async () => {} }: { profile?: ServerProfile, fail?: (session: ClientSession) => Promise<void> } = {}) {
  await database.collections.products.deleteMany({})
  const { collections: { products }, close } = openDatabase(url, { appName: 'catalog-test', serverProfile: profile })
  t.teardown(close)
  await products.insertMany(ids.map(product))
  const server = serverOf(products)
  setServerOf(products, {
    profile: async () => await server.profile(),
    openTransaction: async () => await server.openTransaction(),
    pastTransactions: async (write) => await server.pastTransactions(write),
    inTransaction: async (work) => await server.inTransaction(async (session) => {
      const result = await work(session)
      await fail(session)
      return result
    })
  } satisfies DatabaseServer)
  const bulks: Bulk[] = []
  const bulkWrite = products.bulkWrite.bind(products)
  products.bulkWrite = async (operations, options) => {
    bulks.push({ inTransaction: options?.session !== undefined, operations: operations.length })
    return await bulkWrite(operations, options)
  }
  return { products, bulks }
}

const revisions = async (products: Collections['products']): Promise<number[]> => (await products.find({}).sort({ _id: 1 }).toArray()).map(({ revision }) => revision)
const found = async (products: Collection<ProductDocument>, key: string): Promise<number> =>
  await products.countDocuments({ 'searchKeys.key': key, vendorId: 'v', archived: false })

t.test('updates are made in one transaction where the server commits each document by itself', async (t) => {
  const { products, bulks } = await stored(t, ['a', 'b'])
  t.match(await commitUpdates(products, ['a', 'b'].map((id) => toNew(id))), { matchedCount: 2, modifiedCount: 2 })
  t.strictSame(bulks, [{ inTransaction: true, operations: 2 }])
  t.strictSame([await revisions(products), await found(products, 'w:new'), await found(products, 'w:old')], [[2, 2], 2, 0])
})

t.test('and in a plain bulk where it does not, or there is one only', async (t) => {
  const plain = await stored(t, ['a', 'b'], { profile: mongodb })
  t.match(await commitUpdates(plain.products, ['a', 'b'].map((id) => toNew(id))), { matchedCount: 2 })
  t.strictSame(plain.bulks, [{ inTransaction: false, operations: 2 }])
  const one = await stored(t, ['a'])
  t.match(await commitUpdates(one.products, [toNew('a')]), { matchedCount: 1 })
  t.strictSame(one.bulks, [{ inTransaction: false, operations: 1 }])
})

t.test('nothing is sent for no updates', async (t) => {
  const { products, bulks } = await stored(t, ['a'])
  t.match(await commitUpdates(products, []), { matchedCount: 0, modifiedCount: 0 })
  t.strictSame(bulks, [])
})

t.test('what another was faster with is not counted, and the rest is done', async (t) => {
  const { products } = await stored(t, ['a', 'b', 'c'])
  t.match(await commitUpdates(products, [toNew('a'), toNew('b', 7), toNew('c')]), { matchedCount: 2 })
  t.strictSame(await revisions(products), [2, 1, 2])
})

t.test('a transaction that fails leaves nothing, neither in documents nor in indexes, and the plain bulk does it', async (t) => {
  let between: unknown
  const { products, bulks } = await stored(t, ['a', 'b'], { fail: async () => { throw new Error('Refused') } })
  const bulkWrite = products.bulkWrite.bind(products)
  products.bulkWrite = async (operations, options) => {
    if (options?.session === undefined) between = [await revisions(products), await found(products, 'w:new'), await found(products, 'w:old')]
    return await bulkWrite(operations, options)
  }
  t.match(await commitUpdates(products, ['a', 'b'].map((id) => toNew(id))), { matchedCount: 2 })
  t.strictSame(between, [[1, 1], 0, 2])
  t.strictSame(bulks.map(({ inTransaction }) => inTransaction), [true, false])
  t.strictSame([await revisions(products), await found(products, 'w:new'), await found(products, 'w:old')], [[2, 2], 2, 0])
})

t.test('when the answer to a commit is lost, nothing is done twice, and less is counted than was done', async (t) => {
  const { products } = await stored(t, ['a', 'b'], {
    fail: async (session) => {
      await session.commitTransaction()
      throw new Error('Lost')
    }
  })
  t.match(await commitUpdates(products, ['a', 'b'].map((id) => toNew(id))), { matchedCount: 0 })
  t.strictSame(await revisions(products), [2, 2])
})

t.test('others see all of it or nothing', async (t) => {
  let seen: unknown
  const { products } = await stored(t, ['a', 'b'], { fail: async () => { seen = [await revisions(products), await found(products, 'w:new')] } })
  await commitUpdates(products, ['a', 'b'].map((id) => toNew(id)))
  t.strictSame([seen, await revisions(products)], [[[1, 1], 0], [2, 2]])
})

t.test('a transaction that meets another\'s ends in the plain bulk, which waits for that', async (t) => {
  const { products } = await stored(t, ['a', 'b'])
  const other = openDatabase(url, { appName: 'catalog-test', serverProfile: secantusdb })
  t.teardown(other.close)
  let meeting: Promise<unknown> | undefined
  await serverOf(other.collections.products).inTransaction(async (session) => {
    await other.collections.products.bulkWrite([toNew('a')], { session })
    const counted = commitUpdates(products, ['b', 'a'].map((id) => toNew(id)))
    meeting = counted
    // Until it has met this one, it has a plain bulk under way.
    while (await products.countDocuments({ _id: 'b', revision: 2 }) === 0) await new Promise(setImmediate)
  })
  t.match(await meeting, { matchedCount: 1 })
  t.strictSame(await revisions(products), [2, 2])
})

/** A transaction of a process that is held up, for as long as it likes, between its bulk and its commit. */
async function heldUp (t: Test, updates: Array<AnyBulkWriteOperation<ProductDocument>>) {
  const { collections: { products }, close } = openDatabase(url, { appName: 'catalog-test', serverProfile: secantusdb })
  let goOn = (): void => {}
  let counts: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    counts = serverOf(products).inTransaction(async (session) => {
      await products.bulkWrite(updates, { session })
      resolve()
      await new Promise<void>((resolve) => { goOn = resolve })
    })
    counts.catch(() => {})
  })
  t.teardown(async () => {
    goOn()
    await close()
  })
  return { goOn: () => { goOn() }, counts }
}

for (const [name, ids] of [['a bulk', ['a', 'b']], ['a single update', ['a']]] as const) {
  // The server itself would end it after a minute, which is longer than a test may take.
  t.test(`${name} that a dead process's transaction is in the way of ends that, and is done`, async (t) => {
    const { products } = await stored(t, ['a', 'b'])
    const dead = await heldUp(t, [toNew('a')])
    t.match(await commitUpdates(products, ids.map((id) => toNew(id))), { matchedCount: ids.length })
    t.strictSame(await revisions(products), ids.length === 2 ? [2, 2] : [2, 1])
    dead.goOn()
    await t.rejects(dead.counts, 'one that was not dead after all is told')
  })
}

t.test('many at once on the same products: each revision is given once', async (t) => {
  const ids = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, '0'))
  const { products } = await stored(t, ids)
  const counts = await Promise.all(Array.from({ length: 4 }, async () => (await commitUpdates(products, ids.map((id) => toNew(id)))).matchedCount))
  t.equal(counts.reduce((sum, count) => sum + count, 0), ids.length)
  t.strictSame(await revisions(products), ids.map(() => 2))
})

t.test('the fence is asked before each try, and ends it', async (t) => {
  const { products, bulks } = await stored(t, ['a', 'b'], { fail: async () => { throw new Error('Refused') } })
  let asked = 0
  await t.rejects(commitUpdates(products, ['a', 'b'].map((id) => toNew(id)), { fence: async () => { if (++asked === 2) throw new Error('not yours any more') } }), { message: 'not yours any more' })
  t.equal(bulks.length, 1)
  t.strictSame(await revisions(products), [1, 1])
})

t.test('however many transactions fail, their sessions are used again, and so is what is written down of them', async (t) => {
  let fails = true
  const { products, bulks } = await stored(t, ['a', 'b'], { fail: async () => { if (fails) throw new Error('Refused') } })
  const written = async (): Promise<number> => (await database.collections.transactionSessions.find({}).toArray()).reduce((sum, { sessions }) => sum + sessions.length, 0)
  await commitUpdates(products, ['a', 'b'].map((id) => toNew(id)))
  const before = await written()
  for (let revision = 2; revision < 6; revision++) await commitUpdates(products, ['a', 'b'].map((id) => toNew(id, revision)))
  fails = false
  t.match(await commitUpdates(products, ['a', 'b'].map((id) => toNew(id, 6))), { matchedCount: 2 })
  t.strictSame(bulks.at(-1), { inTransaction: true, operations: 2 })
  t.equal(await written(), before)
})

t.test('a bulk that fails by itself rejects', async (t) => {
  const { products } = await stored(t, ['a', 'b'])
  const wrong: AnyBulkWriteOperation<ProductDocument> = { updateOne: { filter: { _id: 'b' }, update: { $set: { _id: 'other' } } } }
  await t.rejects(commitUpdates(products, [toNew('a'), wrong]), { name: 'MongoBulkWriteError' })
})

t.test('a server says by itself what it is', async (t) => {
  t.equal(profileOf({ version: '8.2.11' }), mongodb)
  t.equal(profileOf({ version: '8.2.11', secantusVersion: '0.7.0b3' }), secantusdb)
  t.equal(profileOf({ version: '8.2.11', secantusVersion: '0.5.3', buildEnvironment: { cc: 'rustc' } }), secantusdRs)
  t.equal(profileOf({ version: '8.2.11', buildEnvironment: { cc: '/opt/mongodbtoolchain/v4/bin/gcc' } }), mongodb)
  const { collections, close } = openDatabase(url, { appName: 'catalog-test' })
  t.teardown(close)
  t.equal(await serverOf(collections.products).profile(), profileOf(await database.db.admin().buildInfo()))
})

t.test('a server that is away when it is asked what it is, is asked again', async (t) => {
  const { collections, close } = openDatabase('mongodb://127.0.0.1:1/nothing', { appName: 'catalog-test', selectionTimeMs: 50 })
  t.teardown(close)
  await t.rejects(serverOf(collections.products).profile(), { name: 'MongoServerSelectionError' })
  await t.rejects(serverOf(collections.products).profile(), { name: 'MongoServerSelectionError' })
})
