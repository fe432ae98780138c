/** The audit trail, in `audit_events`; what is in it says domain/audit.ts. */
import { randomBytes } from 'node:crypto'
import type { AnyBulkWriteOperation, Document, Filter } from 'mongodb'
import { auditRetentionMs, type Actor, type AuditEvent } from '../../domain/audit.js'
import { createBoundedMap } from '../../domain/bounded-map.js'
import { commitUpdates } from '../database/commit-updates.js'
import type { Collections } from '../database/connection.js'
import { countInPages, countWanted } from '../database/count-in-pages.js'
import type { CountedRange, Within } from '../database/counted.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import { inGroups, type GroupBounds } from '../database/in-groups.js'
import { serverOf } from '../database/server-of.js'

export interface AuditEvents {
  /** Stores that an operation is about to begin; gives the event's id. */
  begin (vendorId: string, actor: Actor, action: string, targetId: string | null): Promise<string>
  /** Says how it ended, once. A target that was not known at the beginning can be named now. */
  end (vendorId: string, id: string, outcome: { code: string | null, targetId: string | null, relatedIds?: string[] }): Promise<void>
  /** Stores an operation that was refused before it began. */
  refused (vendorId: string, actor: Actor, action: string, targetId: string | null, code: string): Promise<void>
  /** Newest first; `after` is the last id of the page before. */
  page (vendorId: string, options: { first: number, after: string | null }, among?: AuditFilter): Promise<{ nodes: AuditEvent[], hasNextPage: boolean }>
  count (vendorId: string, among?: AuditFilter): Promise<number>
}

/** Which of a vendor's events. null: whichever. */
export interface AuditFilter {
  actor: Actor['kind'] | null
  /** The id of a user or of a key. */
  by: string | null
  action: string | null
  /** From then on, and before that. */
  from: Date | null
  to: Date | null
}

export const allEvents: AuditFilter = { actor: null, by: null, action: null, from: null, to: null }

/** Vendor ids hold neither `:` nor `;`, which follow each other: what lies in between are one vendor's events. */
const firstOf = (vendorId: string): string => `${vendorId}:`
const endOf = (vendorId: string): string => `${vendorId};`

/** Milliseconds in base 36: of the same length, and so in order as texts, until the year 5188. */
const timeOf = (at: Date): string => at.getTime().toString(36).padStart(9, '0')

const idAt = (vendorId: string, at: Date): string => `${firstOf(vendorId)}${timeOf(at)}`

const timeIn = (vendorId: string, id: string): number => parseInt(id.slice(vendorId.length + 1), 36)

/** Of a busy vendor: some ten events. */
const firstWindowMs = 60 * 60 * 1_000
const windowGrowth = 16

export const isAuditEventId = (vendorId: string, id: string): boolean =>
  id.startsWith(firstOf(vendorId)) && /^[0-9a-z]{9}:[0-9a-f]{16}$/.test(id.slice(vendorId.length + 1))

/** A count of those before so long ago: by then they are there, whichever process' clock they are from. */
const settledMs = 60_000
/** How long it is good for: those that have expired meanwhile are counted. */
const keptMs = 60_000
const maxKept = 10_000

/** An event is less than a kilobyte; but for the keys that a user's has made. */
const together: GroupBounds = { smallItems: 1, items: 100 }

