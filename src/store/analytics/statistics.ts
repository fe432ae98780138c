/**
 * The figures of a period (interface.md, "Analytics records"; docs/analytics.md has each one's formula). Each function is
 * one pipeline over an index that begins with the vendor and the time; what comes back is a handful of numbers, at most one
 * per local day. Two figures that need the same pipeline are asked for together.
 *
 * Forms that SecantusDB answers wrongly or not at all are avoided: `$a.b` through arrays of documents, `$count`, dates
 * minus dates, `$dateTrunc` (the bucket of an instant is computed from its milliseconds and the zone's offset instead).
 */
import type { Document } from 'mongodb'
import { dayIndexOf, type Period, type Span } from '../../domain/analytics/period.js'
import { dayMs, type Zone } from '../../domain/analytics/time-zone.js'
import type { Channel } from '../../domain/analytics/records.js'
import type { Collections } from '../database/connection.js'
import { createDaySums, type DaySums } from './day-sums.js'

export interface Scope { vendorId: string, period: Period, channel: Channel | null }

export interface ChatSums {
  chats: number
  human: number
  /** That experts spent in human chats. */
  humanSeconds: number
  responses: number
  responseSeconds: number
  csatRatings: number
  csatSum: number
}
export interface Sales { orders: number, usd: number }
export interface AttributedSales { human: Sales, ai: Sales }
export interface SessionCounts { sessions: number, ordered: number }
export interface ProductSales { externalId: string, name: string | null, sold: number, usd: number }
export interface ExpertSales { expertId: string, asAiPersona: boolean, usd: number }
export interface ExpertChats { expertId: string, asAiPersona: boolean, chats: number }
export interface Counted { id: string, count: number }

export interface Statistics {
  chats (scope: Scope): Promise<ChatSums>
  /** Seconds; null when no expert joined any chat. */
  medianJoinSeconds (scope: Scope): Promise<number | null>
  chatters (scope: Scope): Promise<SessionCounts>
  nonChatters (scope: Scope): Promise<SessionCounts>
  attributedSales (scope: Scope): Promise<AttributedSales>
  salesByChatters (scope: Scope): Promise<{ chatters: Sales, nonChatters: Sales, nonAttributed: Sales }>
  /** Of the records that the figure is about; null when there are none. */
  spanOfChats (scope: Scope): Promise<Span | null>
  spanOfAttributedSales (scope: Scope): Promise<Span | null>
  /** USD by local day. */
  attributedByDay (scope: Scope, zone: Zone, span: Span): Promise<Map<number, number>>
  /** 24 numbers. */
  chatsByHour (scope: Scope, zone: Zone, span: Span): Promise<number[]>
  /** 7 numbers, Monday first. */
  chatsByWeekday (scope: Scope, zone: Zone, span: Span): Promise<number[]>
  topProducts (scope: Scope, first: number): Promise<ProductSales[]>
  /** How often these products were recommended, by external id. */
  recommendations (scope: Scope, externalIds: string[]): Promise<Map<string, number>>
  topExpertBySales (scope: Scope): Promise<ExpertSales | null>
  topExperts (scope: Scope, first: number): Promise<ExpertChats[]>
  topCited (scope: Scope, first: number): Promise<Counted[]>
  /** Most used first. */
  tagCounts (scope: Scope): Promise<Counted[]>
}

const one = { $sum: 1 }
const sumIf = (condition: unknown, value: unknown = 1): Document => ({ $sum: { $cond: [condition, value, 0] } })

function within ({ start, end }: Period): Document {
  if (start === null && end === null) return {}
  return { created: { ...(start === null ? {} : { $gte: start }), ...(end === null ? {} : { $lt: end }) } }
}

/** Conversations of the scope. */
const conversationsOf = ({ vendorId, period, channel }: Scope): Document[] =>
  [{ $match: { vendorId, ...within(period) } }, ...(channel === null ? [] : [{ $match: { channel } }])]

/** Orders that are attributed to a chat of the scope's channel. */
const attributedOrdersOf = ({ vendorId, period, channel }: Scope): Document[] =>
  [{ $match: { vendorId, attributed: true, ...within(period) } }, ...(channel === null ? [] : [{ $match: { attributedChannel: channel } }])]

/** Local time in milliseconds, as if the wall clock showed UTC. */
function localTime (zone: Zone, { start, end }: Span): Document {
  const [first, ...later] = zone.pieces(start, end)
  const branches = later.reverse().map(({ from, offsetMs }) => ({ case: { $gte: ['$created', new Date(from)] }, then: offsetMs }))
  const offset = branches.length === 0 ? first?.offsetMs ?? 0 : { $switch: { branches, default: first?.offsetMs ?? 0 } }
  return { $add: [{ $toLong: '$created' }, offset] }
}

