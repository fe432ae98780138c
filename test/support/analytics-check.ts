/** Loads random shops, one vendor each, asks for everything over GraphQL, and compares with the model. */
import type { Test } from 'tap'
import { readRecord, type AnalyticsRecord, type RecordKind } from '../../src/domain/analytics/records.js'
import type { Permission } from '../../src/domain/access.js'
import { wordFault, type Fault } from '../../src/domain/issue.js'
import type { AnalyticsWriter } from '../../src/store/analytics/analytics-writer.js'
import { seededRandom } from '../unit/domain/seeded-random.js'
import type { TestApi } from '../unit/api/test-api.js'
import { bucketLabel, datesBetween, figuresOf, wallClock } from './analytics-model.js'
import { randomShop, type Shop } from './analytics-shop.js'

export const analyticsPermissions: Permission[] = ['VIEW_CONVERSATIONS', 'VIEW_CONVERSIONS', 'VIEW_NPS', 'VIEW_PII', 'EDIT_ANALYTICS']

/** As the loader does it. Throws for a record that is not as it must be. */
export async function writeRecords (writer: AnalyticsWriter, vendorId: string, kind: RecordKind, rows: unknown[]): Promise<void> {
  const faults: Fault[] = []
  const records = rows.map((row): AnalyticsRecord => readRecord(kind, row, faults))
  if (faults.length > 0) throw new Error(faults.map(wordFault).join('; '))
  await writer.write(vendorId, kind, records)
}

/** In any order of kinds, in pieces, some of them twice; `ask` is done somewhere in between. */
async function loadShop (writer: AnalyticsWriter, vendorId: string, { records }: Shop, seed: number, ask: () => Promise<unknown>): Promise<void> {
  const random = seededRandom(~seed)
  const pieces: Array<[RecordKind, unknown[]]> = Object.entries(records).flatMap(([kind, rows]) => {
    const cut = random.below(rows.length + 1)
    const parts = random.chance(0.5) ? [rows] : [rows.slice(0, cut), rows.slice(cut)]
    return parts.filter((part) => part.length > 0).map((part): [RecordKind, unknown[]] => [kind as RecordKind, part])
  })
  const shuffled = pieces.map((piece) => ({ piece, at: random.below(1_000_000) })).sort((a, b) => a.at - b.at).map(({ piece }) => piece)
  if (shuffled[0] !== undefined && random.chance(0.3)) shuffled.push(shuffled[0])
  const asked = random.below(shuffled.length + 1)
  for (const [index, [kind, rows]] of shuffled.entries()) {
    if (index === asked) await ask()
    await writeRecords(writer, vendorId, kind, rows)
  }
}

const query = `query ($vendorId: ID!, $start: DateTime, $end: DateTime, $channel: ConversationChannel, $zone: String!) {
  vendorById(vendorId: $vendorId) {
    conversationAggregateStatistics(start: $start, end: $end, channel: $channel) {
      numberOfChats numberOfAIChats numberOfHumanChats automationRate
      totalValueOfConversationsAttributedToChat totalValueOfConversationsAttributedToHumanChat totalValueOfConversationsAttributedToAIChat
      numberOfConversionsAttributed conversionRateForChatters conversionRateForNonChatters
      aovForChatters aovForNonChatters aovForAttributedConversions aovForNonAttributedConversions
      averageExpertResponseTime medianJoinTime totalManHoursSpentInChat minutesSavedByRemark csatScore
      chatsByHourHistogram(timezone: $zone) { hour count average }
      chatsByDayOfWeekHistogram(timezone: $zone) { day dayIndex chatCount dayCount }
      chatsByHourOfWeekHistogram(timezone: $zone) { dayIndex hour chatCount dayCount }
      chatsTimeSeries(timezone: $zone) { precision time numberOfChats numberOfAIChats numberOfHumanChats }
      attributedRevenueTimeSeries(timezone: $zone) { precision time totalAttributedValue }
      topProductsByAttributedSales { numberOfRecommendations numberSold totalSales product { externalId } }
      topExpertByAttributedSales { asAiPersona attributedAmountUSD expert { id } }
      topExperts(first: 100) { asAiPersona numberOfChats isCSAgent expert { id firstName } }
      topCitedKnowledge { count knowledgeDocument { id title } }
    }
  }
  smartTagCounts(vendorId: $vendorId, start: $start, end: $end) { tag { id } count }
}`

/** Sums of cents come in any order. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b))

/** What differs between the answer and the model. */
export async function compareFigures ({ graphql }: Pick<TestApi, 'graphql'>, key: string, vendorId: string, shop: Shop): Promise<string[]> {
  const { data, errors } = await graphql(key, query, {
    vendorId, start: shop.start?.toISOString() ?? null, end: shop.end?.toISOString() ?? null, channel: shop.channel, zone: shop.zone
  })
  return errors === undefined ? compare(shop, data) : [JSON.stringify(errors)]
}

