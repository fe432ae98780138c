/** Pages of a list that hardly any conversation belongs to, among many: in windows of time that hold a bounded number. */
import t from 'tap'
import { zoneOf } from '../../../src/domain/analytics/time-zone.js'
import { anytime, positionOf, type ConversationPosition, type ConversationSort } from '../../../src/store/analytics/conversation-pages.js'
import { createConversations } from '../../../src/store/analytics/conversations.js'
import { createDatabaseServer, setServerOf } from '../../../src/store/database/server-of.js'
import { mongodb } from '../../../src/store/database/server-profile.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { conversation } from './test-analytics.js'

const hourOfWeekOf = (at: Date): number => (at.getUTCDay() + 6) % 7 * 24 + at.getUTCHours()

const { database: { collections, db }, repositories: { analytics: { writer } } } = await testDatabase(t)
const lookedAt = 7

const dayMs = 86_400_000
/** Bursts, months apart, of which a few conversations are wanted; nine begin in the same instant. */
const times = [0, 1, 2, 3].flatMap((burst) => Array.from({ length: 25 }, (_, index) => burst * 200 * dayMs + (burst === 2 && index < 9 ? 0 : index * 60_000)))
const isWanted = (index: number): boolean => [3, 52, 99].includes(index)
await writeRecords(writer, 'acme', 'conversations', times.map((time, index) =>
  conversation(`c${index}`, new Date(Date.UTC(2024, 0, 1) + time).toISOString(), isWanted(index) ? { segment: { aiInferredSentiment: 'NEGATIVE' } } : {})))

const stored = await collections.conversations.find({ vendorId: 'acme' }).toArray()
const keysOf = (wanted: boolean): Set<string> => new Set(stored.filter(({ segment }) => (segment?.aiInferredSentiment === 'NEGATIVE') === wanted).flatMap(({ filterKeys }) => filterKeys))
const common = [...keysOf(false)].find((key) => stored.every(({ filterKeys }) => filterKeys.includes(key))) ?? ''
const rare = [...keysOf(true)].find((key) => !keysOf(false).has(key)) ?? ''

/** Fails for a command that may look at more than `lookedAt` conversations, on a server that stops at a limit. */
function bounded (tooMany: string[]): typeof collections {
  const { conversations } = collections
  const look = async (filter: object, limit = Infinity): Promise<void> => {
    const looked = Math.min(limit, await conversations.countDocuments(filter))
    if (looked > lookedAt + 1) tooMany.push(`${JSON.stringify(filter)}: ${looked}`)
  }
  const aggregating = withMethod(conversations, 'aggregate', ((...parameters: Parameters<typeof conversations.aggregate>) => {
    const cursor = conversations.aggregate(...parameters)
    return withMethod(cursor, 'toArray', async () => {
      const [{ $match } = { $match: {} }, ...others] = parameters[0] as Array<{ $match: object, $sort: object, $limit: number }>
      // In the order of the index, and without a further condition, it is over at its limit.
      const stops = others[0]?.$sort !== undefined && Object.keys(others[0].$sort).length === 2
      await look($match, stops ? others[1]?.$limit : undefined)
      return await cursor.toArray()
    })
  }) as typeof conversations.aggregate)
  const counting = withMethod(aggregating, 'countDocuments', async (...parameters: Parameters<typeof conversations.countDocuments>) => {
    await look(parameters[0] ?? {}, parameters[1]?.limit)
    return await conversations.countDocuments(...parameters)
  })
  setServerOf(counting, createDatabaseServer(db.client, () => { throw new Error('none is asked for') }, { profile: mongodb }))
  return { ...collections, conversations: counting }
}

const created = (direction: 'asc' | 'desc'): ConversationSort => ({ field: 'created', direction })
const activeAt = (direction: 'asc' | 'desc'): ConversationSort => ({ field: 'activeAt', direction })
const sorts: Array<[ConversationSort, ...ConversationSort[]]> = [
  [created('asc')], [created('desc')], [activeAt('asc')], [activeAt('desc')], [created('asc'), activeAt('desc')], [created('desc'), activeAt('desc')], [activeAt('desc'), created('asc')]
]

/** What a list is, told from all that is stored. */
function listOf (groups: string[][], sort: ConversationSort[]): string[] {
  const [first] = sort
  const order = (a: typeof stored[number], b: typeof stored[number]): number => {
    for (const { field, direction } of sort) {
      const difference = a[field].getTime() - b[field].getTime()
      if (difference !== 0) return direction === 'asc' ? difference : -difference
    }
    return (a._id < b._id ? -1 : 1) * (first?.direction === 'asc' ? 1 : -1)
  }
  return stored.filter(({ filterKeys }) => groups.every((keys) => keys.some((key) => filterKeys.includes(key)))).sort(order).map(({ id }) => id)
}

