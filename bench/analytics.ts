/**
 * Conversation analytics of one large vendor: how fast records load, and what a page of 50, a month's counts and a lifetime
 * dashboard cost, as multiples of a look-up by id in the same run. `ANALYTICS_CONVERSATIONS` sets the size (default 200,000
 * conversations, 2,000,000 events, 100,000 orders).
 */
import { sampleKinds, sampleYear } from '../src/cli/sample-conversations.js'
import { groupsOf, type ConversationFilter } from '../src/domain/analytics/conversation-filter.js'
import { readRecord, type AnalyticsRecord } from '../src/domain/analytics/records.js'
import { anytime } from '../src/store/analytics/conversation-pages.js'
import { createRepositories, type Repositories } from '../src/store/repositories.js'
import { withBenchDatabase } from './bench-database.js'
import { median, note, print } from './figure.js'

const bench = 'analytics'
const vendorId = 'bench'
const conversations = Number(process.env['ANALYTICS_CONVERSATIONS'] ?? 200_000)
const eventsEach = 10
const batchSize = 500
const rounds = 7

export async function benchAnalytics (): Promise<void> {
  await withBenchDatabase(async (database) => {
    const repositories = createRepositories(database)
    await load(repositories)
    await read(repositories)
  })
}

async function load ({ analytics }: Repositories): Promise<void> {
  for (const kind of sampleKinds) {
    const startedAt = performance.now()
    let count = 0
    const batch: AnalyticsRecord[] = []
    for (const row of sampleYear(kind, { conversations, seed: 1, eventsEach })) {
      batch.push(readRecord(kind, row, []))
      count += 1
      if (batch.length === batchSize) await analytics.writer.write(vendorId, kind, batch.splice(0))
    }
    await analytics.writer.write(vendorId, kind, batch)
    const seconds = (performance.now() - startedAt) / 1_000
    note(`${kind}: ${count} in ${seconds.toFixed(1)} s`)
    print({ bench, figure: `load ${kind}`, value: count / seconds, unit: 'records/s', records: count })
  }
}

/** Median of several runs, in milliseconds. */
async function timed (run: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    await run(round)
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

async function read ({ analytics }: Repositories): Promise<void> {
  const { conversations: stored, statistics } = analytics
  const against = 'look-up by id'
  await timed(async (round) => await stored.find(vendorId, `conversation-${round}`))
  const lookUpMs = await timed(async (round) => await stored.find(vendorId, `conversation-${round * 97}`))
  print({ bench, figure: against, value: lookUpMs, unit: 'ms' })
  const compare = async (figure: string, run: () => Promise<unknown>): Promise<void> => {
    const ms = await timed(run)
    print({ bench, figure, value: ms / lookUpMs, unit: 'ratio', against, ms: Number(ms.toPrecision(3)) })
  }

  const filters: Record<string, ConversationFilter> = {
    none: {},
    expertId: { expertId: 'expert-1' },
    email: { email: 'customer-7@example.com' },
    conversionStatus: { conversionStatus: 'Attributed' },
    smartTagIds: { smartTagIds: ['tag-3'] },
    npsRating: { npsRating: 'Negative' },
    sentiment: { sentiment: 'NEGATIVE' },
    expertChatType: { expertChatType: 'Human' },
    channels: { channels: ['HelpdeskOneTicket'] }
  }
  for (const [name, filter] of Object.entries(filters)) {
    for (const field of ['created', 'activeAt'] as const) {
      await compare(`page of 50, filter ${name}, by ${field}`, async () => await stored.page(vendorId, {
        ...anytime, groups: groupsOf(vendorId, [filter]), sort: [{ field, direction: 'desc' }], first: 50, after: null
      }))
    }
  }
  // As New York counts: its days are not those in UTC.
  const month = { vendorId, period: { start: new Date('2025-06-01T04:00:00Z'), end: new Date('2025-07-01T04:00:00Z') }, channel: null }
  for (const figure of ['chats', 'attributedSales'] as const) {
    const startedAt = performance.now()
    await statistics[figure](month)
    print({ bench, figure: `${figure} of a month, asked for the first time`, value: performance.now() - startedAt, unit: 'ms' })
    await compare(`${figure} of a month`, async () => await statistics[figure](month))
  }
  const lifetime = { vendorId, period: { start: null, end: null }, channel: null }
  const startedAt = performance.now()
  for (const figure of ['chats', 'medianJoinSeconds', 'chatters', 'nonChatters', 'attributedSales', 'salesByChatters', 'topExpertBySales'] as const) {
    await statistics[figure](lifetime)
  }
  await statistics.topProducts(lifetime, 10)
  await statistics.topExperts(lifetime, 10)
  await statistics.topCited(lifetime, 10)
  print({ bench, figure: 'lifetime dashboard', value: (performance.now() - startedAt) / 1_000, unit: 's' })
  print({ bench, figure: 'memory of this process', value: process.memoryUsage().rss / 1_048_576, unit: 'MB' })
}
