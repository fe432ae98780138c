/**
 * A page of a list of conversations, so that no command looks at more of them than it may, however many there are.
 *
 * It is read in windows of time from its beginning on, until it is full, each about as long as the rest should need, and by the
 * index over filter keys and time, or over the vendor and time when there is no filter. A server that walks the index in the order of the sort (MongoDB) stops early in
 * any window; one that collects and sorts all that matches (SecantusDB) has little to collect. A window is cut where it would hold more than a command
 * is to look at, and one instant that holds more by itself is read in ranges of ids. Further conditions stand in `$match`
 * stages of their own: MongoDB merges them and chooses the index itself, the others take the one that the first stage names.
 */
import type { Document } from 'mongodb'
import type { ConversationDocument } from '../../domain/analytics/documents.js'
import type { Period } from '../../domain/analytics/period.js'
import type { Zone } from '../../domain/analytics/time-zone.js'
import { unavailable } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import type { Page } from '../jobs/import-jobs.js'
import { currentReader } from '../reads/reader.js'
import type { ConversationExtent } from './conversation-extent.js'
import { localHourOfWeek } from './local-time.js'
import { recordsPerPage } from './record-pages.js'

export type SortField = 'created' | 'activeAt'
export interface ConversationSort { field: SortField, direction: 'asc' | 'desc' }

/** The place of a conversation in a list: its values in the order of the sort, in milliseconds, and its key. */
export interface ConversationPosition { values: number[], key: string }

/** Which of a vendor's conversations. */
export interface ConversationsAmong {
  /** See domain/analytics/conversation-filter; those that match few come first. */
  groups: string[][]
  /** When they were created. */
  period: Period
  /** Of every week, by the wall clock of the zone; see localHourOfWeek. null: whichever. */
  hour: { zone: Zone, hourOfWeek: number } | null
}

/** Of all times. */
export const anytime: Pick<ConversationsAmong, 'period' | 'hour'> = { period: { start: null, end: null }, hour: null }

/** With a period or an hour, the sort begins with `created`: by anything else, all of the vendor's might be looked through for a page. */
export interface ConversationPageOptions extends ConversationsAmong {
  /** One or two, of different fields. */
  sort: [ConversationSort, ...ConversationSort[]]
  first: number
  after: ConversationPosition | null
}

export type ReadConversationPage = (vendorId: string, options: ConversationPageOptions) => Promise<Page<ConversationDocument>>

const firstWindowMs = 6 * 3_600_000
/** Of one page. A gateway in front rarely waits longer for an answer. */
const maxPageMs = 120_000
/** In shorter ones a page that nothing is sifted from stops at its limit, or collects little. */
const longWindowMs = 8 * 24 * 3_600_000

