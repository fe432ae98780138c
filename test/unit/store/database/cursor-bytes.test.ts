/** Documents as the server has encoded them are those that the driver gives, however many answers they come in. */
import { BSON, type AbstractCursor } from 'mongodb'
import t from 'tap'
import { documentsIn, documentsOf } from '../../../../src/store/database/cursor-bytes.js'
import { testDatabase } from '../../../support/database.js'
import { answerOf } from '../../../support/found-cursor.js'

interface Thing { _id: number, name: string, at: Date, parts: Array<{ n: number | null }> }

const { database } = await testDatabase(t)
const things = database.db.collection<Thing>('things')
const all: Thing[] = Array.from({ length: 25 }, (_, n) => ({ _id: n, name: `Grün ${n}`, at: new Date(n), parts: [{ n }, { n: null }] }))
await things.insertMany(all)

const decoded = async (cursor: AbstractCursor): Promise<unknown[]> => (await documentsOf(cursor)).map((bytes) => BSON.deserialize(bytes))

for (const batchSize of [1, 10, 25, 26]) {
  t.test(`they are all there, in order, ${batchSize} to an answer`, async (t) => {
    const cursor = things.find({}, { batchSize, sort: { _id: 1 } })
    t.strictSame(await decoded(cursor), all)
    t.ok(cursor.closed, 'nothing is left open')
  })
}

t.test('where nothing is found there are none', async (t) => {
  t.strictSame(await decoded(things.find({ _id: -1 })), [])
})

t.test('an aggregation answers likewise', async (t) => {
  t.strictSame(await decoded(things.aggregate([{ $match: { _id: { $lt: 3 } } }, { $sort: { _id: 1 } }])), all.slice(0, 3))
})

t.test('what the database refuses is thrown as the driver does, and the cursor is over', async (t) => {
  const cursor = things.find({ $nonsense: 1 } as object)
  const told = await things.find({ $nonsense: 1 } as object).toArray().then(() => null, (error: Error) => error)
  await t.rejects(documentsOf(cursor), { name: told?.name ?? '', message: told?.message ?? '' })
  t.ok(cursor.closed)
})

t.test('an answer without a batch is none', async (t) => {
  t.throws(() => documentsIn(BSON.serialize({ ok: 1 })), /without a batch/)
  t.throws(() => documentsIn(BSON.serialize({ cursor: { id: 0 }, ok: 1 })), /without a batch/)
  t.equal(documentsIn(answerOf([{ _id: 1 }], 'nextBatch')).length, 1)
})
