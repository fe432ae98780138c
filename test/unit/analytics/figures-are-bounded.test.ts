/** However many records a vendor has: no command of a figure looks at more of them than a page holds, and what is remembered between pages is bounded. */
import t from 'tap'
import type { CountDocumentsOptions, Document, FindOptions } from 'mongodb'
import { zoneOf } from '../../../src/domain/analytics/time-zone.js'
import { createStatistics, type Scope, type Statistics } from '../../../src/store/analytics/statistics.js'
import type { Collections } from '../../../src/store/database/connection.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { conversation } from './test-analytics.js'

const { database: { collections }, repositories: { analytics: { writer } } } = await testDatabase(t)

const lifetime = (vendorId: string): Scope => ({ vendorId, period: { start: null, end: null }, channel: null })
const span = { start: Date.UTC(2020), end: Date.UTC(2030) }
const zone = zoneOf('Europe/Berlin')

/** Every figure. One that is missing here does not compile. */
const figures: { [Name in keyof Statistics]: (statistics: Statistics, scope: Scope) => Promise<unknown> } = {
  chats: async (from, scope) => await from.chats(scope),
  medianJoinSeconds: async (from, scope) => await from.medianJoinSeconds(scope),
  chatters: async (from, scope) => await from.chatters(scope),
  nonChatters: async (from, scope) => await from.nonChatters(scope),
  attributedSales: async (from, scope) => await from.attributedSales(scope),
  salesByChatters: async (from, scope) => await from.salesByChatters(scope),
  spanOfChats: async (from, scope) => await from.spanOfChats(scope),
  spanOfAttributedSales: async (from, scope) => await from.spanOfAttributedSales(scope),
  attributedByDay: async (from, scope) => await from.attributedByDay(scope, zone, span),
  chatsByDay: async (from, scope) => await from.chatsByDay(scope, zone, span),
  chatsByHour: async (from, scope) => await from.chatsByHour(scope, zone, span),
  chatsByWeekday: async (from, scope) => await from.chatsByWeekday(scope, zone, span),
  chatsByHourOfWeek: async (from, scope) => await from.chatsByHourOfWeek(scope, zone, span),
  topProducts: async (from, scope) => await from.topProducts(scope, 3),
  recommendations: async (from, scope) => await from.recommendations(scope, ['p1', 'p2']),
  topExpertBySales: async (from, scope) => await from.topExpertBySales(scope),
  topExperts: async (from, scope) => await from.topExperts(scope, 3),
  topCited: async (from, scope) => await from.topCited(scope, 3),
  tagCounts: async (from, scope) => await from.tagCounts(scope)
}

/** 30 chats over a year and as many at one instant, with orders and silent sessions; chat n cites n documents of its own beside `common`. */
async function write (vendorId: string): Promise<void> {
  const created = (index: number): string => index < 30 ? new Date(Date.UTC(2025, 0, 1 + index * 12)).toISOString() : '2025-07-01T00:00:00Z'
  const all = Array.from({ length: 60 }, (_, index) => index)
  await writeRecords(writer, vendorId, 'conversation-events', all.flatMap((index) => [
    {
      id: `e${index}`,
      conversationId: `${index}`,
      type: 'ExpertJoined',
      created: new Date(Date.parse(created(index)) + 1_000 * (index + 1)).toISOString(),
      expertId: index % 2 === 0 ? 'often' : `expert${index}`
    },
    {
      id: `m${index}`,
      conversationId: `${index}`,
      type: 'AIMessage',
      created: created(index),
      citedKnowledgeDocumentIds: ['common', `own${index}`],
      recommendations: [{ product: { externalId: `p${index}` } }]
    }
  ]))
  await writeRecords(writer, vendorId, 'orders', all.map((index) => ({
    id: `${index}`,
    created: created(index),
    sessionId: `${index}`,
    currency: 'USD',
    totalPrice: 10,
    attribution: { method: 'm', conversationId: `${index}`, chattingExpertId: `expert${index % 7}` },
    lineItems: [
      { quantity: 2, finalTotalPrice: 3, product: { externalId: 'common', name: 'Common' } },
      { quantity: 1, finalTotalPrice: 1 + index / 100, product: { externalId: `own${index}` } }
    ]
  })))
  await writeRecords(writer, vendorId, 'conversations', all.map((index) => conversation(`${index}`, created(index), {
    sessionId: `${index}`, segment: { smartTagIds: ['common', `own${index}`] }
  })))
  await writeRecords(writer, vendorId, 'sessions', all.map((index) => ({ id: `silent${index}`, created: created(index) })))
}