const localDay = (zone: Zone, span: Span): Document => ({ $floor: { $divide: [localTime(zone, span), dayMs] } })
const localHour = (zone: Zone, span: Span): Document => ({ $mod: [{ $floor: { $divide: [localTime(zone, span), 3_600_000] } }, 24] })

export function createStatistics (collections: Collections): Statistics {
  const { conversations, sessions, orders } = collections
  const chatSums: DaySums<keyof ChatSums> = createDaySums(collections, {
    kind: 'conversations',
    channel: '$channel',
    fields: {
      chats: one,
      human: sumIf('$facts.human'),
      humanSeconds: sumIf('$facts.human', { $ifNull: ['$segment.totalTimeSpentChatting', 0] }),
      responses: { $sum: '$facts.responses' },
      responseSeconds: { $sum: '$facts.responseSeconds' },
      csatRatings: { $sum: '$facts.csatRatings' },
      csatSum: { $sum: '$facts.csatSum' }
    }
  })
  const salesSums = createDaySums(collections, {
    kind: 'orders',
    condition: { attributed: true },
    channel: '$attributedChannel',
    fields: {
      orders: one, usd: { $sum: '$totalPriceUSD' }, humanOrders: sumIf('$attributedToHuman'), humanUsd: sumIf('$attributedToHuman', '$totalPriceUSD')
    }
  })
  type Source = typeof conversations | typeof orders | typeof sessions

  /** The one document of a `$group` without a key; null when nothing matched. */
  async function total<T> (source: Source, stages: Document[], fields: Document): Promise<T | null> {
    const [found] = await (source as typeof conversations).aggregate<T & Document>([...stages, { $group: { _id: null, ...fields } }]).toArray()
    return found ?? null
  }

  async function span (source: Source, stages: Document[]): Promise<Span | null> {
    const found = await total<{ min: Date, max: Date }>(source, stages, { min: { $min: '$created' }, max: { $max: '$created' } })
    return found === null ? null : { start: found.min.getTime(), end: found.max.getTime() + 1 }
  }

  async function countBy (stages: Document[], by: string | Document, limit?: number): Promise<Array<{ _id: string, n: number }>> {
    return await conversations.aggregate<{ _id: string, n: number }>([
      ...stages, { $group: { _id: by, n: one } }, { $sort: { n: -1, _id: 1 } }, ...(limit === undefined ? [] : [{ $limit: limit }])
    ]).toArray()
  }

  return {
    chats: chatSums,

    async medianJoinSeconds (scope) {
      const joined = [...conversationsOf(scope), { $match: { 'facts.joinSeconds': { $gte: 0 } } }]
      const n = (await total<{ n: number }>(conversations, joined, { n: one }))?.n ?? 0
      if (n === 0) return null
      const middle = await conversations.aggregate<{ seconds: number }>([
        ...joined, { $project: { seconds: '$facts.joinSeconds' } }, { $sort: { seconds: 1, _id: 1 } },
        { $skip: Math.floor((n - 1) / 2) }, { $limit: n % 2 === 0 ? 2 : 1 }
      ]).toArray()
      // A chat may have been added or changed since it was counted; then one of the two is missing at most.
      return middle.length === 0 ? null : middle.reduce((sum, { seconds }) => sum + seconds, 0) / middle.length
    },

    async chatters (scope) {
      return await total<SessionCounts>(conversations, [
        ...conversationsOf(scope), { $match: { sessionKey: { $ne: null } } },
        { $group: { _id: '$sessionKey', ordered: { $max: { $cond: ['$facts.converted', 1, 0] } } } }
      ], { sessions: one, ordered: { $sum: '$ordered' } }) ?? { sessions: 0, ordered: 0 }
    },

    async nonChatters ({ vendorId, period }) {
      return await total<SessionCounts>(sessions, [{ $match: { vendorId, chatted: false, ...within(period) } }], {
        sessions: one, ordered: sumIf('$ordered')
      }) ?? { sessions: 0, ordered: 0 }
    },

    async attributedSales (scope) {
      const found = await salesSums(scope)
      return {
        human: { orders: found.humanOrders, usd: found.humanUsd },
        ai: { orders: found.orders - found.humanOrders, usd: found.usd - found.humanUsd }
      }
    },

    async salesByChatters ({ vendorId, period, channel }) {
      const chatted = channel === null ? '$chatted' : { $in: [channel, '$sessionChannels'] }
      const silent = { $not: ['$chatted'] }
      const free = { $not: ['$attributed'] }
      const usd = '$totalPriceUSD'
      const found = await total<Record<'chatted' | 'chattedUsd' | 'silent' | 'silentUsd' | 'free' | 'freeUsd', number>>(
        orders, [{ $match: { vendorId, ...within(period) } }], {
          chatted: sumIf(chatted),
          chattedUsd: sumIf(chatted, usd),
          silent: sumIf(silent),
          silentUsd: sumIf(silent, usd),
          free: sumIf(free),
          freeUsd: sumIf(free, usd)
        })
      return {
        chatters: { orders: found?.chatted ?? 0, usd: found?.chattedUsd ?? 0 },
        nonChatters: { orders: found?.silent ?? 0, usd: found?.silentUsd ?? 0 },
        nonAttributed: { orders: found?.free ?? 0, usd: found?.freeUsd ?? 0 }
      }
    },

    spanOfChats: async (scope) => await span(conversations, conversationsOf(scope)),
    spanOfAttributedSales: async (scope) => await span(orders, attributedOrdersOf(scope)),

    async attributedByDay (scope, zone, span) {
      const days = await orders.aggregate<{ _id: number, usd: number }>([
        ...attributedOrdersOf(scope), { $group: { _id: localDay(zone, span), usd: { $sum: '$totalPriceUSD' } } }
      ]).toArray()
      return new Map(days.map(({ _id, usd }) => [Number(_id), usd]))
    },

    async chatsByHour (scope, zone, span) {
      const hours = await countBy(conversationsOf(scope), localHour(zone, span))
      return Array.from({ length: 24 }, (_, hour) => hours.find(({ _id }) => Number(_id) === hour)?.n ?? 0)
    },

    async chatsByWeekday (scope, zone, span) {
      const counts = [0, 0, 0, 0, 0, 0, 0]
      for (const { _id, n } of await countBy(conversationsOf(scope), { $mod: [localDay(zone, span), 7] })) {
        const index = dayIndexOf(Number(_id))
        counts[index] = (counts[index] ?? 0) + n
      }
      return counts
    },

    async topProducts (scope, first) {
      const found = await orders.aggregate<{ _id: string, name: string | null, sold: number, usd: number }>([
        ...attributedOrdersOf(scope),
        { $unwind: '$lineItems' },
        { $match: { 'lineItems.product': { $ne: null } } },
        {
          $group: {
            _id: '$lineItems.product.externalId',
            name: { $max: '$lineItems.product.name' },
            sold: { $sum: '$lineItems.quantity' },
            usd: { $sum: { $multiply: ['$lineItems.finalTotalPrice', '$usdRate'] } }
          }
        },
        { $sort: { usd: -1, _id: 1 } },
        { $limit: first }
      ]).toArray()
      return found.map(({ _id, ...rest }) => ({ externalId: _id, ...rest }))
    },

    async recommendations (scope, externalIds) {
      const found = await countBy([
        ...conversationsOf(scope),
        { $unwind: '$facts.recommended' },
        { $match: { 'facts.recommended': { $in: externalIds } } }
      ], '$facts.recommended')
      return new Map(found.map(({ _id, n }) => [_id, n]))
    },

    async topExpertBySales (scope) {
      const [found] = await orders.aggregate<{ _id: { expertId: string, asAiPersona: boolean }, usd: number }>([
        ...attributedOrdersOf(scope),
        { $match: { 'attribution.chattingExpertId': { $ne: null } } },
        {
          $group: {
            _id: { expertId: '$attribution.chattingExpertId', asAiPersona: { $ifNull: ['$attribution.asAiPersona', false] } },
            usd: { $sum: '$totalPriceUSD' }
          }
        },
        { $sort: { usd: -1, _id: 1 } },
        { $limit: 1 }
      ]).toArray()
      return found === undefined ? null : { ...found._id, usd: found.usd }
    },

    async topExperts (scope, first) {
      const found = await countBy([...conversationsOf(scope), { $unwind: '$facts.participants' }], '$facts.participants', first)
      return found.map(({ _id, n }) => ({
        expertId: _id.slice(_id.indexOf(':') + 1), asAiPersona: _id.startsWith('persona:'), chats: n
      }))
    },

    async topCited (scope, first) {
      const found = await countBy([...conversationsOf(scope), { $unwind: '$facts.cited' }], '$facts.cited', first)
      return found.map(({ _id, n }) => ({ id: _id, count: n }))
    },

    async tagCounts (scope) {
      const found = await countBy([...conversationsOf(scope), { $unwind: '$facts.tagIds' }], '$facts.tagIds')
      return found.map(({ _id, n }) => ({ id: _id, count: n }))
    }
  }
}