export async function checkSeeds (t: Test, { graphql, keyOf, repositories }: TestApi, seeds: number[]): Promise<void> {
  for (const seed of seeds) {
    const vendorId = `shop${seed}`
    const shop = randomShop(seed)
    const key = await keyOf(vendorId, analyticsPermissions)
    // What has been added up by then must not stay.
    await loadShop(repositories.analytics.writer, vendorId, shop, seed, async () => await compareFigures({ graphql }, key, vendorId, shop))
    const faults = await compareFigures({ graphql }, key, vendorId, shop)
    if (faults.length > 0) t.fail(`seed ${seed}, ${shop.zone}: ${faults.join('; ')}`)
  }
  t.pass(`${seeds.length} shops`)
}

// The answer is compared field by field.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function compare (shop: Shop, data: any): string[] {
  const faults: string[] = []
  const served = data.vendorById.conversationAggregateStatistics as Record<string, unknown>
  const { revenueByDate, revenueSpan, chatsByDate, chatSpan, products, experts, credits, cited, tags, ...plain } = figuresOf(shop)
  const expectSame = (what: string, actual: unknown, expected: unknown): void => {
    if (!sameShape(actual, expected)) faults.push(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
  for (const [field, expected] of Object.entries(plain)) expectSame(field, served[field], expected)

  const series = served['attributedRevenueTimeSeries'] as Array<{ precision: string, time: string, totalAttributedValue: number }>
  const precision = series[0]?.precision ?? 'day'
  const dates = revenueSpan === null ? [] : datesBetween(shop.zone, revenueSpan.from, revenueSpan.to)
  const sums = new Map(dates.map((date) => [bucketLabel(date, precision), 0]))
  for (const { date, usd } of revenueByDate) sums.set(bucketLabel(date, precision), (sums.get(bucketLabel(date, precision)) ?? 0) + usd)
  // A month that began before its zone had the date that it is called by is called by what the clock showed then.
  expectSame('series', series.map(({ time, totalAttributedValue }) => [bucketLabel(wallClock(shop.zone, Date.parse(time)).date, precision), totalAttributedValue]), [...sums])
  for (const { time } of series) {
    const instant = Date.parse(time)
    if (wallClock(shop.zone, instant).date === wallClock(shop.zone, instant - 1).date) faults.push(`${time} is not where a local day begins`)
  }
  if (revenueSpan !== null && dates.length > 0) {
    const most = dates.length - 1
    expectSame('precision', precision, most <= 30 ? 'day' : most >= 184 ? 'month' : precision)
  }

  const points = served['chatsTimeSeries'] as Array<{ precision: string, time: string, numberOfChats: number, numberOfAIChats: number, numberOfHumanChats: number }>
  const step = points[0]?.precision ?? 'day'
  const chatDates = chatSpan === null ? [] : datesBetween(shop.zone, chatSpan.from, chatSpan.to)
  const chats = new Map(chatDates.map((date) => [bucketLabel(date, step), { all: 0, human: 0 }]))
  for (const { date, isHuman } of chatsByDate) {
    const bucket = chats.get(bucketLabel(date, step))
    if (bucket === undefined) continue
    bucket.all += 1
    bucket.human += isHuman ? 1 : 0
  }
  expectSame('chats', points.map(({ time, numberOfChats, numberOfAIChats, numberOfHumanChats }) => (
    [bucketLabel(wallClock(shop.zone, Date.parse(time)).date, step), numberOfChats, numberOfAIChats, numberOfHumanChats]
  )), Array.from(chats, ([label, { all, human }]) => [label, all, all - human, human]))

  const topProducts = served['topProductsByAttributedSales'] as Array<{ totalSales: number, product: { externalId: string } }>
  // Of equal sales either may be shown.
  const shown = topProducts.map(({ product, ...rest }) => ({ externalId: product.externalId, ...rest }))
  expectSame('top products', shown.map(({ totalSales }) => totalSales), products.map(({ totalSales }) => totalSales).sort((a, b) => b - a).slice(0, 10))
  expectSame('products', shown, shown.map(({ externalId }) => products.find((product) => product.externalId === externalId)))
  expectSame('experts', (served['topExperts'] as Array<{ asAiPersona: boolean, numberOfChats: number, expert: { id: string } }>)
    .map(({ asAiPersona, numberOfChats, expert }) => [`${asAiPersona ? 'persona' : 'expert'}:${expert.id}`, numberOfChats]), experts)
  expectSame('cited', (served['topCitedKnowledge'] as Array<{ count: number, knowledgeDocument: { id: string } }>).map(({ count, knowledgeDocument }) => [knowledgeDocument.id, count]), cited.slice(0, 10))
  const top = served['topExpertByAttributedSales'] as { asAiPersona: boolean, attributedAmountUSD: number, expert: { id: string } } | null
  const most = credits.length === 0 ? null : Math.max(...credits.map(({ usd }) => usd))
  expectSame('top expert', top?.attributedAmountUSD ?? null, most)
  if (top !== null) expectSame('credit', credits.find(({ key }) => key === `${top.expert.id}/${top.asAiPersona}`)?.usd, top.attributedAmountUSD)
  expectSame('tags', (data.smartTagCounts as Array<{ tag: { id: string }, count: number }>).map(({ tag, count }) => [tag.id, count]), tags)
  return faults
}

function sameShape (a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return near(a, b)
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, index) => sameShape(each, b[index]))
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    return Object.keys({ ...a, ...b }).every((name) => sameShape((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]))
  }
  return a === b
}
