/** Counts of tags are kept by day, of a version of the day, and are what the records say at any time. */
import t from 'tap'
import type { Period } from '../../../src/domain/analytics/period.js'
import { createStatistics, type Statistics } from '../../../src/store/analytics/statistics.js'
import type { DaySumsDocument } from '../../../src/store/analytics/day-sums-document.js'
import type { Counted } from '../../../src/store/analytics/tags-by-day.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { seededRandom } from '../domain/seeded-random.js'
import { afterAggregate } from './after-aggregate.js'
import { conversation } from './test-analytics.js'

const { database: { collections }, repositories: { analytics: { statistics, writer } } } = await testDatabase(t)

const march: Period = { start: new Date('2025-03-01T00:00:00Z'), end: new Date('2025-04-01T00:00:00Z') }
const firstOfMarch: Period = { start: march.start, end: new Date('2025-03-02T00:00:00Z') }
const lifetime: Period = { start: null, end: null }

let vendors = 0
const newVendor = (): string => `vendor${vendors++}`
const tagged = (id: string, created: string, ...smartTagIds: string[]): object => conversation(id, created, { segment: { smartTagIds } })
const write = async (vendorId: string, ...rows: object[]): Promise<void> => { await writeRecords(writer, vendorId, 'conversations', rows) }
const count = async (vendorId: string, period = march, from: Statistics = statistics): Promise<Counted[]> => await from.tagCounts({ vendorId, period, channel: null })
/** Days whose tags are kept. */
const kept = async (vendorId: string): Promise<number> =>
  (await collections.daySums.find({ vendorId, kind: 'tags' }).toArray()).flatMap(({ days }) => Object.values(days)).filter(({ sums = [] }) => sums.length > 0).length

const unread = createStatistics(afterAggregate(collections, async () => { t.fail('conversations were read') }))

t.test('over any period they are what the records say, while conversations come, change and move', async (t) => {
  const [vendorId, random] = [newVendor(), seededRandom(1)]
  const instant = (): string => new Date(Date.UTC(2025, random.below(3), 1 + random.below(28), random.below(24), random.below(60))).toISOString()
  const edge = (): Date | null => random.chance(0.3) ? null : new Date(random.chance(0.5) ? Date.UTC(2025, random.below(4), 1 + random.below(28)) : Date.parse(instant()))
  for (let step = 0; step < 30; step++) {
    const ids = [...new Set(Array.from({ length: 1 + random.below(4) }, () => `${random.below(20)}`))]
    await write(vendorId, ...ids.map((id) => tagged(id, instant(), ...new Set(Array.from({ length: random.below(4) }, () => `tag${random.below(5)}`)))))
    const [a, b] = [edge(), edge()]
    const period = a !== null && b !== null && a > b ? { start: b, end: a } : { start: a, end: b }
    const expected = new Map<string, number>()
    for (const { created, facts: { tagIds } } of await collections.conversations.find({ vendorId }).toArray()) {
      if ((period.start !== null && created < period.start) || (period.end !== null && created >= period.end)) continue
      for (const id of tagIds) expected.set(id, (expected.get(id) ?? 0) + 1)
    }
    const inOrder = Array.from(expected, ([id, count]) => ({ id, count })).sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
    t.strictSame(await count(vendorId, period), inOrder, `step ${step}`)
    t.strictSame(await count(vendorId, period), inOrder, `step ${step}, again`)
  }
})

t.test('a month that was asked for is not read again, nor are its days by a longer period', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T00:00:00Z', 'x', 'y'), tagged('b', '2025-03-31T23:59:59.999Z', 'x'), tagged('c', '2025-04-01T00:00:00Z', 'x'))
  const answer = [{ id: 'x', count: 2 }, { id: 'y', count: 1 }]
  t.strictSame(await count(vendorId), answer)
  t.strictSame(await count(vendorId, march, unread), answer)
  t.strictSame(await count(vendorId, { start: march.start, end: new Date('2025-03-31T00:00:00Z') }, unread), [{ id: 'x', count: 1 }, { id: 'y', count: 1 }])
})

t.test('of a day that is written, the counts of before do not hold', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'x'))
  t.strictSame(await count(vendorId), [{ id: 'x', count: 1 }])
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'y'))
  t.strictSame(await count(vendorId), [{ id: 'y', count: 1 }])
  await write(vendorId, tagged('a', '2025-03-02T10:00:00Z', 'y', 'z'))
  t.strictSame(await count(vendorId), [{ id: 'y', count: 1 }, { id: 'z', count: 1 }])
})

