import { createRequire } from 'node:module'
import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb'
import t, { type Test } from 'tap'
import { openDatabase } from '../../../../src/store/database/connection.js'
import { hasNotAnswered, ignoreDuplicates, isDatabaseAway, isDuplicateKey, isTooSlow, refusalOf, connectionFaultOf } from '../../../../src/store/database/database-errors.js'
import { testDatabase } from '../../../support/database.js'
import { proxiedDatabase } from '../../../support/proxied-database.js'

const { url, repositories, database: { collections } } = await testDatabase(t)

async function thrownBy (operation: () => Promise<unknown>): Promise<unknown> {
  try {
    await operation()
  } catch (error) {
    return error
  }
  throw new Error('It did not fail')
}

/** Whose connections are broken, and stay so; as soon as something is asked of it. */
async function lostDatabase (t: Test): Promise<typeof collections> {
  const { proxy, url: proxied } = await proxiedDatabase(t, url)
  const lost = openDatabase(proxied, { appName: 'catalog-test', selectionTimeMs: 300 })
  t.teardown(async () => { await lost.close() })
  await lost.ping()
  proxy.cut()
  return lost.collections
}

const lock = (_id: string) => ({ _id, name: _id, partition: 0, createdAt: new Date() })

t.test('a database that is lost over a bulk is away, and nothing of that bulk counts as a duplicate', async (t) => {
  const { vendors } = await lostDatabase(t)
  for (const operation of [
    async () => await vendors.insertMany([lock('a'), lock('b')], { ordered: false }),
    async () => await vendors.bulkWrite([{ insertOne: { document: lock('a') } }, { deleteOne: { filter: { _id: 'c' } } }], { ordered: false })
  ]) {
    const error = await thrownBy(operation)
    t.ok(isDatabaseAway(error))
    t.throws(() => { ignoreDuplicates(error) })
    t.notOk(isDuplicateKey(error))
  }
})

t.test('every code of the server that the driver itself would try again, or go on after, means that the database is away', async (t) => {
  const driver = createRequire(import.meta.url)('mongodb/lib/error.js') as Record<'isRetryableReadError' | 'isResumableError', (error: Error) => boolean>
  const codes = Array.from({ length: 20_000 }, (_, code) => code).filter((code) => {
    const error = new MongoServerError({ message: 'x', code })
    return driver.isRetryableReadError(error) || driver.isResumableError(error)
  })
  t.ok(codes.length > 10, 'the driver was asked')
  t.strictSame(codes.filter((code) => !isDatabaseAway(new MongoServerError({ message: 'x', code }))), [])
})

for (const [what, code] of Object.entries({ 'a cursor that is lost': 43, 'a cursor that was killed': 237, 'a shard without a primary': 133, 'a write in the way of another': 112 })) {
  t.test(`${what} is waited for`, async (t) => { t.ok(isDatabaseAway(new MongoServerError({ message: what, code }))) })
}

t.test('what is too slow is not away, and has not been answered either', async (t) => {
  for (const error of [
    new MongoNetworkTimeoutError('connection 1 timed out'), new MongoServerError({ message: 'exceeded time limit', code: 50 })
  ]) t.strictSame([isTooSlow(error), isDatabaseAway(error), hasNotAnswered(error)], [true, false, true])
  const notConnected = new MongoNetworkTimeoutError('connect timed out', { beforeHandshake: true })
  t.strictSame([isTooSlow(notConnected), isDatabaseAway(notConnected)], [false, true])
})

for (const variable of ['MONGODB_URL', 'MONGODB_URL_FILE'] as const) {
  t.test(`what is wrong with the login or TLS is told with ${variable}, where that was given`, async (t) => {
    const lines = [
      refusalOf(new MongoServerError({ message: 'Authentication failed', code: 18 }), variable),
      refusalOf(new MongoServerError({ message: 'not authorized on catalog to execute find', code: 13 }), variable),
      connectionFaultOf(new MongoNetworkError('unable to verify the first certificate'), variable)
    ]
    for (const line of lines) t.match(line, new RegExp(`\\b${variable}\\b`))
    t.throws(() => openDatabase('mongodb://h/?maxIdleTimeMS=soon', { appName: 'catalog-test', urlVariable: variable }), { name: 'ConfigError', message: new RegExp(`^${variable} cannot be used: `) })
  })
}

t.test('a bulk of which some are duplicates has done the others', async (t) => {
  await repositories.vendors.create('there', 'There')
  const error = await thrownBy(async () => await collections.vendors.insertMany([lock('there'), lock('new')], { ordered: false }))
  ignoreDuplicates(error)
  t.notOk(isDatabaseAway(error))
  t.ok(await repositories.vendors.find('new'))
})

t.test('what the driver refuses to send is no duplicate, and waiting does not help', async (t) => {
  const error = await thrownBy(async () => await collections.vendors.insertMany([{ ...lock('large'), name: 'x'.repeat(17_000_000) }], { ordered: false }))
  t.notOk(isDatabaseAway(error))
  t.throws(() => { ignoreDuplicates(error) })
})
