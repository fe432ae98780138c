/** Sums by day answer what the records say, at any time: whatever is written, moved, raced or left half done in between. */
import t from 'tap'
import type { Test } from 'tap'
import type { Period } from '../../../src/domain/analytics/period.js'
import { channels, type Channel } from '../../../src/domain/analytics/records.js'
import { createAnalyticsWriter } from '../../../src/store/analytics/analytics-writer.js'
import { createStatistics } from '../../../src/store/analytics/statistics.js'
import type { Collections } from '../../../src/store/database/connection.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { seededRandom } from '../domain/seeded-random.js'
import { afterAggregate } from './after-aggregate.js'
import { conversation } from './test-analytics.js'

const { database: { collections }, repositories: { analytics: { statistics, writer } } } = await testDatabase(t)

const lifetime: Period = { start: null, end: null }
const between = (start: string | null, end: string | null): Period => ({ start: start === null ? null : new Date(start), end: end === null ? null : new Date(end) })

let vendors = 0
const newVendor = (): string => `vendor${vendors++}`
const write = async (vendorId: string, ...rows: unknown[]): Promise<void> => { await writeRecords(writer, vendorId, 'conversations', rows) }
const chats = async (vendorId: string, period = lifetime, channel: Channel | null = null, from = statistics): Promise<number> =>
  (await from.chats({ vendorId, period, channel })).chats
/** How many days' sums are kept. */
async function keptDays (vendorId: string): Promise<number> {
  const blocks = await collections.daySums.find({ vendorId }).toArray()
  return blocks.flatMap(({ days }) => Object.values(days)).filter(({ sums }) => sums !== undefined).length
}

t.test('over any period and channel they are what the records add up to, while records come, change, move and get events and orders', async (t) => {
  for (let seed = 0; seed < 2; seed++) await checkAgainstRecords(t, seed)
})

async function checkAgainstRecords (t: Test, seed: number): Promise<void> {
  const vendorId = newVendor()
  const random = seededRandom(seed)
  // Three months, the hours of their days, and the edges of those.
  const instant = (): string => new Date(Date.UTC(2025, random.below(3), 1 + random.below(28), random.below(24), 0, random.chance(0.2) ? 0 : random.below(3_600))).toISOString()
  const midnight = (): string => new Date(Date.UTC(2025, random.below(4), 1 + random.below(28))).toISOString()
  const end = (): Date | null => random.chance(0.2) ? null : new Date(random.chance(0.5) ? midnight() : instant())
  const some = (names: readonly Channel[]): Channel => names[random.below(names.length)] as Channel
  for (let step = 0; step < 25; step++) {
    const id = (): string => `${random.below(25)}`
    const rows = [...new Set(Array.from({ length: 1 + random.below(4) }, id))]
    const dice = random.below(6)
    if (dice < 3) await write(vendorId, ...rows.map((id) => conversation(id, instant(), { channel: some(channels), segment: { totalTimeSpentChatting: random.below(100) } })))
    else if (dice === 3) await writeRecords(writer, vendorId, 'conversation-events', rows.map((id) => ({ id, conversationId: `${random.below(25)}`, type: 'ExpertJoined', expertId: 'e', created: instant() })))
    else if (dice === 4) await writeRecords(writer, vendorId, 'surveys', rows.map((id) => ({ id, conversationId: `${random.below(25)}`, type: 'CSAT', rating: 1 + random.below(5), created: instant() })))
    else {
      await writeRecords(writer, vendorId, 'orders', rows.map((id) => ({
        id, created: instant(), currency: 'USD', totalPrice: random.below(100), attribution: random.chance(0.8) ? { method: 'm', conversationId: `${random.below(25)}` } : null
      })))
    }
    const [a, b] = [end(), end()]
    const period = a !== null && b !== null && a > b ? { start: b, end: a } : { start: a, end: b }
    const channel = random.chance(0.5) ? null : some(channels)
    const scope = { vendorId, period, channel }
    const of = { vendorId, ...(channel === null ? {} : { channel }) }
    const isIn = ({ created }: { created: Date }): boolean => (period.start === null || created >= period.start) && (period.end === null || created < period.end)
    const found = (await collections.conversations.find(of).toArray()).filter(isIn)
    const human = found.filter(({ facts }) => facts.human)
    const total = (numbers: number[]): number => numbers.reduce((sum, n) => sum + n, 0)
    t.match(await statistics.chats(scope), {
      chats: found.length,
      human: human.length,
      humanSeconds: total(human.map(({ segment }) => segment?.totalTimeSpentChatting ?? 0)),
      csatRatings: total(found.map(({ facts }) => facts.csatRatings)),
      csatSum: total(found.map(({ facts }) => facts.csatSum))
    }, `seed ${seed}, step ${step}`)
    const placed = (await collections.orders.find({ vendorId, attributed: true }).toArray()).filter(isIn).filter((order) => channel === null || order.attributedChannel === channel)
    const byHuman = placed.filter((order) => order.attributedToHuman)
    const { human: humanSales, ai } = await statistics.attributedSales(scope)
    t.strictSame([humanSales.orders, humanSales.usd, ai.orders, ai.usd], [
      byHuman.length, total(byHuman.map(({ totalPriceUSD }) => totalPriceUSD)),
      placed.length - byHuman.length, total(placed.filter((order) => !order.attributedToHuman).map(({ totalPriceUSD }) => totalPriceUSD))
    ])
  }
}

