/**
 * The figures of a period (interface.md, "Analytics records"; docs/analytics.md has each one's formula). Each function is one pipeline, which
 * goes over the records page by page (record-pages.ts) and whose rows are added up here, in memory that does not grow with them. Two figures
 * that need the same pipeline are asked for together. The figures of one scope, which is one object, go over the same pages.
 *
 * Forms that SecantusDB answers wrongly or not at all are avoided: `$a.b` through arrays of documents, `$count`, dates
 * minus dates, `$dateTrunc` (the bucket of an instant is computed from its milliseconds and the zone's offset instead).
 */
import type { Collection, Document } from 'mongodb'
import { dayIndexOf, type Period, type Span } from '../../domain/analytics/period.js'
import type { Zone } from '../../domain/analytics/time-zone.js'
import type { Channel } from '../../domain/analytics/records.js'
import type { Collections } from '../database/connection.js'
import { createdIn } from './created-in.js'
import { createChannelSums } from './day-sums.js'
import { exactMedian, type Look, type NumberRange } from './exact-median.js'
import { createKeySums } from './key-sums.js'
import { hoursPerWeek, localDay, localHour, localHourOfWeek } from './local-time.js'
import { createRecordPages, type RecordPages, type RecordPagesOptions } from './record-pages.js'
import { createSessionSample, sampledKeyLength } from './session-sample.js'
import { createTagsByDay, type Counted } from './tags-by-day.js'

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
export interface ChatsOfDay { chats: number, human: number }
export interface Sales { orders: number, usd: number }
export interface AttributedSales { human: Sales, ai: Sales }
export interface SessionCounts { sessions: number, ordered: number }
export interface ProductSales { externalId: string, name: string | null, sold: number, usd: number }
export interface ExpertSales { expertId: string, asAiPersona: boolean, usd: number }
export interface ExpertChats { expertId: string, asAiPersona: boolean, chats: number }

export interface Statistics {
  chats (scope: Scope): Promise<ChatSums>
  /** Seconds; null when no expert joined any chat. */
  medianJoinSeconds (scope: Scope): Promise<number | null>
  /** Of more than a quarter of a million sessions an estimate, from a sample (session-sample.ts). */
  chatters (scope: Scope): Promise<SessionCounts>
  nonChatters (scope: Scope): Promise<SessionCounts>
  attributedSales (scope: Scope): Promise<AttributedSales>
  salesByChatters (scope: Scope): Promise<{ chatters: Sales, nonChatters: Sales, nonAttributed: Sales }>
  /** Of the records that the figure is about; null when there are none. */
  spanOfChats (scope: Scope): Promise<Span | null>
  spanOfAttributedSales (scope: Scope): Promise<Span | null>
  /** USD by local day. */
  attributedByDay (scope: Scope, zone: Zone, span: Span): Promise<Map<number, number>>
  /** By local day. */
  chatsByDay (scope: Scope, zone: Zone, span: Span): Promise<Map<number, ChatsOfDay>>
  /** 24 numbers. */
  chatsByHour (scope: Scope, zone: Zone, span: Span): Promise<number[]>
  /** 7 numbers, Monday first. */
  chatsByWeekday (scope: Scope, zone: Zone, span: Span): Promise<number[]>
  /** 168 numbers, those of Monday first. */
  chatsByHourOfWeek (scope: Scope, zone: Zone, span: Span): Promise<number[]>
  topProducts (scope: Scope, first: number): Promise<ProductSales[]>
  /** How often these products were recommended, by external id. */
  recommendations (scope: Scope, externalIds: string[]): Promise<Map<string, number>>
  topExpertBySales (scope: Scope): Promise<ExpertSales | null>
  topExperts (scope: Scope, first: number): Promise<ExpertChats[]>
  topCited (scope: Scope, first: number): Promise<Counted[]>
  /** Most used first, 10,000 at most. */
  tagCounts (scope: Scope): Promise<Counted[]>
}

