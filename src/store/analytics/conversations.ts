/**
 * Reading conversations, their events and surveys.
 *
 * A page is read in windows of time from its beginning on, until it is full, each about as long as the rest should need, and by the
 * index over filter keys and time, or over the vendor and time when there is no filter. A server that walks the index in the order of the sort (MongoDB) stops early in
 * any window; one that collects and sorts all that matches (SecantusDB) has little to collect. A long window, as there is after some in which nothing
 * was found, is cut where it would hold more than a command is to look at. Further conditions stand in `$match`
 * stages of their own: MongoDB merges them and chooses the index itself, the others take the one that the first stage names.
 */
import type { Document } from 'mongodb'
import type { ConversationDocument, ConversationEventDocument, CustomerEventDocument, SurveyDocument } from '../../domain/analytics/documents.js'
import { recordKey } from '../../domain/analytics/documents.js'
import type { Collections } from '../database/connection.js'
import type { Page } from '../jobs/import-jobs.js'
import type { ConversationExtent } from './conversation-extent.js'
import { createRecordPages } from './record-pages.js'

export type SortField = 'created' | 'activeAt'
export interface ConversationSort { field: SortField, direction: 'asc' | 'desc' }

/** The place of a conversation in a list: its values in the order of the sort, in milliseconds, and its key. */
export interface ConversationPosition { values: number[], key: string }

export interface ConversationPageOptions {
  /** See domain/analytics/conversation-filter; those that match few come first. */
  groups: string[][]
  /** One or two, of different fields. */
  sort: [ConversationSort, ...ConversationSort[]]
  first: number
  after: ConversationPosition | null
}

export interface Conversations {
  find (vendorId: string, id: string): Promise<ConversationDocument | null>
  findByKey (vendorId: string, key: string): Promise<ConversationDocument | null>
  page (vendorId: string, options: ConversationPageOptions): Promise<Page<ConversationDocument>>
  count (vendorId: string, groups: string[][]): Promise<number>
  /** The newest `last`, oldest first, and whether there are more before them. */
  events (conversationKey: string, last: number): Promise<{ events: ConversationEventDocument[], hasEarlier: boolean }>
  countEvents (conversationKey: string): Promise<number>
  /** NPS surveys, oldest first, of many conversations. */
  npsSurveys (conversationKeys: string[]): Promise<SurveyDocument[]>
  /** The newest of a session, oldest first. */
  customerEvents (sessionKey: string, last: number): Promise<CustomerEventDocument[]>
}

const firstWindowMs = 6 * 3_600_000
/** Shorter ones follow from how much the time so far has held. */
const longWindowMs = 8 * 24 * 3_600_000
const maxSurveys = 1_000

export function createConversations (collections: Collections, lookedAtPerCommand = 20_000): Conversations {
  const { conversations, conversationEvents, customerEvents, surveys, conversationExtents } = collections

  async function findByKey (vendorId: string, key: string): Promise<ConversationDocument | null> {
    const found = await conversations.findOne({ _id: key })
    return found?.vendorId === vendorId ? found : null
  }

  async function page (vendorId: string, { groups, sort, first, after }: ConversationPageOptions): Promise<Page<ConversationDocument>> {
    const extent = await conversationExtents.findOne({ _id: vendorId })
    if (extent === null) return { nodes: [], hasNextPage: false }
    const [{ field, direction }] = sort
    const isDescending = direction === 'desc'
    const [near, far] = endsOf(extent, field, isDescending)
    const begin = after?.values[0] ?? near
    const order = sortOf(sort)
    const behind = after === null ? [] : [{ $match: behindOf(sort, after) }]
    const [rarest, ...others] = groups
    const further = [...behind, ...others.map((keys) => ({ $match: { filterKeys: { $in: keys } } }))]
    const read = async (match: Document): Promise<ConversationDocument[]> =>
      await conversations.aggregate<ConversationDocument>([{ $match: match }, ...further, { $sort: order }, { $limit: first + 1 }]).toArray()

    /** The first ones in a range of time. One query for each key, because a list of keys is no range of the index to every server. */
    async function within (range: Document): Promise<ConversationDocument[]> {
      if (rarest === undefined) return await read({ vendorId, [field]: range })
      const lists = await Promise.all(rarest.map(async (key) => await read({ filterKeys: key, [field]: range })))
      if (lists.length === 1) return lists.flat()
      const each = new Map(lists.flat().map((conversation) => [conversation._id, conversation]))
      return [...each.values()].sort(comparator(sort))
    }

    /** Where a window that begins like this holds as many as a command is to look at. null: it does not. */
    async function fullAt (range: Document): Promise<number | null> {
      const options = { projection: { _id: 0, [field]: 1 }, sort: { [field]: signOf(direction) }, skip: lookedAtPerCommand, limit: 1 }
      const equal = rarest === undefined ? [{ vendorId }] : rarest.map((key) => ({ filterKeys: key }))
      const ends = await Promise.all(equal.map(async (each) => await conversations.find({ ...each, [field]: range }, options).toArray()))
      const times = ends.flat().map((conversation) => conversation[field].getTime())
      return times.length === 0 ? null : isDescending ? Math.max(...times) : Math.min(...times)
    }

    const found: ConversationDocument[] = []
    for (let from = begin, widthMs = firstWindowMs; ;) {
      let to = isDescending ? Math.max(from - widthMs, far - 1) : Math.min(from + widthMs, far + 1)
      // Windows share no instant: each begins where the one before has ended.
      const window = (): Document => isDescending ? between(to + 1, from + 1) : between(from, to)
      const full = widthMs > longWindowMs ? await fullAt(window()) : null
      if (full !== null) to = isDescending ? Math.min(full, from - 1) : Math.max(full, from + 1)
      found.push(...await within(window()))
      from = to
      if (found.length > first || (isDescending ? to < far : to > far)) return pageOf(found, first)
      widthMs = nextWidth(widthMs, Math.abs(from - begin), found.length, first + 1)
    }
  }

  /** Of those in a page. */
  async function countAmong ([rarest = [], ...others]: string[][], page: Document): Promise<number> {
    const [found] = await conversations.aggregate<{ n: number }>([
      { $match: { filterKeys: rarest.length === 1 ? rarest[0] : { $in: rarest }, ...page } },
      ...others.map((keys) => ({ $match: { filterKeys: { $in: keys } } })),
      { $group: { _id: null, n: { $sum: 1 } } }
    ]).toArray()
    return found?.n ?? 0
  }

  return {
    find: async (vendorId, id) => await findByKey(vendorId, recordKey(vendorId, 'conversations', id)),
    findByKey,
    page,
    async count (vendorId, groups) {
      const [rarest = [], ...others] = groups
      const [key] = rarest
      // A list of keys is no order of the index: then it is the vendor's.
      const equal: Document = rarest.length === 1 ? { filterKeys: key } : { vendorId }
      const few = await conversations.countDocuments(equal, { limit: lookedAtPerCommand + 1 })
      const isAll = others.length === 0 && rarest.length <= 1
      if (few <= lookedAtPerCommand) return isAll ? few : await countAmong(groups, {})
      let total = 0
      for await (const match of createRecordPages(conversations, equal, { start: null, end: null }, { pageSize: lookedAtPerCommand }).walk()) {
        total += isAll ? await conversations.countDocuments(match) : await countAmong(groups, rangeIn(match))
      }
      return total
    },
    async events (conversationKey, last) {
      const found = await conversationEvents.find({ conversationKey }).sort({ created: -1, _id: -1 }).limit(last + 1).toArray()
      return { events: found.slice(0, last).reverse(), hasEarlier: found.length > last }
    },
    countEvents: async (conversationKey) => await conversationEvents.countDocuments({ conversationKey }),
    async npsSurveys (conversationKeys) {
      const found: SurveyDocument[] = []
      for (let from = 0; from < conversationKeys.length; from += 50) {
        const filter = { conversationKey: { $in: conversationKeys.slice(from, from + 50) } }
        found.push(...await surveys.find(filter).limit(maxSurveys).toArray())
      }
      return found.filter(({ type }) => type === 'NPS').sort((a, b) => a.created.getTime() - b.created.getTime() || (a._id < b._id ? -1 : 1))
    },
    async customerEvents (sessionKey, last) {
      return (await customerEvents.find({ sessionKey }).sort({ created: -1, _id: -1 }).limit(last).toArray()).reverse()
    }
  }
}