t.test('a period that was asked for is not read again', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T00:00:00Z'), conversation('b', '2025-03-31T23:59:59.999Z'), conversation('c', '2025-04-01T00:00:00Z'))
  const march = between('2025-03-01T00:00:00Z', '2025-04-01T00:00:00Z')
  t.equal(await chats(vendorId, march), 2)
  const read = createStatistics(afterAggregate(collections, async () => { t.fail('conversations were read') }))
  t.equal(await chats(vendorId, march, null, read), 2)
  t.equal(await chats(vendorId, march, 'HelpdeskOneTicket', read), 0)
})

t.test('of a period that does not begin and end with days, only the ends are read', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T05:00:00Z'), conversation('b', '2025-03-15T00:00:00Z'), conversation('c', '2025-04-01T03:59:59Z'), conversation('d', '2025-04-01T04:00:00Z'))
  const march = between('2025-03-01T04:00:00Z', '2025-04-01T04:00:00Z')
  t.equal(await chats(vendorId, march), 3)
  let reads = 0
  t.equal(await chats(vendorId, march, null, createStatistics(afterAggregate(collections, async () => { reads += 1 }))), 3)
  t.equal(reads, 2)
})

t.test('a conversation that is written while its day is being added up is not forgotten', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T10:00:00Z'))
  const raced = createStatistics(afterAggregate(collections, async () => { await write(vendorId, conversation('b', '2025-03-01T11:00:00Z')) }))
  t.equal(await chats(vendorId, lifetime, null, raced), 1, 'what was there when it was read')
  t.equal(await chats(vendorId), 2)
  t.equal(await chats(vendorId), 2)
})

t.test('nor is the first one of its month', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T10:00:00Z'))
  const raced = createStatistics(afterAggregate(collections, async () => { await write(vendorId, conversation('b', '2024-03-01T11:00:00Z')) }))
  t.equal(await chats(vendorId, lifetime, null, raced), 1)
  t.equal(await chats(vendorId), 2)
})

/** Inserts nothing, then fails as a connection does. */
const cutOff: Collections = {
  ...collections,
  conversations: withMethod(collections.conversations, 'insertMany', async () => await Promise.reject(new Error('cut off')))
}

t.test('the write of a writer that died may arrive late: its day is not kept before an hour has passed', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T10:00:00Z'), conversation('late', '2025-03-01T11:00:00Z'))
  const late = await collections.conversations.findOne({ vendorId, id: 'late' })
  await collections.conversations.deleteOne({ vendorId, id: 'late' })
  await t.rejects(writeRecords(createAnalyticsWriter(cutOff), vendorId, 'conversations', [conversation('late', '2025-03-01T11:00:00Z')]), { message: 'cut off' })
  t.equal(await chats(vendorId), 1)
  if (late !== null) await collections.conversations.insertOne(late)
  t.equal(await chats(vendorId), 2, 'it was not kept')

  const [block] = await collections.daySums.find({ vendorId }).toArray()
  const [day, { writers }] = Object.entries(block?.days ?? {}).find(([, { writers }]) => Object.keys(writers).length > 0) ?? ['', { writers: {} }]
  const before = await keptDays(vendorId)
  await collections.daySums.updateOne({ vendorId }, { $set: { [`days.${day}.writers`]: Object.fromEntries(Object.keys(writers).map((name) => [name, new Date(Date.now() - 61 * 60_000)])) } })
  t.equal(await chats(vendorId), 2)
  t.equal(await keptDays(vendorId), before + 1, 'now it is kept')
  t.equal(await chats(vendorId), 2)
})

t.test('two writers move the same conversation to different days: it is counted once', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T10:00:00Z'))
  await chats(vendorId)
  let pending = true
  const raced = {
    ...collections,
    conversations: withMethod(collections.conversations, 'bulkWrite', async (...args: Parameters<typeof collections.conversations.bulkWrite>) => {
      if (pending) {
        pending = false
        await write(vendorId, conversation('a', '2025-03-02T10:00:00Z'))
        // Kept now: whoever moves it on has to say so.
        t.equal(await chats(vendorId, between('2025-03-02T00:00:00Z', '2025-03-03T00:00:00Z')), 1)
      }
      return await collections.conversations.bulkWrite(...args)
    })
  }
  await writeRecords(createAnalyticsWriter(raced), vendorId, 'conversations', [conversation('a', '2025-03-03T10:00:00Z')])
  t.equal(await chats(vendorId), 1)
  t.equal(await chats(vendorId, between('2025-03-03T00:00:00Z', '2025-03-04T00:00:00Z')), 1)
})