export function createConversationPages ({ conversations, conversationExtents }: Pick<Collections, 'conversations' | 'conversationExtents'>, lookedAtPerCommand = recordsPerPage): ReadConversationPage {
  return async (vendorId, { groups, period, hour, sort, first, after }) => {
    const extent = await extentIn(conversationExtents, vendorId, period)
    if (extent === null) return { nodes: [], hasNextPage: false }
    const [{ field, direction }] = sort
    const isDescending = direction === 'desc'
    const [near, far] = endsOf(extent, field, isDescending)
    const cursor = after?.values[0] ?? near
    // A cursor may be of another period.
    const begin = isDescending ? Math.min(cursor, near) : Math.max(cursor, near)
    const order = sortOf(sort)
    const behind = after === null ? [] : [{ $match: behindOf(sort, after) }]
    const [rarest, ...others] = groups
    const further = [...behind, ...ofHour(hour, extent), ...others.map((keys) => ({ $match: { filterKeys: { $in: keys } } }))]
    // One query for each key, because a list of keys is no range of the index to every server.
    const lists = rarest === undefined ? [{ vendorId }] : rarest.map((key) => ({ filterKeys: key }))

    const until = performance.now() + maxPageMs
    function ensureWorthwhile (): void {
      if (currentReader()?.isGone?.() === true) throw unavailable('Nobody waits for the answer any more')
      if (performance.now() > until) throw unavailable('There are too many conversations to look through in time; ask for fewer by a further filter')
    }

    const read = async (match: Document): Promise<ConversationDocument[]> =>
      await conversations.aggregate<ConversationDocument>([{ $match: match }, ...further, { $sort: order }, { $limit: first + 1 }]).toArray()

    /** The first ones of some, of which several may be the same. */
    function firstOf (some: ConversationDocument[]): ConversationDocument[] {
      if (lists.length === 1 && sort.length === 1) return some
      return [...new Map(some.map((conversation) => [conversation._id, conversation])).values()].sort(comparator(sort)).slice(0, first + 1)
    }

    const within = async (range: Document): Promise<ConversationDocument[]> =>
      firstOf((await Promise.all(lists.map(async (equal) => await read({ ...equal, [field]: range })))).flat())

    /** Where a window that begins like this holds as many as a command is to look at. null: it does not. */
    async function fullAt (range: Document): Promise<number | null> {
      const options = { projection: { _id: 0, [field]: 1 }, sort: { [field]: signOf(direction) }, skip: lookedAtPerCommand, limit: 1 }
      const ends = await Promise.all(lists.map(async (equal) => await conversations.find({ ...equal, [field]: range }, options).toArray()))
      const times = ends.flat().map((conversation) => conversation[field].getTime())
      return times.length === 0 ? null : isDescending ? Math.max(...times) : Math.min(...times)
    }

    /** Of one list, those that have this time, in the order of their keys from here on, until there are enough. */
    async function ofInstant (equal: Document, instant: number): Promise<ConversationDocument[]> {
      const found: ConversationDocument[] = []
      // Only then are they in the order of their keys.
      const isByKey = sort.length === 1
      for (let bound: string | null = isByKey && after?.values[0] === instant ? after.key : null; ;) {
        ensureWorthwhile()
        const rest: Document = bound === null ? {} : isDescending ? { $lt: bound } : { $gte: bound }
        const match = { ...equal, [field]: new Date(instant), ...(bound === null ? {} : { _id: rest }) }
        const [behindFull] = await conversations.find(match, { projection: { _id: 1 }, sort: { _id: signOf(direction) }, skip: lookedAtPerCommand, limit: 1 }).toArray()
        if (behindFull === undefined) return [...found, ...await read(match)]
        found.push(...await read({ ...match, _id: { ...rest, ...(isDescending ? { $gt: behindFull._id } : { $lt: behindFull._id }) } }))
        if (isByKey && found.length > first) return found
        // What equals it is still to come; secantusd-rs loses what equals the bound of a `$lte`.
        bound = isDescending ? `${behindFull._id}\0` : behindFull._id
      }
    }

    const found: ConversationDocument[] = []
    for (let from = begin, widthMs = firstWindowMs; ;) {
      ensureWorthwhile()
      let to = isDescending ? Math.max(from - widthMs, far - 1) : Math.min(from + widthMs, far + 1)
      // Windows share no instant: each begins where the one before has ended.
      const window = (): Document => isDescending ? between(to + 1, from + 1) : between(from, to)
      const maySift = further.length > 0 || sort.length > 1
      const full = maySift || widthMs > longWindowMs ? await fullAt(window()) : null
      if (full === from) {
        // What comes next is not so crowded, maybe.
        widthMs = Math.min(widthMs, firstWindowMs)
        to = isDescending ? from - 1 : from + 1
        found.push(...firstOf((await Promise.all(lists.map(async (equal) => await ofInstant(equal, from)))).flat()))
      } else {
        if (full !== null) to = full
        found.push(...await within(window()))
      }
      const cutMs = full === null || full === from ? null : Math.abs(to - from)
      from = to
      if (found.length > first || (isDescending ? to < far : to > far)) return pageOf(found, first)
      // To look where it ends goes through all of it on some servers, so a window holds little more than a command is to look at.
      widthMs = cutMs === null ? nextWidth(widthMs, Math.abs(from - begin), found.length, first + 1) : 2 * cutMs
    }
  }
}

/** Between which instants the vendor has conversations; null: it has none in the period. */
export async function extentIn (extents: Collections['conversationExtents'], vendorId: string, { start, end }: Period): Promise<ConversationExtent | null> {
  const extent = await extents.findOne({ _id: vendorId })
  if (extent === null) return null
  const createdMin = start === null || start < extent.createdMin ? extent.createdMin : start
  const createdMax = end === null || end > extent.createdMax ? extent.createdMax : new Date(end.getTime() - 1)
  return createdMin > createdMax ? null : { ...extent, createdMin, createdMax }
}

/** Stages that leave those of this hour, of an extent. */
export function ofHour (hour: ConversationsAmong['hour'], { createdMin, createdMax }: ConversationExtent): Document[] {
  if (hour === null) return []
  const span = { start: createdMin.getTime(), end: createdMax.getTime() + 1 }
  return [{ $match: { $expr: { $eq: [localHourOfWeek(hour.zone, span), hour.hourOfWeek] } } }]
}

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
