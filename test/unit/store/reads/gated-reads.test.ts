/** Whatever reads for a vendor passes the gate, one command at a time, and reads what it would have read. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { Collection } from 'mongodb'
import { gateReads, shapeOf } from '../../../../src/store/reads/gated-reads.js'
import { asReader, pulledFor } from '../../../../src/store/reads/reader.js'
import { testDatabase } from '../../../support/database.js'

interface Thing { _id: string, n: number }

const { database } = await testDatabase(t)
const things = database.db.collection<Thing>('things')
await things.insertMany(Array.from({ length: 25 }, (_, n) => ({ _id: String(n).padStart(2, '0'), n })))

/** The same collection behind a gate that writes down who passes it. */
function watched (): { collection: Collection<Thing>, passed: string[] } {
  const passed: string[] = []
  const gate = {
    async run <T> (owner: string, shape: string, command: () => Promise<T>): Promise<T> {
      passed.push(`${owner}: ${shape}`)
      return await command()
    },
    state: () => ({ owners: 0, underWay: 0, waiting: 0, refused: 0 })
  }
  return { collection: gateReads(database.db.collection<Thing>('things'), gate), passed }
}

const ways: Record<string, (collection: Collection<Thing>) => Promise<unknown>> = {
  findOne: async (collection) => (await collection.findOne({ _id: '03' }))?.n,
  toArray: async (collection) => (await collection.find({ n: { $lt: 3 } }).sort({ n: 1 }).toArray()).map(({ n }) => n),
  next: async (collection) => (await collection.find({ n: 4 }).next())?.n,
  hasNext: async (collection) => await collection.find({ n: 400 }).hasNext(),
  countDocuments: async (collection) => await collection.countDocuments({ n: { $gte: 20 } }),
  aggregate: async (collection) => await collection.aggregate([{ $match: { n: { $lt: 4 } } }, { $group: { _id: null, sum: { $sum: '$n' } } }]).toArray()
}

for (const [way, read] of Object.entries(ways)) {
  t.test(`${way} passes once, and finds the same`, async (t) => {
    const { collection, passed } = watched()
    t.strictSame(await asReader({ owner: 'acme' }, async () => await read(collection)), await read(things))
    t.equal(passed.length, 1)
    t.match(passed[0], /^acme: things /)
  })
}

t.test('each batch of a long answer passes by itself, and none before it is asked for', async (t) => {
  const { collection, passed } = watched()
  const found: number[] = []
  await asReader({ owner: 'acme' }, async () => {
    for await (const { n } of collection.find({}, { batchSize: 10 })) {
      found.push(n)
      if (found.length === 10) t.equal(passed.length, 1)
    }
  })
  t.strictSame(found.sort((a, b) => a - b), Array.from({ length: 25 }, (_, n) => n))
  t.strictSame(passed, ['acme: things find {} first', 'acme: things find {} next', 'acme: things find {} next'])
})

t.test('of large answers that come together each is decoded in a round of the event loop of its own', async (t) => {
  const { collection } = watched()
  await things.insertOne({ _id: 'large', n: 1_000, ...{ text: 'x'.repeat(40_000) } })
  t.teardown(async () => { await things.deleteOne({ _id: 'large' }) })
  let round = 0
  let counting = globalThis.setImmediate(function count () {
    round++
    counting = globalThis.setImmediate(count)
  })
  t.teardown(() => { clearImmediate(counting) })
  const read = async (): Promise<number[]> => await Promise.all([1, 2, 3, 4, 5, 6].map(async () => {
    await asReader({ owner: 'acme' }, async () => await collection.findOne({ _id: 'large' }))
    return round
  }))
  // Each has a connection then.
  await read()
  const reading = read()
  for (let times = 0; times < 5; times++) await setImmediate()
  // Meanwhile all of them are answered.
  for (const until = performance.now() + 300; performance.now() < until;);
  const rounds = await reading
  t.equal(new Set(rounds).size, 6, JSON.stringify(rounds))
})

t.test('reads of nobody in particular pass by', async (t) => {
  const { collection, passed } = watched()
  await collection.findOne({ _id: '01' })
  await asReader({ owner: null }, async () => await collection.findOne({ _id: '01' }))
  t.strictSame(passed, [])
})

t.test('who reads is known to callbacks, and may become known late', async (t) => {
  const { collection, passed } = watched()
  const reader: { owner: string | null } = { owner: null }
  const read = asReader(reader, async () => {
    await setImmediate()
    await collection.findOne({ _id: '01' })
  })
  reader.owner = 'late'
  await read
  t.strictSame(passed, ['late: things find {_id} first'])
})

t.test('what is read bit by bit is read for whom it was begun, whoever asks for the next', async (t) => {
  const { collection, passed } = watched()
  const values = pulledFor({ owner: 'acme' }, collection.find({ n: { $lt: 3 } }).batchSize(1))
  const read = asReader({ owner: 'other' }, async () => {
    let sum = 0
    for await (const { n } of values) sum += n
    return sum
  })
  t.equal(await read, 3)
  t.ok(passed.length > 1 && passed.every((each) => each.startsWith('acme: ')), passed.join())
})

t.test('and put away when nobody asks any more', async (t) => {
  let isOver = false
  async function * endless (): AsyncGenerator<number> {
    try {
      for (let n = 0; ; n++) yield n
    } finally {
      isOver = true
    }
  }
  for await (const n of pulledFor({ owner: 'acme' }, endless())) if (n === 2) break
  t.ok(isOver)
})

t.test('each collection of the database is behind a gate', async (t) => {
  for (const collection of Object.values(database.collections) as Collection[]) {
    t.ok(Object.hasOwn(collection, 'find') && Object.hasOwn(collection, 'aggregate'), collection.collectionName)
  }
})

t.test('a shape has the keys of a filter, and none of its values', async (t) => {
  t.equal(shapeOf({ vendorId: 'acme', _id: { $in: ['a', 'b'] }, at: new Date() }), '{vendorId,_id{$in[]},at}')
  t.equal(shapeOf({ $or: [{ a: 1 }, { b: { $gt: 2 } }] }), '{$or[{a},{b{$gt}}]}')
  t.equal(shapeOf([{ $match: { a: 1 } }, { $limit: 3 }]), '[{$match{a}},{$limit}]')
})