t.test('a conversation that is written while its day is counted is not forgotten', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'x'))
  const raced = createStatistics(afterAggregate(collections, async () => { await write(vendorId, tagged('b', '2025-03-01T11:00:00Z', 'x')) }))
  t.strictSame(await count(vendorId, firstOfMarch, raced), [{ id: 'x', count: 1 }], 'what was there when it was read')
  t.strictSame(await count(vendorId, firstOfMarch), [{ id: 'x', count: 2 }])
  t.strictSame(await count(vendorId, firstOfMarch, unread), [{ id: 'x', count: 2 }])
})

t.test('many ask for the same month at once, which nobody has asked for before', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'x'), tagged('b', '2025-03-31T10:00:00Z', 'x'))
  const answers = await Promise.all(Array.from({ length: 12 }, async () => await count(vendorId)))
  t.ok(answers.every(([first]) => first?.count === 2))
  t.strictSame(await count(vendorId, march, unread), [{ id: 'x', count: 2 }])
})

t.test('who finds that another has just kept the same answers all the same', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'x'))
  const late = createStatistics({
    ...collections,
    daySums: withMethod(collections.daySums, 'bulkWrite', async () => {
      await count(vendorId)
      const [kept] = await collections.daySums.find({ vendorId, kind: 'tags' }).toArray()
      // Between the server's look and its own making.
      return await collections.daySums.bulkWrite([{ insertOne: { document: kept as DaySumsDocument } }])
    })
  })
  t.strictSame(await count(vendorId, march, late), [{ id: 'x', count: 1 }])
})

t.test('keeping other sums of the same days changes nothing', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'x'))
  t.strictSame(await count(vendorId, firstOfMarch), [{ id: 'x', count: 1 }])
  t.equal((await statistics.chats({ vendorId, period: march, channel: null })).chats, 1)
  t.strictSame(await count(vendorId, firstOfMarch), [{ id: 'x', count: 1 }])
  t.equal((await statistics.chats({ vendorId, period: march, channel: null })).chats, 1)
  t.strictSame(await count(vendorId, firstOfMarch, unread), [{ id: 'x', count: 1 }])
})

t.test('records from before there were sums by day are counted', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', 'x'))
  await collections.daySums.deleteMany({ vendorId })
  for (let round = 0; round < 2; round++) t.strictSame(await count(vendorId, lifetime), [{ id: 'x', count: 1 }])
})

t.test('a day with more tags than are kept is counted each time', async (t) => {
  const vendorId = newVendor()
  const ids = Array.from({ length: 201 }, (_, index) => `tag${String(index).padStart(3, '0')}`)
  await write(vendorId, ...Array.from({ length: 5 }, (_, part) => tagged(`${part}`, '2025-03-01T10:00:00Z', ...ids.slice(part * 50, part * 50 + 50))))
  for (let round = 0; round < 2; round++) t.strictSame(await count(vendorId, lifetime), ids.map((id) => ({ id, count: 1 })))
  t.equal(await kept(vendorId), 0)
})

t.test('of names without end, none is kept', async (t) => {
  const vendorId = newVendor()
  const long = Array.from({ length: 100 }, (_, index) => `${String(index).padStart(3, '0')}${'x'.repeat(250)}`)
  await write(vendorId, tagged('a', '2025-03-01T10:00:00Z', ...long.slice(0, 50)), tagged('b', '2025-03-01T10:00:00Z', ...long.slice(50)))
  for (let round = 0; round < 2; round++) t.equal((await count(vendorId, lifetime)).length, 100)
  t.equal(await kept(vendorId), 0)
})

t.test('where a page has more tags than sums by day are for, all are counted all the same', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, ...Array.from({ length: 6 }, (_, day) => tagged(`${day}`, `2025-03-0${day + 1}T10:00:00Z`, 'x', `y${day}`)))
  const few = createStatistics(collections, { maxRows: 5 })
  t.strictSame((await count(vendorId, march, few))[0], { id: 'x', count: 6 })
  t.equal((await count(vendorId, march, few)).length, 7)
  t.equal(await kept(vendorId), 0)
})

t.test('a lifetime of more months than are read at once is counted from the records', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, ...Array.from({ length: 62 }, (_, month) => tagged(`${month}`, new Date(Date.UTC(1990, 0, 1) + month * 32 * 86_400_000).toISOString(), 'x')))
  for (let round = 0; round < 2; round++) t.strictSame(await count(vendorId, lifetime), [{ id: 'x', count: 62 }])
})

t.test('another vendor\'s tags are not counted', async (t) => {
  const [one, other] = [newVendor(), newVendor()]
  await write(one, tagged('a', '2025-03-01T10:00:00Z', 'x'))
  await write(other, tagged('a', '2025-03-01T10:00:00Z', 'x', 'y'))
  for (let round = 0; round < 2; round++) t.strictSame(await count(one), [{ id: 'x', count: 1 }])
})
