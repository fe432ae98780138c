/** How long an operation may take; test/support/slow-server counts time without spending it. */
import t, { type Test } from 'tap'
import { openDatabase, type Database } from '../../../../src/store/database/connection.js'
import { documentsOf } from '../../../../src/store/database/cursor-bytes.js'
import { isDatabaseAway, isTooSlow } from '../../../../src/store/database/database-errors.js'
import { createSizeChartPdfs } from '../../../../src/store/size-charts/size-chart-pdfs.js'
import { testDatabase } from '../../../support/database.js'
import { startSlowServer, type SlowServer, type SlowServerOptions } from '../../../support/slow-server.js'

async function slowDatabase (t: Test, options: SlowServerOptions, socketTimeMs = 10_000): Promise<{ server: SlowServer, database: Database, vendors: Database['collections']['vendors'] }> {
  const server = await startSlowServer(t, options)
  const database = openDatabase(server.url, { appName: 'catalog-test', socketTimeMs })
  t.teardown(async () => { await database.close() })
  return { server, database, vendors: database.collections.vendors }
}

const vendor = { _id: 'a', name: 'A', partition: 0, createdAt: new Date() }
const change = { $set: { name: 'B' } }

const operations: Record<string, (vendors: Database['collections']['vendors']) => Promise<unknown>> = {
  findOne: async (vendors) => await vendors.findOne({ _id: 'a' }),
  'find, all at once': async (vendors) => await vendors.find({ name: 'A' }).project({ _id: 1 }).limit(10).toArray(),
  'aggregate, all at once': async (vendors) => await vendors.aggregate([{ $match: { name: 'A' } }]).toArray(),
  'find, as bytes': async (vendors) => await documentsOf(vendors.find({ name: 'A' })),
  'aggregate, as bytes': async (vendors) => await documentsOf(vendors.aggregate([{ $match: { name: 'A' } }])),
  countDocuments: async (vendors) => await vendors.countDocuments({ name: 'A' }),
  'countDocuments of all': async (vendors) => await vendors.countDocuments(),
  distinct: async (vendors) => await vendors.distinct('name', {}),
  insertOne: async (vendors) => await vendors.insertOne(vendor),
  insertMany: async (vendors) => await vendors.insertMany([vendor], { ordered: false }),
  bulkWrite: async (vendors) => await vendors.bulkWrite([{ insertOne: { document: vendor } }, { updateOne: { filter: { _id: 'b' }, update: change } }], { ordered: false }),
  updateOne: async (vendors) => await vendors.updateOne({ _id: 'a' }, change),
  updateMany: async (vendors) => await vendors.updateMany({ name: 'A' }, change),
  replaceOne: async (vendors) => await vendors.replaceOne({ _id: 'a' }, vendor, { upsert: true }),
  deleteOne: async (vendors) => await vendors.deleteOne({ _id: 'a' }),
  deleteMany: async (vendors) => await vendors.deleteMany({ name: 'A' })
}

for (const [name, operation] of Object.entries(operations)) {
  t.test(`${name}: what takes longer than an operation may is too slow, and is asked once`, async (t) => {
    const { server, vendors } = await slowDatabase(t, { countedMs: 100_000 })
    const error = await operation(vendors).then(() => null, (error: unknown) => error)
    t.ok(isTooSlow(error), 'too slow', { error })
    t.notOk(isDatabaseAway(error), 'not away')
    t.equal(server.commands.length, 1)
  })

  t.test(`${name}: what takes shorter is done`, async (t) => {
    const { vendors } = await slowDatabase(t, { countedMs: 25_000 })
    await operation(vendors)
  })
}

t.test('a method of the driver without a time of its own is refused', async (t) => {
  const { server, vendors } = await slowDatabase(t, { countedMs: 0 })
  for (const name of ['findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace', 'estimatedDocumentCount', 'watch'] as const) {
    t.throws(() => { (vendors[name] as () => unknown)() }, { message: new RegExp(`^${name} `) })
  }
  t.strictSame(server.commands, [])
})

t.test('a cursor that is walked has that time for each page', async (t) => {
  const { server, vendors } = await slowDatabase(t, { countedMs: 25_000, batches: 10 })
  const found = vendors.find({})
  let pages = 0
  for (; await found.hasNext(); found.readBufferedDocuments()) pages += 1
  t.equal(pages, 10)
  t.strictSame(server.commands, ['find', ...Array(9).fill('getMore')])
})

t.test('what a server does not end in time is ended by the socket: too slow, not away', async (t) => {
  const { vendors } = await slowDatabase(t, { countedMs: 0, waitMs: (name) => name === 'find' ? 60_000 : 0 }, 100)
  const error = await vendors.find({}).next().then(() => null, (error: unknown) => error)
  t.ok(isTooSlow(error))
  t.notOk(isDatabaseAway(error))
})

t.test('a write of which a server does not read all is ended by the socket too', async (t) => {
  const { vendors } = await slowDatabase(t, { countedMs: 0, maxReadBytes: 100_000 }, 100)
  const large = Array.from({ length: 4 }, (_, n) => ({ insertOne: { document: { ...vendor, _id: String(n), name: 'a'.repeat(8_000_000) } } }))
  const error = await vendors.bulkWrite(large, { ordered: false }).then(() => null, (error: unknown) => error)
  t.ok(isTooSlow(error), 'too slow', { error })
})

t.test('a write whose majority is not there in time has lost its replicas: away, not too slow', async (t) => {
  const writeConcernError = { code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'operation exceeded time limit' }
  const { vendors } = await slowDatabase(t, { countedMs: 0, answer: { ok: 1, n: 1, writeConcernError } })
  for (const write of [
    async () => await vendors.updateOne({ _id: 'a' }, change),
    async () => await vendors.bulkWrite([{ insertOne: { document: vendor } }], { ordered: false })
  ]) {
    const error = await write().then(() => null, (error: unknown) => error)
    t.ok(isDatabaseAway(error), 'away', { error })
    t.notOk(isTooSlow(error))
  }
})

t.test('an index is built however long it takes', async (t) => {
  const { vendors } = await slowDatabase(t, { countedMs: 1_000_000, waitMs: (name) => name === 'createIndexes' ? 400 : 0 }, 100)
  t.strictSame(await vendors.createIndexes([{ name: 'by-name', key: { name: 1 } }]), ['by-name'])
})

t.test('whether the database is there is told in the time that is given, though nothing answers', async (t) => {
  const { database } = await slowDatabase(t, { countedMs: 0, waitMs: (name) => name === 'find' ? 60_000 : 0 })
  const started = performance.now()
  await t.rejects(database.ping(100))
  t.ok(performance.now() - started < 10_000)
})

t.test('an original that is read slowly is read whole', async (t) => {
  const { url } = await testDatabase(t)
  const database = openDatabase(url, { appName: 'catalog-test', socketTimeMs: 300 })
  t.teardown(async () => { await database.close() })
  const pdfs = createSizeChartPdfs(database, { pdfBytes: 10_000_000 })
  const kept = await pdfs.write('v', [Buffer.alloc(1_000_000)], null)
  let bytes = 0
  for await (const piece of pdfs.stream(kept) as AsyncIterable<Buffer>) {
    bytes += piece.length
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  t.equal(bytes, 1_000_000)
})