/** Of a page of records, without what is equal in all of them. */
const rangeIn = (match: Document): Document => Object.fromEntries(Object.entries(match).filter(([field]) => field === 'created' || field === '_id'))

/** As much time as should hold the rest, going by what the time so far has held. */
function nextWidth (widthMs: number, seenMs: number, found: number, wanted: number): number {
  const expected = found === 0 ? Infinity : 1.3 * seenMs * (wanted - found) / found
  return Math.min(Math.max(expected, 2 * widthMs), 8 * widthMs)
}

const pageOf = (found: ConversationDocument[], first: number): Page<ConversationDocument> =>
  ({ nodes: found.slice(0, first), hasNextPage: found.length > first })

/** Where a list begins and where it ends. */
function endsOf (extent: ConversationExtent, field: SortField, isDescending: boolean): [number, number] {
  const [min, max] = field === 'created' ? [extent.createdMin, extent.createdMax] : [extent.activeAtMin, extent.activeAtMax]
  return isDescending ? [max.getTime(), min.getTime()] : [min.getTime(), max.getTime()]
}

/** secantusd-rs loses what equals an upper bound of `$lte` where the index has a further field. */
const between = (start: number, end: number): Document => ({ $gte: new Date(start), $lt: new Date(end) })

const signOf = (direction: 'asc' | 'desc'): 1 | -1 => direction === 'asc' ? 1 : -1

/** Conversations of the same times stand in the order of their keys, in the direction of the first field. */
const sortOf = (sort: [ConversationSort, ...ConversationSort[]]): Record<string, 1 | -1> =>
  Object.fromEntries([...sort.map(({ field, direction }) => [field, signOf(direction)] as const), ['_id', signOf(sort[0].direction)]])

/** Everything behind a position: the first value further, or the same and the next one further, and so on. */
function behindOf (sort: [ConversationSort, ...ConversationSort[]], { values, key }: ConversationPosition): Document {
  const fields = [
    ...sort.map(({ field, direction }, index) => ({ field, direction, value: new Date(values[index] ?? 0) })),
    { field: '_id', direction: sort[0].direction, value: key as Date | string }
  ]
  return {
    $or: fields.map(({ field, direction, value }, index) => ({
      ...Object.fromEntries(fields.slice(0, index).map((before) => [before.field, before.value])),
      [field]: direction === 'asc' ? { $gt: value } : { $lt: value }
    }))
  }
}

const comparator = (sort: [ConversationSort, ...ConversationSort[]]) => (a: ConversationDocument, b: ConversationDocument): number => {
  for (const { field, direction } of sort) {
    const difference = a[field].getTime() - b[field].getTime()
    if (difference !== 0) return difference * signOf(direction)
  }
  return (a._id < b._id ? -1 : 1) * signOf(sort[0].direction)
}

/** The place of a conversation in a list that is sorted like this. */
export const positionOf = (conversation: ConversationDocument, sort: readonly ConversationSort[]): ConversationPosition =>
  ({ values: sort.map(({ field }) => conversation[field].getTime()), key: conversation._id })
