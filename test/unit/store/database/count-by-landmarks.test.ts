/** A server that looks at all that matches is asked for ranges between landmarks: each of a list is looked at once, and no command looks at many. */
import type { Collection, Document } from 'mongodb'
import t from 'tap'
import { countByLandmarks } from '../../../../src/store/database/count-by-landmarks.js'
import { countInPages } from '../../../../src/store/database/count-in-pages.js'
import type { CountedRange, Within } from '../../../../src/store/database/counted.js'
import { mongodb, secantusdb } from '../../../../src/store/database/server-profile.js'
import { testDatabase } from '../../../support/database.js'
import { withProfile } from '../../../support/with-profile.js'

interface Item extends Document { at: number, isWanted: boolean }
interface Look { at?: { $gte?: number, $lt?: number } }
type Stage = { $match: Look } | { $bucketAuto: { groupBy: string, buckets: number } }

/** Numbers in memory, and how many match each command. */
function listOf (count: number) {
  let numbers = Array.from({ length: count }, (_, index) => index)
  const looked: number[] = []
  function look ({ at: { $gte = -Infinity, $lt = Infinity } = {} }: Look): number[] {
    const matching = numbers.filter((at) => at >= $gte && at < $lt)
    looked.push(matching.length)
    return matching
  }
  const collection = {
    countDocuments: async (filter: Look, options?: object) => {
      if (options !== undefined) throw new Error('a limit does not help')
      return look(filter).length
    },
    find: () => { throw new Error('nothing is skipped') },
    aggregate: ([match, group]: [Stage, Stage]) => ({
      async toArray () {
        const matching = '$match' in match ? look(match.$match) : []
        const { groupBy, buckets } = '$bucketAuto' in group ? group.$bucketAuto : { groupBy: '', buckets: 0 }
        if (groupBy !== '$at') throw new Error(groupBy)
        const length = Math.max(1, Math.round(matching.length / buckets))
        return Array.from({ length: Math.ceil(matching.length / length) }, (_, index) => ({ _id: { min: matching[index * length] } }))
      }
    })
  } as unknown as Collection<Item>
  withProfile(collection, secantusdb)
  const indexed = (at: CountedRange): Look => at === null ? {} : { at }
  return {
    become: (others: number[]) => { numbers = others },
    isRight: (counted: number, { $gte = -Infinity, $lt = Infinity }: { $gte?: number, $lt?: number } = {}) => counted === numbers.filter((at) => at >= $gte && at < $lt).length,
    async count (within?: Within, spacing?: number): Promise<{ counted: number, commands: number, looked: number, most: number }> {
      looked.length = 0
      const counted = await countInPages<Item>(collection, { along: 'at', indexed, ...(within === undefined ? {} : { within }) }, spacing)
      return { counted, commands: looked.length, looked: looked.reduce((sum, each) => sum + each, 0), most: Math.max(...looked) }
    }
  }
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

t.test('many are looked at twice the first time, and once from then on, a part at a time', async (t) => {
  const { count } = listOf(100_000)
  t.match(await count(), { counted: 100_000, commands: 2, looked: 200_000 })
  t.match(await count(), { counted: 100_000, commands: 50, looked: 100_000, most: 2_000 })
})

t.test('few are counted with one command, each time', async (t) => {
  for (const each of [0, 1, 4_000]) {
    const { count } = listOf(each)
    for (const time of [1, 2]) t.match(await count(), { counted: each, commands: 1, looked: each }, `time ${time}`)
  }
})

t.test('a list that grows gets further landmarks where it has grown, and loses those that it needs no more', async (t) => {
  const { become, isRight, count } = listOf(10_000)
  await count()
  for (const others of [numbers(0, 30_000), numbers(-60_000, 30_000), numbers(25_000, 30_000), [], numbers(0, 500)]) {
    become(others)
    const first = await count()
    t.ok(isRight(first.counted))
    t.ok(first.looked <= 2 * others.length)
    const second = await count()
    t.ok(isRight(second.counted))
    t.equal(second.looked, others.length)
    t.ok(second.most <= 4_000, `${second.most} at once`)
    t.ok(second.commands <= 1 + others.length / 1_000, `${second.commands} commands`)
  }
})

t.test('a part of a list is counted by the landmarks of all, and leaves the others\' as they are', async (t) => {
  const { isRight, count } = listOf(50_000)
  await count()
  for (const within of [{ $gte: 7_777, $lt: 33_333 }, { $lt: 20_000 }, { $gte: 49_999 }, { $gte: 60_000 }, { $gte: 9, $lt: 9 }, {}]) {
    const { counted, looked, most } = await count(within)
    t.ok(isRight(counted, within))
    t.equal(looked, counted)
    t.ok(most <= 2_000)
  }
})

t.test('there is a bound to landmarks', async (t) => {
  const { count } = listOf(30_000)
  await count({}, 50)
  const { counted, commands, looked } = await count({}, 50)
  t.equal(counted, 30_000)
  t.ok(commands <= 252, `${commands} commands`)
  t.ok(looked <= 31_000, `${looked} were looked at`)
})

t.test('as a server has it: texts, instants of which several are the same, and what is wanted of them', async (t) => {
  const { database: { db } } = await testDatabase(t)
  const items = db.collection<{ owner: string, name: string, at: Date, isWanted: boolean }>('items')
  await items.createIndex({ owner: 1, name: 1 })
  await items.createIndex({ owner: 1, at: 1 })
  await items.insertMany(numbers(0, 60).map((index) => ({ owner: 'o', name: `ωμέγα-${index}`, at: new Date(Math.floor(index / 12)), isWanted: index % 3 === 0 })))
  for (const along of ['name', 'at'] as const) {
    const indexed = (range: CountedRange) => ({ owner: 'o', ...(range === null ? {} : { [along]: range }) })
    const wanted = async (range: CountedRange): Promise<number> => await items.countDocuments({ ...indexed(range), isWanted: true })
    for (const time of ['first', 'second']) {
      t.equal(await countByLandmarks(items, { along, indexed }, 5), 60, time)
      t.equal(await countByLandmarks(items, { along, indexed, count: wanted }, 5), 20)
    }
  }
  t.equal(await countByLandmarks(items, { along: 'at', within: { $gte: new Date(1), $lt: new Date(3) }, indexed: (at) => ({ owner: 'o', ...(at === null ? {} : { at }) }) }, 5), 24)
})

t.test('a server that stops at a limit is not asked like this', async (t) => {
  const asked: string[] = []
  const collection = { countDocuments: async (_: Document, { limit = 0 } = {}) => { asked.push(`limit ${limit}`); return 7 } } as unknown as Collection<Item>
  withProfile(collection, mongodb)
  t.equal(await countInPages<Item>(collection, { along: 'at', indexed: () => ({}) }), 7)
  t.strictSame(asked, ['limit 20001'])
})