for (const sort of sorts) {
  const name = sort.map(({ field, direction }) => `${field} ${direction}`).join(', ')
  t.test(`pages by ${name}: each conversation stands in one, in order, and no command looks at more than it may`, async (t) => {
    const tooMany: string[] = []
    const { page } = createConversations(bounded(tooMany), lookedAt)
    for (const groups of [[[common], [rare]], [[common, rare], [common]], [[rare]], []]) {
      for (const first of [1, 7]) {
        const seen: string[] = []
        for (let after: ConversationPosition | null = null, hasNext = true; hasNext;) {
          const { nodes, hasNextPage } = await page('acme', { ...anytime, groups, sort, first, after })
          const last = nodes.at(-1)
          if (last === undefined) break
          seen.push(...nodes.map(({ id }) => id))
          after = positionOf(last, sort)
          hasNext = hasNextPage
          // Of the long lists, from one to the next would take as many commands as there are conversations.
          if (first === 1 && seen.length === 20) break
        }
        const list = listOf(groups, sort)
        t.strictSame(seen, first === 1 ? list.slice(0, 20) : list, `${groups.length} filters, ${first} a page`)
      }
    }
    t.strictSame(tooMany, [])
  })
}

t.test('a window that was cut is followed by one about as long, so looking for its end does not go through all that is left each time', async (t) => {
  const many = Array.from({ length: 400 }, (_, index) => conversation(`m${index}`, new Date(Date.UTC(2024, 0, 1) + index * 3_600_000).toISOString(), {}))
  await writeRecords(writer, 'many', 'conversations', many)
  let looked = 0
  const counting = withMethod(collections.conversations, 'find', ((...parameters: Parameters<typeof collections.conversations.find>) => {
    const cursor = collections.conversations.find(...parameters)
    return withMethod(cursor, 'toArray', async () => {
      looked += await collections.conversations.countDocuments(parameters[0] ?? {})
      return await cursor.toArray()
    })
  }) as typeof collections.conversations.find)
  const { page } = createConversations({ ...collections, conversations: counting }, lookedAt)
  for (const direction of ['asc', 'desc'] as const) {
    looked = 0
    const { nodes } = await page('many', { ...anytime, groups: [['nothing has it'], ['nor this']], sort: [created(direction)], first: 11, after: null })
    t.equal(nodes.length, 0)
    looked = 0
    const { nodes: none } = await page('many', { ...anytime, hour: { zone: zoneOf('UTC'), hourOfWeek: 3 }, groups: [], sort: [created(direction)], first: 11, after: null })
    t.equal(none.length, 3)
    t.ok(looked < 3 * 400, `${looked} were looked at`)
  }
})

t.test('their number is counted page by page, those of one instant too', async (t) => {
  const tooMany: string[] = []
  const { count } = createConversations(bounded(tooMany), lookedAt)
  const { count: countAtOnce } = createConversations(collections)
  for (const [groups, expected] of [[[], 100], [[[common]], 100], [[[common], [rare]], 3], [[[rare]], 3], [[[common, rare]], 100], [[[common, rare], [rare]], 3]] as const) {
    t.equal(await count('acme', { ...anytime, groups: groups.map((keys) => [...keys]) }), expected)
    t.equal(await countAtOnce('acme', { ...anytime, groups: groups.map((keys) => [...keys]) }), expected)
  }
  t.strictSame(tooMany, [])
})

t.test('a server that does not stop at a limit looks at each once, whatever is sought of a list', async (t) => {
  const looks: number[] = []
  const look = async (filter: object): Promise<void> => { looks.push(await collections.conversations.countDocuments(filter)) }
  const counting = withMethod(collections.conversations, 'countDocuments', async (...parameters: Parameters<typeof collections.conversations.countDocuments>) => {
    await look(parameters[0] ?? {})
    return await collections.conversations.countDocuments(...parameters)
  })
  const { count } = createConversations({ ...collections, conversations: counting }, lookedAt)
  t.equal(await count('acme', { ...anytime, groups: [] }), 100)
  t.strictSame(looks, [100])
  t.equal(await count('acme', { ...anytime, groups: [[common, rare], [rare]] }), 3)
  t.strictSame(looks, [100, 100])
})

t.test('of a period, and of an hour of the week, they are counted page by page, and no page looks outside of it', async (t) => {
  const tooMany: string[] = []
  const looked: Array<{ $gte: Date, $lt: Date }> = []
  const { count } = createConversations(bounded(tooMany), lookedAt)
  const { page } = createConversations({
    ...collections,
    conversations: withMethod(collections.conversations, 'aggregate', (...parameters: Parameters<typeof collections.conversations.aggregate>) => {
      looked.push((parameters[0]?.[0] as { $match: { created: { $gte: Date, $lt: Date } } }).$match.created)
      return collections.conversations.aggregate(...parameters)
    })
  }, lookedAt)
  const minutes = { start: new Date(Date.UTC(2024, 0, 1)), end: new Date(Date.UTC(2024, 0, 1) + 10 * 60_000) }
  for (const [groups, hour, expected] of [
    [[], null, 10], [[[common]], null, 10], [[[common], [rare]], null, 1], [[], { zone: zoneOf('UTC'), hourOfWeek: 72 }, 0],
    [[], { zone: zoneOf('UTC'), hourOfWeek: hourOfWeekOf(minutes.start) }, 10], [[[rare]], { zone: zoneOf('UTC'), hourOfWeek: hourOfWeekOf(minutes.start) }, 1]
  ] as const) {
    const among = { groups: groups.map((keys) => [...keys]), period: minutes, hour }
    t.equal(await count('acme', among), expected)
    const { nodes } = await page('acme', { ...among, sort: [{ field: 'created', direction: 'desc' }], first: 50, after: null })
    t.equal(nodes.length, expected)
  }
  t.strictSame(tooMany, [])
  t.strictSame(looked.filter(({ $gte, $lt }) => $gte < minutes.start || $lt > minutes.end), [])
})