const one = { $sum: 1 }
const sumIf = (condition: unknown, value: unknown = 1): Document => ({ $sum: { $cond: [condition, value, 0] } })

/** More than any page answers. */
const maxBatch = 100_000

interface CreatedRecord { created: Date }
interface StatisticsOptions extends RecordPagesOptions {
  /** That are remembered at a time; see key-sums.ts and session-sample.ts. */
  maxKeys?: number
  maxSessions?: number
  /** That a page may answer of a list of keys. */
  maxRows?: number
}

/** What figures are about, each with an index of its own. */
type Source = 'conversations' | 'orders' | 'attributedOrders' | 'silentSessions'

/** That a page answers of a list. What comes behind them counts for what is missing. */
const defaultMaxRows = 2_000
/** What is looked up exactly where the memory for keys did not suffice. */
const finalists = 1_000
/** All that a vendor has. */
const maxTags = 10_000
/** In which numbers of any size are told apart by less than a hundredth; a range in so many again. */
const [rangesPerPower, rangesPerLook] = [128, 1_000]

interface KeyRow { key: string, weight: number }

interface ListOf {
  /** Records, to entries of their lists. */
  stages: Document[]
  /** Expression for what an entry is counted by: a text. */
  key: unknown
  weight: Document
  further?: Record<string, Document>
  maxRows?: number
}

