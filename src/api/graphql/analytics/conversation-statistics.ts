/**
 * The figures of one period, each computed when it is selected (docs/analytics.md has the formulas). Figures that come from
 * the same pipeline share it; every pipeline that is run counts against the request's budget.
 */
import pLimit from 'p-limit'
import type { Caller } from '../../../domain/access.js'
import { bucketDay, bucketsOf, checkPeriod, checkSpan, precisionOf, weekdaysIn, type Span } from '../../../domain/analytics/period.js'
import { zoneOf } from '../../../domain/analytics/time-zone.js'
import type { Sales, Scope, SessionCounts } from '../../../store/analytics/statistics.js'
import type { Repositories } from '../../../store/repositories.js'
import { callerKey } from '../../auth/caller-key.js'
import type { AnalyticsNodes, ConversationAggregateStatisticsNode } from './analytics-nodes.js'
import { once } from '../batch.js'
import { pageSize } from '../limits/page-size.js'
import type { RowBudget } from '../limits/row-budget.js'

const topProductsShown = 10
const topCitedShown = 10
const topExpertsPage = { min: 1, max: 100, default: 10 }
/** Of one request: a dashboard may not take all connections to the database. */
const pipelinesAtOnce = 4
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export type StatisticsOf = (scope: Scope, rows: RowBudget) => ConversationAggregateStatisticsNode