/** Fails for a command that may look at more than `pageSize` of the records. */
function watched (pageSize: number, commands: string[]): Collections {
  const watch = (name: 'conversations' | 'orders' | 'sessions'): Collections[typeof name] => {
    const collection = collections[name] as unknown as Collections['orders']
    const counting = withMethod(collection, 'aggregate', ((pipeline: Document[], options?: object) => {
      const cursor = collection.aggregate(pipeline, options)
      return withMethod(cursor, 'toArray', async () => {
        const looked = await collection.countDocuments(pipeline[0]?.['$match'] as Document)
        if (looked > pageSize) commands.push(`${name} ${JSON.stringify(pipeline)}: ${looked}`)
        return await cursor.toArray()
      })
    }) as typeof collection.aggregate)
    const finding = withMethod(counting, 'countDocuments', async (filter: Document = {}, options: CountDocumentsOptions = {}) => {
      if ((options.limit ?? Infinity) > pageSize + 1) commands.push(`${name} ${JSON.stringify([filter, options])}`)
      return await collection.countDocuments(filter, options)
    })
    return withMethod(finding, 'find', ((filter: Document, options: FindOptions = {}) => {
      if (options.limit !== 1 || (options.skip ?? 0) > pageSize || options.sort === undefined) commands.push(`${name} ${JSON.stringify([filter, options])}`)
      return collection.find(filter, options)
    }) as typeof collection.find)
  }
  return { ...collections, conversations: watch('conversations') as never, orders: watch('orders') as never, sessions: watch('sessions') as never }
}

await write('shop')

for (const [name, ask] of Object.entries(figures)) {
  t.test(`${name} looks at no more than a page at a time, and answers the same`, async (t) => {
    const commands: string[] = []
    const expected = await ask(createStatistics(collections), lifetime('shop'))
    await collections.daySums.deleteMany({})
    t.same(await ask(createStatistics(watched(7, commands), { pageSize: 7 }), lifetime('shop')), expected)
    t.strictSame(commands, [])
  })
}

t.test('lists of more keys than are remembered, or than a page answers, have exact numbers for what leads them', async (t) => {
  for (const options of [{ maxKeys: 6 }, { maxRows: 4 }, { maxKeys: 6, maxRows: 4 }]) {
    const statistics = createStatistics(collections, { pageSize: 7, ...options })
    t.strictSame((await statistics.topCited(lifetime('shop'), 3))[0], { id: 'common', count: 60 })
    t.match((await statistics.topProducts(lifetime('shop'), 3))[0], { externalId: 'common', name: 'Common', sold: 120, usd: 180 })
    t.match((await statistics.topExperts(lifetime('shop'), 3))[0], { expertId: 'often', asAiPersona: false, chats: 30 })
    t.same((await statistics.tagCounts(lifetime('shop')))[0], { id: 'common', count: 60 })
  }
})

t.test('a text that a database would take for a field of its own is looked up as a text', async (t) => {
  await writeRecords(writer, 'dollars', 'conversation-events', Array.from({ length: 40 }, (_, index) => (
    { id: `${index}`, conversationId: `${index % 4}`, type: 'AIMessage', created: '2025-03-01T00:00:00Z', citedKnowledgeDocumentIds: ['$facts.cited', `d${index}`] })))
  await writeRecords(writer, 'dollars', 'conversations', Array.from({ length: 4 }, (_, index) => conversation(`${index}`, '2025-03-01T00:00:00Z')))
  const found = await createStatistics(collections, { maxKeys: 6 }).topCited(lifetime('dollars'), 1)
  t.strictSame(found, [{ id: '$facts.cited', count: 40 }])
})

t.test('of more sessions than are remembered, the share that ordered is that of a sample', async (t) => {
  const { sessions, ordered } = await createStatistics(collections, { pageSize: 7, maxSessions: 16 }).chatters(lifetime('shop'))
  t.ok(sessions > 0)
  t.equal(ordered, sessions, 'each of them has an order')
})