t.test('records from before there were sums are counted, and their sums kept', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '2025-03-01T10:00:00Z'), conversation('b', '2025-05-01T10:00:00Z'))
  await collections.daySums.deleteMany({ vendorId })
  t.equal(await chats(vendorId), 2)
  t.equal(await keptDays(vendorId), 2)
  t.equal(await chats(vendorId), 2)
})

t.test('a vendor whose days are known here and there', async (t) => {
  const vendorId = newVendor()
  const days = Array.from({ length: 25 }, (_, index) => new Date(Date.UTC(2025, 0, 1 + index * 40, 12)))
  await write(vendorId, ...days.map((day, index) => conversation(`${index}`, day.toISOString())))
  t.equal(await chats(vendorId), 25)
  await write(vendorId, ...days.map((day, index) => conversation(`${index}`, new Date(day.getTime() + 86_400_000).toISOString())))
  t.equal(await chats(vendorId), 25)
  t.equal(await chats(vendorId, between('2026-01-01T00:00:00Z', null)), days.filter((day) => day.getTime() + 86_400_000 >= Date.UTC(2026)).length)
})

t.test('many writers begin the same month at once', async (t) => {
  const vendorId = newVendor()
  await Promise.all(Array.from({ length: 12 }, async (_, index) => { await write(vendorId, conversation(`${index}`, `2025-03-${10 + index}T10:00:00Z`)) }))
  t.equal(await chats(vendorId), 12)
  t.equal(await chats(vendorId), 12)
  const blocks = await collections.daySums.find({ vendorId }).toArray()
  t.strictSame(blocks.flatMap(({ days }) => Object.values(days)).flatMap(({ writers }) => Object.keys(writers)), [], 'nobody is left writing')
})

t.test('times before 1970', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '1969-12-31T23:59:59Z'), conversation('b', '1969-12-31T00:00:00Z'), conversation('c', '1970-01-01T00:00:00Z'))
  const last = between('1969-12-31T00:00:00Z', '1970-01-01T00:00:00Z')
  t.equal(await chats(vendorId, last), 2)
  t.equal(await chats(vendorId, last), 2)
  t.equal(await chats(vendorId), 3)
})

t.test('what is not kept yet is added up in pages, whatever years records say they are from', async (t) => {
  const vendorId = newVendor()
  const days = Array.from({ length: 7 }, (_, day) => `2025-03-0${day + 1}T10:00:00Z`)
  await write(vendorId, conversation('old', '0001-01-01T00:00:00Z'), conversation('new', '9999-12-31T23:59:59Z'), ...days.map((day, index) => conversation(`${index}`, day)),
    // More than a page, of one instant.
    ...Array.from({ length: 5 }, (_, index) => conversation(`same${index}`, '2025-03-04T10:00:00Z', { channel: index < 2 ? 'HelpdeskOneTicket' : 'ServiceChat' })))
  let reads = 0
  const inPages = createStatistics(afterAggregate(collections, async () => { reads += 1 }), { pageSize: 3 })
  t.equal(await chats(vendorId, lifetime, null, inPages), 14)
  t.ok(reads >= 5 && reads <= 10, `${reads} pages of 3`)
  // One entry for a day and channel, whatever pages it came from.
  const blocks = await collections.daySums.find({ vendorId }).toArray()
  t.ok(blocks.flatMap((block) => Object.values(block.days)).every(({ sums = [] }) => new Set(sums.map(({ channel }) => channel)).size === sums.length))
  const read = createStatistics(afterAggregate(collections, async () => { t.fail('conversations were read') }))
  t.equal(await chats(vendorId, between('2025-03-01T00:00:00Z', '2025-03-08T00:00:00Z'), 'HelpdeskOneTicket', read), 2)
})

t.test('a lifetime of more blocks than are read at once', async (t) => {
  const vendorId = newVendor()
  await write(vendorId, conversation('a', '1900-01-01T00:00:00Z'), conversation('b', '2025-01-01T00:00:00Z'))
  await collections.daySums.insertMany(Array.from({ length: 1_200 }, (_, index) => (
    { _id: `${vendorId}/${index}`, vendorId, kind: 'conversations' as const, block: index - 300, days: {} })))
  t.equal(await chats(vendorId), 2)
})

t.test('another vendor\'s days are not touched', async (t) => {
  const [one, other] = [newVendor(), newVendor()]
  await write(one, conversation('a', '2025-03-01T10:00:00Z'))
  await write(other, conversation('a', '2025-03-01T10:00:00Z'), conversation('b', '2025-03-01T10:00:00Z'))
  t.equal(await chats(one), 1)
  t.equal(await chats(other), 2)
})