/** For one root field; `nodes` are those of the same. */
export function createStatisticsNodes (caller: Caller, { analytics: { statistics } }: Pick<Repositories, 'analytics'>, nodes: AnalyticsNodes): StatisticsOf {
  const limit = pLimit(pipelinesAtOnce)

  return (scope, rows) => {
    checkPeriod(scope.period)
    const computed = <T>(pipeline: () => Promise<T>): (() => Promise<T>) => once(async () => {
      rows.take('figure', 1)
      return await limit(pipeline)
    })
    const chats = computed(async () => await statistics.chats(scope))
    const median = computed(async () => await statistics.medianJoinSeconds(scope))
    const chatters = computed(async () => await statistics.chatters(scope))
    const nonChatters = computed(async () => await statistics.nonChatters(scope))
    const attributed = computed(async () => await statistics.attributedSales(scope))
    const salesByChatters = computed(async () => await statistics.salesByChatters(scope))
    const spanOfChats = computed(async () => await statistics.spanOfChats(scope))
    const spanOfSales = computed(async () => await statistics.spanOfAttributedSales(scope))

    /** The period with both ends; null when an end was left out and there is nothing that could tell it. */
    async function spanOf (recorded: () => Promise<Span | null>): Promise<Span | null> {
      const { start, end } = scope.period
      const known = start === null || end === null ? await recorded() : null
      const from = start?.getTime() ?? known?.start
      const to = end?.getTime() ?? known?.end
      if (from === undefined || to === undefined) return null
      const span = { start: from, end: to }
      checkSpan(span)
      return span
    }

    return {
      [callerKey]: caller,
      numberOfChats: async () => (await chats()).chats,
      numberOfHumanChats: async () => (await chats()).human,
      numberOfAIChats: async () => aiChats(await chats()),
      automationRate: async () => ratio(aiChats(await chats()), (await chats()).chats),
      totalValueOfConversationsAttributedToChat: async () => total(await attributed()).usd,
      totalValueOfConversationsAttributedToHumanChat: async () => (await attributed()).human.usd,
      totalValueOfConversationsAttributedToAIChat: async () => (await attributed()).ai.usd,
      numberOfConversionsAttributed: async () => total(await attributed()).orders,
      conversionRateForChatters: async () => conversionRate(await chatters()),
      conversionRateForNonChatters: async () => conversionRate(await nonChatters()),
      aovForChatters: async () => averageOrder((await salesByChatters()).chatters),
      aovForNonChatters: async () => averageOrder((await salesByChatters()).nonChatters),
      aovForAttributedConversions: async () => averageOrder(total(await attributed())),
      aovForNonAttributedConversions: async () => averageOrder((await salesByChatters()).nonAttributed),
      averageExpertResponseTime: async () => ratio((await chats()).responseSeconds, (await chats()).responses),
      medianJoinTime: median,
      totalManHoursSpentInChat: async () => (await chats()).humanSeconds / 3_600,
      async minutesSavedByRemark () {
        const { human, humanSeconds } = await chats()
        const minutesPerHumanChat = ratio(humanSeconds / 60, human)
        return minutesPerHumanChat === null ? null : aiChats(await chats()) * minutesPerHumanChat
      },
      async csatScore () {
        const { csatSum, csatRatings } = await chats()
        return ratio(csatSum, csatRatings)
      },

      async attributedRevenueTimeSeries ({ timezone }) {
        const zone = zoneOf(timezone)
        const span = await spanOf(spanOfSales)
        if (span === null) return []
        const precision = precisionOf(span, zone)
        const sums = new Map<number, number>()
        for (const [day, usd] of await computed(async () => await statistics.attributedByDay(scope, zone, span))()) {
          const bucket = bucketDay(day, precision)
          sums.set(bucket, (sums.get(bucket) ?? 0) + usd)
        }
        return bucketsOf(span, precision, zone).map(({ day, time }) => ({ precision, time, totalAttributedValue: sums.get(day) ?? 0 }))
      },

      async chatsByHourHistogram ({ timezone }) {
        const zone = zoneOf(timezone)
        const span = await spanOf(spanOfChats)
        const counts = span === null ? Array<number>(24).fill(0) : await computed(async () => await statistics.chatsByHour(scope, zone, span))()
        const days = span === null ? 0 : weekdaysIn(span, zone).reduce((sum, count) => sum + count, 0)
        return counts.map((count, hour) => ({ hour, count, average: days === 0 ? 0 : count / days }))
      },

      async chatsByDayOfWeekHistogram ({ timezone }) {
        const zone = zoneOf(timezone)
        const span = await spanOf(spanOfChats)
        const counts = span === null ? [] : await computed(async () => await statistics.chatsByWeekday(scope, zone, span))()
        const days = span === null ? [] : weekdaysIn(span, zone)
        return weekdays.map((day, dayIndex) => ({ day, dayIndex, chatCount: counts[dayIndex] ?? 0, dayCount: days[dayIndex] ?? 0 }))
      },

      async chatsByHourOfWeekHistogram ({ timezone }) {
        const zone = zoneOf(timezone)
        const span = await spanOf(spanOfChats)
        const counts = span === null ? [] : await computed(async () => await statistics.chatsByHourOfWeek(scope, zone, span))()
        const days = span === null ? [] : weekdaysIn(span, zone)
        return weekdays.flatMap((_, dayIndex) => Array.from({ length: 24 }, (_, hour) => (
          { dayIndex, hour, chatCount: counts[dayIndex * 24 + hour] ?? 0, dayCount: days[dayIndex] ?? 0 }
        )))
      },

      async chatsTimeSeries ({ timezone }) {
        const zone = zoneOf(timezone)
        const span = await spanOf(spanOfChats)
        if (span === null) return []
        const precision = precisionOf(span, zone)
        const sums = new Map<number, { chats: number, human: number }>()
        for (const [day, { chats, human }] of await computed(async () => await statistics.chatsByDay(scope, zone, span))()) {
          const bucket = bucketDay(day, precision)
          const known = sums.get(bucket) ?? { chats: 0, human: 0 }
          sums.set(bucket, { chats: known.chats + chats, human: known.human + human })
        }
        return bucketsOf(span, precision, zone).map(({ day, time }) => {
          const sum = sums.get(day) ?? { chats: 0, human: 0 }
          return { precision, time, numberOfChats: sum.chats, numberOfAIChats: aiChats(sum), numberOfHumanChats: sum.human }
        })
      },

      async topProductsByAttributedSales () {
        const products = await computed(async () => await statistics.topProducts(scope, topProductsShown))()
        const recommended = products.length === 0
          ? new Map<string, number>()
          : await computed(async () => await statistics.recommendations(scope, products.map(({ externalId }) => externalId)))()
        return products.map(({ externalId, name, sold, usd }) => ({
          numberOfRecommendations: recommended.get(externalId) ?? 0,
          numberSold: sold,
          totalSales: usd,
          product: nodes.product({ externalId, name, brandName: null, externalUrl: null })
        }))
      },

      async topExpertByAttributedSales () {
        const found = await computed(async () => await statistics.topExpertBySales(scope))()
        return found === null ? null : { asAiPersona: found.asAiPersona, attributedAmountUSD: found.usd, expert: await nodes.expert(found.expertId) }
      },

      async topExperts ({ first }) {
        const size = pageSize(first, topExpertsPage)
        const found = await computed(async () => await statistics.topExperts(scope, size))()
        return await Promise.all(found.map(async ({ expertId, asAiPersona, chats }) => ({
          asAiPersona, numberOfChats: chats, isCSAgent: await nodes.isCSAgent(expertId), expert: await nodes.expert(expertId)
        })))
      },

      async topCitedKnowledge () {
        const found = await computed(async () => await statistics.topCited(scope, topCitedShown))()
        return await Promise.all(found.map(async ({ id, count }) => ({ count, knowledgeDocument: await nodes.knowledgeDocument(id) })))
      }
    }
  }
}

const aiChats = ({ chats, human }: { chats: number, human: number }): number => chats - human

/** null: of nothing there is no average. */
const ratio = (part: number, whole: number): number | null => whole === 0 ? null : part / whole

const total = ({ human, ai }: { human: Sales, ai: Sales }): Sales => ({ orders: human.orders + ai.orders, usd: human.usd + ai.usd })
const averageOrder = ({ orders, usd }: Sales): number | null => ratio(usd, orders)
const conversionRate = ({ sessions, ordered }: SessionCounts): number | null => ratio(ordered, sessions)