export function createStatistics (collections: Collections, options: StatisticsOptions = {}): Statistics {
  const { conversations, sessions, orders } = collections
  const { maxKeys, maxSessions, maxRows, ...pageOptions } = options
  const usualRows = maxRows ?? defaultMaxRows
  const chatSums = createChannelSums(collections, {
    kind: 'conversations',
    of: '$channel',
    fields: {
      chats: one,
      human: sumIf('$facts.human'),
      humanSeconds: sumIf('$facts.human', { $ifNull: ['$segment.totalTimeSpentChatting', 0] }),
      responses: { $sum: '$facts.responses' },
      responseSeconds: { $sum: '$facts.responseSeconds' },
      csatRatings: { $sum: '$facts.csatRatings' },
      csatSum: { $sum: '$facts.csatSum' }
    }
  }, pageOptions)
  const salesSums = createChannelSums(collections, {
    kind: 'orders',
    condition: { attributed: true },
    of: '$attributedChannel',
    fields: {
      orders: one, usd: { $sum: '$totalPriceUSD' }, humanOrders: sumIf('$attributedToHuman'), humanUsd: sumIf('$attributedToHuman', '$totalPriceUSD')
    }
  }, pageOptions)
  const tagsByDay = createTagsByDay(collections, { ...pageOptions, ...(maxRows === undefined ? {} : { maxRows }) })
  const sources: Record<Source, { collection: Collection<CreatedRecord>, condition: Document, channel: string | null }> = {
    conversations: { collection: conversations as unknown as Collection<CreatedRecord>, condition: {}, channel: 'channel' },
    orders: { collection: orders as unknown as Collection<CreatedRecord>, condition: {}, channel: null },
    attributedOrders: { collection: orders as unknown as Collection<CreatedRecord>, condition: { attributed: true }, channel: 'attributedChannel' },
    silentSessions: { collection: sessions as unknown as Collection<CreatedRecord>, condition: { chatted: false }, channel: null }
  }
  const pagesByScope = new WeakMap<Scope, Map<Source, RecordPages>>()

  function pagesOf (scope: Scope, source: Source): RecordPages {
    const known = pagesByScope.get(scope) ?? new Map<Source, RecordPages>()
    pagesByScope.set(scope, known)
    const { collection, condition } = sources[source]
    const pages = known.get(source) ?? createRecordPages(collection, { vendorId: scope.vendorId, ...condition }, scope.period, pageOptions)
    known.set(source, pages)
    return pages
  }

  /** What a pipeline answers for each page. Stages may differ from page to page. */
  async function * answers<T> (scope: Scope, source: Source, stages: () => Document[]): AsyncGenerator<T[]> {
    const { collection, channel } = sources[source]
    const ofChannel = scope.channel === null || channel === null ? [] : [{ $match: { [channel]: scope.channel } }]
    for await (const match of pagesOf(scope, source).walk()) {
      // All of it in one batch.
      yield await collection.aggregate<T & Document>([{ $match: match }, ...ofChannel, ...stages()], { batchSize: maxBatch, allowDiskUse: true }).toArray()
    }
  }

  async function totals<Name extends string> (scope: Scope, source: Source, fields: Record<Name, Document>): Promise<Record<Name, number>> {
    const total = Object.fromEntries(Object.keys(fields).map((name) => [name, 0])) as Record<Name, number>
    for await (const rows of answers<Record<Name, number>>(scope, source, () => [{ $group: { _id: null, ...fields } }])) {
      for (const row of rows) for (const name of Object.keys(fields) as Name[]) total[name] += row[name]
    }
    return total
  }

  /** By a number that few records differ in. */
  async function totalsBy<Name extends string> (scope: Scope, source: Source, by: Document, fields: Record<Name, Document>): Promise<Map<number, Record<Name, number>>> {
    const all = new Map<number, Record<Name, number>>()
    for await (const rows of answers<Record<Name, number> & { _id: number }>(scope, source, () => [{ $group: { _id: by, ...fields } }])) {
      for (const row of rows) {
        const known = all.get(Number(row._id))
        if (known === undefined) all.set(Number(row._id), row)
        else for (const name of Object.keys(fields) as Name[]) known[name] += row[name]
      }
    }
    return all
  }

  const sumsBy = async (scope: Scope, source: Source, by: Document, sum: Document) =>
    new Map(Array.from(await totalsBy(scope, source, by, { sum }), ([key, total]) => [key, total.sum]))

  async function span (scope: Scope, source: Source): Promise<Span | null> {
    const { collection, condition, channel } = sources[source]
    if (scope.channel === null || channel === null) {
      const filter = { vendorId: scope.vendorId, ...condition, ...createdIn(scope.period) }
      const outermost = async (direction: 1 | -1): Promise<CreatedRecord | undefined> =>
        (await collection.find(filter, { projection: { _id: 0, created: 1 }, sort: { created: direction }, limit: 1 }).toArray())[0]
      const [first, last] = await Promise.all([outermost(1), outermost(-1)])
      return first === undefined || last === undefined ? null : { start: first.created.getTime(), end: last.created.getTime() + 1 }
    }
    const found: Span[] = []
    const stages = (): Document[] => [{ $group: { _id: null, min: { $min: '$created' }, max: { $max: '$created' } } }]
    for await (const [row] of answers<{ min: Date, max: Date }>(scope, source, stages)) {
      if (row !== undefined) found.push({ start: row.min.getTime(), end: row.max.getTime() + 1 })
    }
    // Pages go backwards.
    const [newest, oldest] = [found[0], found.at(-1)]
    return newest === undefined || oldest === undefined ? null : { start: oldest.start, end: newest.end }
  }

  /** Heaviest first. What a list adds up to is exact, and so is which they are, unless there are very many (docs/analytics.md). */
  async function heaviest<Row extends KeyRow> (
    scope: Scope, source: Source, { stages, key, weight, further = {}, maxRows = usualRows }: ListOf, first: number, merge: (into: Row, row: Row) => void = () => {}
  ): Promise<Row[]> {
    const look = async (only: string[] | null): Promise<ReturnType<typeof createKeySums<Row>>> => {
      const sums = createKeySums(merge, maxKeys)
      const among = only === null ? [] : [{ $match: { $expr: { $in: [key, { $literal: only }] } } }]
      for await (const rows of answers<Omit<Row, 'key'> & { _id: string }>(scope, source, () => [
        ...stages, ...among, { $group: { _id: key, weight, ...further } }, { $sort: { weight: -1, _id: 1 } }, { $limit: maxRows + 1 }
      ])) {
        for (const { _id, ...row } of rows.slice(0, maxRows)) sums.add({ ...row, key: _id } as unknown as Row)
        const behind = rows[maxRows]
        if (behind !== undefined) sums.leaveOut(behind.weight)
      }
      return sums
    }
    const sums = await look(null)
    if (sums.lost() === 0) return sums.heaviest(first)
    const known = sums.heaviest(Math.min(Math.max(first, finalists), maxRows)).map(({ key }) => key)
    return (await look(known)).heaviest(first)
  }

  /** The entries of a list, with what else is wanted of a record: the embedded servers would copy the whole record for each. */
  const entriesOf = (list: string, ...others: string[]): Document[] =>
    [{ $project: { _id: 0, ...Object.fromEntries([list, ...others].map((field) => [field, 1])) } }, { $unwind: `$${list}` }]
  const entries = (list: string, further: Document[] = []): ListOf => ({ stages: [...entriesOf(list), ...further], key: `$${list}`, weight: one })

  return {
    chats: chatSums,

    async medianJoinSeconds (scope) {
      const seconds = '$facts.joinSeconds'
      return await exactMedian(async (look: Look) => {
        const by = look === null
          ? { $multiply: [{ $ln: { $add: [seconds, 1] } }, rangesPerPower] }
          : { $divide: [{ $subtract: [seconds, look.min] }, (look.max - look.min) / rangesPerLook] }
        const ranges = new Map<number, NumberRange>()
        for await (const rows of answers<NumberRange & { _id: number }>(scope, 'conversations', () => [
          { $match: { 'facts.joinSeconds': look === null ? { $gte: 0 } : { $gte: look.min, $lte: look.max } } },
          { $group: { _id: { $floor: by }, n: one, min: { $min: seconds }, max: { $max: seconds } } }
        ])) {
          for (const { _id, n, min, max } of rows) {
            const known = ranges.get(Number(_id)) ?? { n: 0, min, max }
            ranges.set(Number(_id), { n: known.n + n, min: Math.min(known.min, min), max: Math.max(known.max, max) })
          }
        }
        return [...ranges.values()]
      })
    },

    async chatters (scope) {
      const sample = createSessionSample(maxSessions)
      const stages = (): Document[] => {
        const threshold = sample.threshold()
        return [
          { $match: { sessionKey: threshold === null ? { $ne: null } : { $lt: threshold } } },
          { $group: { _id: '$facts.converted', keys: { $push: { $substrBytes: ['$sessionKey', 0, sampledKeyLength] } } } }
        ]
      }
      for await (const rows of answers<{ _id: boolean, keys: string[] }>(scope, 'conversations', stages)) {
        for (const { _id: ordered, keys } of rows) for (const key of keys) sample.add(key, ordered)
      }
      return sample.counts()
    },

    async nonChatters (scope) {
      return await totals(scope, 'silentSessions', { sessions: one, ordered: sumIf('$ordered') })
    },

    async attributedSales (scope) {
      const found = await salesSums(scope)
      return {
        human: { orders: found.humanOrders, usd: found.humanUsd },
        ai: { orders: found.orders - found.humanOrders, usd: found.usd - found.humanUsd }
      }
    },

    async salesByChatters (scope) {
      const chatted = scope.channel === null ? '$chatted' : { $in: [scope.channel, '$sessionChannels'] }
      const silent = { $not: ['$chatted'] }
      const free = { $not: ['$attributed'] }
      const usd = '$totalPriceUSD'
      const found = await totals(scope, 'orders', {
        chatted: sumIf(chatted),
        chattedUsd: sumIf(chatted, usd),
        silent: sumIf(silent),
        silentUsd: sumIf(silent, usd),
        free: sumIf(free),
        freeUsd: sumIf(free, usd)
      })
      return {
        chatters: { orders: found.chatted, usd: found.chattedUsd },
        nonChatters: { orders: found.silent, usd: found.silentUsd },
        nonAttributed: { orders: found.free, usd: found.freeUsd }
      }
    },

    spanOfChats: async (scope) => await span(scope, 'conversations'),
    spanOfAttributedSales: async (scope) => await span(scope, 'attributedOrders'),

    attributedByDay: async (scope, zone, span) => await sumsBy(scope, 'attributedOrders', localDay(zone, span), { $sum: '$totalPriceUSD' }),

    chatsByDay: async (scope, zone, span) => await totalsBy(scope, 'conversations', localDay(zone, span), { chats: one, human: sumIf('$facts.human') }),

    chatsByHour: async (scope, zone, span) => listOf(24, await sumsBy(scope, 'conversations', localHour(zone, span), one)),

    async chatsByWeekday (scope, zone, span) {
      const counts = [0, 0, 0, 0, 0, 0, 0]
      for (const [rest, n] of await sumsBy(scope, 'conversations', { $mod: [localDay(zone, span), 7] }, one)) {
        const index = dayIndexOf(rest)
        counts[index] = (counts[index] ?? 0) + n
      }
      return counts
    },

    chatsByHourOfWeek: async (scope, zone, span) => listOf(hoursPerWeek, await sumsBy(scope, 'conversations', localHourOfWeek(zone, span), one)),

    async topProducts (scope, first) {
      interface Sold extends KeyRow { sold: number, name: string | null }
      const found = await heaviest<Sold>(scope, 'attributedOrders', {
        stages: [...entriesOf('lineItems', 'usdRate'), { $match: { 'lineItems.product': { $ne: null } } }],
        key: '$lineItems.product.externalId',
        weight: { $sum: { $multiply: ['$lineItems.finalTotalPrice', '$usdRate'] } },
        further: { sold: { $sum: '$lineItems.quantity' }, name: { $max: '$lineItems.product.name' } }
      }, first, (into, { sold, name }) => {
        into.sold += sold
        if (into.name === null || (name !== null && name > into.name)) into.name = name
      })
      return found.map(({ key, weight, sold, name }) => ({ externalId: key, name, sold, usd: weight }))
    },

    async recommendations (scope, externalIds) {
      const found = await heaviest(scope, 'conversations', entries('facts.recommended', [{ $match: { 'facts.recommended': { $in: externalIds } } }]), externalIds.length)
      return new Map(found.map(({ key, weight }) => [key, weight]))
    },

    async topExpertBySales (scope) {
      const [found] = await heaviest(scope, 'attributedOrders', {
        stages: [{ $match: { 'attribution.chattingExpertId': { $ne: null } } }],
        key: { $concat: [{ $cond: [{ $ifNull: ['$attribution.asAiPersona', false] }, 'persona:', 'expert:'] }, '$attribution.chattingExpertId'] },
        weight: { $sum: '$totalPriceUSD' }
      }, 1)
      return found === undefined ? null : { ...participantOf(found.key), usd: found.weight }
    },

    async topExperts (scope, first) {
      const found = await heaviest(scope, 'conversations', entries('facts.participants'), first)
      return found.map(({ key, weight }) => ({ ...participantOf(key), chats: weight }))
    },

    async topCited (scope, first) {
      return countsOf(await heaviest(scope, 'conversations', entries('facts.cited'), first))
    },

    async tagCounts (scope) {
      return (await tagsByDay(scope))?.slice(0, maxTags) ?? countsOf(await heaviest(scope, 'conversations', { ...entries('facts.tagIds'), maxRows: Math.max(usualRows, maxTags) }, maxTags))
    }
  }
}

/** `expert:ID`, or `persona:ID` where the AI wrote in the expert's name. */
const participantOf = (key: string): { expertId: string, asAiPersona: boolean } =>
  ({ expertId: key.slice(key.indexOf(':') + 1), asAiPersona: key.startsWith('persona:') })

const listOf = (length: number, sums: ReadonlyMap<number, number>): number[] => Array.from({ length }, (_, index) => sums.get(index) ?? 0)

const countsOf = (rows: KeyRow[]): Counted[] => rows.map(({ key, weight }) => ({ id: key, count: weight }))
