/** Pages of a list that hardly any conversation belongs to, among many: in windows of time that hold a bounded number. */
import t from 'tap'
import { createConversations, positionOf, type ConversationSort } from '../../../src/store/analytics/conversations.js'
import { writeRecords } from '../../support/analytics-check.js'
import { testDatabase } from '../../support/database.js'
import { withMethod } from '../../support/with-method.js'
import { conversation } from './test-analytics.js'

const { database: { collections }, repositories: { analytics: { writer } } } = await testDatabase(t)
const lookedAt = 5

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

const widest: number[] = []
const watched = withMethod(collections.conversations, 'aggregate', (...parameters: Parameters<typeof collections.conversations.aggregate>) => {
  const { created: { $gte, $lt }, filterKeys } = (parameters[0]?.[0] as { $match: { created: { $gte: Date, $lt: Date }, filterKeys: string } }).$match
  widest.push(new Set(stored.filter((each) => each.filterKeys.includes(filterKeys) && each.created >= $gte && each.created < $lt).map(({ created }) => created.getTime())).size)
  return collections.conversations.aggregate(...parameters)
})

for (const direction of ['asc', 'desc'] as const) {
  t.test(`they are all found, ${direction}, and no command looks at more`, async (t) => {
    const sort: [ConversationSort] = [{ field: 'created', direction }]
    const { page } = createConversations({ ...collections, conversations: watched }, lookedAt)
    const seen: string[] = []
    let after = null
    for (let hasNext = true; hasNext;) {
      const { nodes, hasNextPage } = await page('acme', { groups: [[common], [rare]], sort, first: 1, after })
      const [node] = nodes
      if (node === undefined) break
      seen.push(node.id)
      after = positionOf(node, sort)
      hasNext = hasNextPage
    }
    t.strictSame(seen, direction === 'asc' ? ['c3', 'c52', 'c99'] : ['c99', 'c52', 'c3'])
    t.ok(Math.max(...widest) <= 25, 'a burst at most, where windows are short')
  })
}

/** Fails for a command that may look at more than `lookedAt` conversations. */
function bounded (tooMany: string[]): typeof collections {
  const { conversations } = collections
  const look = async (filter: object, limit = Infinity): Promise<void> => {
    const looked = Math.min(limit, await conversations.countDocuments(filter))
    if (looked > lookedAt + 1) tooMany.push(`${JSON.stringify(filter)}: ${looked}`)
  }
  const aggregating = withMethod(conversations, 'aggregate', ((...parameters: Parameters<typeof conversations.aggregate>) => {
    const cursor = conversations.aggregate(...parameters)
    return withMethod(cursor, 'toArray', async () => {
      await look((parameters[0]?.[0] as { $match: object }).$match)
      return await cursor.toArray()
    })
  }) as typeof conversations.aggregate)
  const counting = withMethod(aggregating, 'countDocuments', async (...parameters: Parameters<typeof conversations.countDocuments>) => {
    await look(parameters[0] ?? {}, parameters[1]?.limit)
    return await conversations.countDocuments(...parameters)
  })
  return { ...collections, conversations: counting }
}

t.test('their number is counted page by page, those of one instant too', async (t) => {
  const tooMany: string[] = []
  const { count } = createConversations(bounded(tooMany), lookedAt)
  const { count: countAtOnce } = createConversations(collections)
  for (const [groups, expected] of [[[], 100], [[[common]], 100], [[[common], [rare]], 3], [[[rare]], 3], [[[common, rare]], 100], [[[common, rare], [rare]], 3]] as const) {
    t.equal(await count('acme', groups.map((keys) => [...keys])), expected)
    t.equal(await countAtOnce('acme', groups.map((keys) => [...keys])), expected)
  }
  t.strictSame(tooMany, [])
})