export function createAuditEvents ({ auditEvents }: Collections): AuditEvents {
  /** Those before an id; what came since is counted each time. */
  const kept = createBoundedMap<string, { until: string, at: number, count: number }>(maxKept)

  /** Who asks for much at once has two writes of this trail for each: those of a vendor that come while one is under way share the next. */
  const insert = inGroups<AuditEvent, null>(async (_vendorId, events) => {
    // One that is there was written with others that failed.
    await auditEvents.insertMany(events, { ordered: false }).catch(ignoreDuplicates)
    return events.map(() => null)
  }, together)
  const update = inGroups<AnyBulkWriteOperation<AuditEvent>, null>(async (_vendorId, updates) => {
    await commitUpdates(auditEvents, updates)
    return updates.map(() => null)
  }, together)

  async function store (event: Pick<AuditEvent, 'vendorId' | 'actor' | 'action' | 'targetId' | 'outcome' | 'code'>): Promise<string> {
    const at = new Date()
    const _id = `${firstOf(event.vendorId)}${timeOf(at)}:${randomBytes(8).toString('hex')}`
    await insert(event.vendorId, [{ ...event, _id, at, expiresAt: new Date(at.getTime() + auditRetentionMs) }])
    return _id
  }

  /** One more than a page, if there are as many. `list`: what an index has before the ids. */
  async function newest (
    list: Filter<AuditEvent>, vendorId: string, { first, after }: { first: number, after: string | null }, among: AuditFilter, besides: Filter<AuditEvent>
  ): Promise<AuditEvent[]> {
    const found: AuditEvent[] = []
    const [lower, upper] = boundsOf(vendorId, among)
    const read = async (ids: Document): Promise<void> => {
      const limit = first + 1 - found.length
      found.push(...await auditEvents.aggregate<AuditEvent>([
        { $match: { vendorId, ...list, _id: ids } }, { $match: besides }, { $sort: { _id: -1 } }, { $limit: limit }
      ], { batchSize: limit + 1 }).toArray())
    }
    const { stopsAtLimit } = await serverOf(auditEvents).profile()
    let to = after !== null && after < upper ? after : upper
    const from = to === endOf(vendorId) ? Date.now() : timeIn(vendorId, to)
    // A server that does not is asked for windows of time, which grow, before all of it.
    const widestMs = stopsAtLimit ? 0 : auditRetentionMs
    for (let windowMs = firstWindowMs; windowMs < widestMs && found.length <= first; windowMs *= windowGrowth) {
      const begin = idAt(vendorId, new Date(from - windowMs))
      if (begin <= lower) break
      await read({ $gte: begin, $lt: to })
      to = begin
    }
    if (found.length <= first) await read({ $gte: lower, $lt: to })
    return found
  }

  return {
    begin: async (vendorId, actor, action, targetId) => await store({ vendorId, actor, action, targetId, outcome: 'pending', code: null }),
    async refused (vendorId, actor, action, targetId, code) { await store({ vendorId, actor, action, targetId, outcome: 'refused', code }) },
    async end (vendorId, id, { code, targetId, relatedIds = [] }) {
      if (!isAuditEventId(vendorId, id)) return
      const named = { ...targetId === null ? {} : { targetId }, ...relatedIds.length === 0 ? {} : { relatedIds } }
      await update(vendorId, [{ updateOne: { filter: { _id: id, outcome: 'pending' }, update: { $set: { outcome: code === null ? 'done' : 'refused', code, ...named } } } }])
    },
    async page (vendorId, { first, after }, among = allEvents) {
      const { lists, besides } = soughtBy(among)
      const found = await Promise.all(lists.map(async (list) => await newest(list, vendorId, { first, after }, among, besides)))
      const nodes = found.flat().sort((a, b) => a._id < b._id ? 1 : -1)
      return { nodes: nodes.slice(0, first), hasNextPage: nodes.length > first }
    },
    async count (vendorId, among = allEvents) {
      const countList = async (list: Filter<AuditEvent>, within: Within, besides: Filter<AuditEvent> = {}): Promise<number> => {
        const indexed = (ids: CountedRange): Filter<AuditEvent> => ({ vendorId, ...list, ...(ids === null ? {} : { _id: ids }) })
        const count = async (range: CountedRange): Promise<number> => await countWanted(auditEvents, indexed(range), besides)
        return await countInPages(auditEvents, { along: '_id', within, indexed, ...(Object.keys(besides).length === 0 ? {} : { count }) })
      }
      if (Object.values(among).some((value) => value !== null)) {
        const [lower, upper] = boundsOf(vendorId, among)
        const { lists, besides } = soughtBy(among)
        const counts = await Promise.all(lists.map(async (list) => await countList(list, { $gte: lower, $lt: upper }, besides)))
        return counts.reduce((sum, count) => sum + count, 0)
      }
      const until = idAt(vendorId, new Date(Date.now() - settledMs))
      const counted = async (within: Within): Promise<number> => await countList({}, within)
      const known = kept.get(vendorId)
      const base = known !== undefined && known.at > Date.now() - keptMs
        ? known
        : { until, at: Date.now(), count: await counted({ $gte: firstOf(vendorId), $lt: until }) }
      kept.set(vendorId, base)
      return base.count + await counted({ $gte: base.until, $lt: endOf(vendorId) })
    }
  }
}

const boundsOf = (vendorId: string, { from, to }: AuditFilter): [lower: string, upper: string] =>
  [from === null ? firstOf(vendorId) : idAt(vendorId, from), to === null ? endOf(vendorId) : idAt(vendorId, to)]

/** `lists`: each event is in one of them at most, and each has an index; what else has to hold is looked at afterwards. Who has done it comes first, for that is fewest. */
function soughtBy ({ actor, by, action }: AuditFilter): { lists: Array<Filter<AuditEvent>>, besides: Filter<AuditEvent> } {
  const ofKind: Filter<AuditEvent> = actor === null ? {} : { 'actor.kind': actor }
  const ofAction: Filter<AuditEvent> = action === null ? {} : { action }
  if (by !== null) return { lists: [{ 'actor.userId': by }, { 'actor.keyId': by }], besides: { ...ofKind, ...ofAction } }
  return action === null ? { lists: [ofKind], besides: {} } : { lists: [ofAction], besides: ofKind }
}
