/**
 * A vendor's records of a period in pages, so that no command looks at more of them than a page holds, however many there are. A page is a range
 * of time, from the newest records backwards; where more than a page was created at one instant, it is a range of ids of that instant. What a
 * range holds is counted in an index over equal fields, time and `_id`, to a page and no further; where it is more, the index tells where the page has to end.
 *
 * Servers that do not stop at a limit look at all of the range instead. So it goes back as far as a page should reach, going by the one
 * before, and further where that was too short.
 *
 * The pages of one list are told once, whoever goes through it first. What is added to one after that is looked at with it.
 */
import type { Collection, Document, Filter } from 'mongodb'
import type { Period } from '../../domain/analytics/period.js'
import { dayMs } from '../../domain/analytics/time-zone.js'
import { unavailable } from '../../errors.js'
import { currentReader } from '../reads/reader.js'

/** A tenth of a second of a server's work, or less. */
export const recordsPerPage = 20_000
const firstReachMs = 32 * dayMs
const leastReachMs = 60_000
/** That a range is meant to hold, and has to, of a page. */
const [meantShare, leastShare] = [0.85, 0.5]
/** How much further one goes that holds nothing, or too little at most, and how often before it goes all the way. */
const [growthWhenEmpty, maxGrowth, maxTries] = [2, 8, 3]
/** Records are no older, and there are servers that know no time before. */
const earliest = Date.parse('0001-01-01T00:00:00Z')
/** Of one figure. A gateway in front rarely waits longer for an answer. */
const defaultMaxWalkMs = 120_000

export interface RecordPages {
  /**
   * What is to be matched for each page: no record stands in two. Throws SERVICE_UNAVAILABLE when going through them takes too long, or when the
   * reader is gone.
   */
  walk (): AsyncGenerator<Document>
}

export interface RecordPagesOptions {
  pageSize?: number
  maxWalkMs?: number
  monotonicMs?: () => number
}

/** Where a page is to begin, going backwards. */
type Place =
  /** Before this instant; null: with the newest. */
  | { before: number | null, reachMs: number }
  /** Records of this instant, from this id on; null: from the first. */
  | { instant: number, from: string | null, reachMs: number }

interface Page { match: Document, next: Place | null }

/** `equal` stands in an index before `created` and `_id`. */
export function createRecordPages<T extends Document> (
  collection: Collection<T>, equal: Document, { start, end }: Period,
  { pageSize = recordsPerPage, maxWalkMs = defaultMaxWalkMs, monotonicMs = () => performance.now() }: RecordPagesOptions = {}
): RecordPages {
  const first = start?.getTime() ?? null
  const pages: Array<Promise<Page>> = []

  /** What the record behind a page's last one holds in this field; undefined: all of them fit on it. */
  async function behindPage (range: Document, field: 'created' | '_id', direction: 1 | -1): Promise<unknown> {
    const [found] = await collection.find({ ...equal, ...range } as Filter<T>, {
      projection: { _id: 0, [field]: 1 }, sort: { [field]: direction }, skip: pageSize, limit: 1
    }).toArray()
    return found?.[field]
  }

  const between = (from: number | null, before: number | null): Document => {
    const range = { ...(from === null ? {} : { $gte: new Date(from) }), ...(before === null ? {} : { $lt: new Date(before) }) }
    return Object.keys(range).length === 0 ? {} : { created: range }
  }

  async function pageBefore (before: number | null, reachMs: number): Promise<Page> {
    const begin = before ?? Date.now()
    for (let reach = reachMs, tries = 1; ;) {
      const from = tries <= maxTries && begin - reach > (first ?? earliest) ? begin - reach : first
      const range = between(from, before)
      const held = await collection.countDocuments({ ...equal, ...range } as Filter<T>, { limit: pageSize + 1 })
      if (held > pageSize) return await fullPage(range, before, begin, reach)
      if (from === first) return { match: { ...equal, ...range }, next: null }
      const nextReach = Math.ceil(reach * (held === 0 ? growthWhenEmpty : Math.min(meantShare * pageSize / held, maxGrowth)))
      if (held > 0) tries++
      if (held >= leastShare * pageSize) return { match: { ...equal, ...range }, next: { before: from, reachMs: nextReach } }
      reach = nextReach
    }
  }

  /** The newest of a range that holds more. */
  async function fullPage (range: Document, before: number | null, begin: number, reachMs: number): Promise<Page> {
    const behind = await behindPage(range, 'created', -1)
    // They have become fewer meanwhile.
    if (!(behind instanceof Date)) return await pageBefore(before, reachMs)
    const instant = behind.getTime()
    // More than a page of them, and none is newer.
    if (before === instant + 1) return await pageOfInstant(instant, null, reachMs)
    return { match: { ...equal, ...between(instant + 1, before) }, next: { before: instant + 1, reachMs: Math.max(leastReachMs, Math.ceil((begin - instant) * meantShare)) } }
  }

  async function pageOfInstant (instant: number, from: string | null, reachMs: number): Promise<Page> {
    const created = new Date(instant)
    const ids = (next: object): Document => ({ created, ...(from === null && Object.keys(next).length === 0 ? {} : { _id: { ...(from === null ? {} : { $gte: from }), ...next } }) })
    const behind = await behindPage(ids({}), '_id', 1)
    if (typeof behind === 'string') return { match: { ...equal, ...ids({ $lt: behind }) }, next: { instant, from: behind, reachMs } }
    return { match: { ...equal, ...ids({}) }, next: instant === first ? null : { before: instant, reachMs } }
  }

  return {
    async * walk () {
      const until = monotonicMs() + maxWalkMs
      if (first !== null && end !== null && first >= end.getTime()) return
      for (let index = 0, at: Place | null = { before: end?.getTime() ?? null, reachMs: firstReachMs }; at !== null; index++) {
        if (currentReader()?.isGone?.() === true) throw unavailable('Nobody waits for the answer any more')
        if (monotonicMs() > until) throw unavailable('There are too many records to look at in time; ask for a shorter period')
        const known: Promise<Page> = pages[index] ??= 'instant' in at ? pageOfInstant(at.instant, at.from, at.reachMs) : pageBefore(at.before, at.reachMs)
        const page: Page = await known
        yield page.match
        at = page.next
      }
    }
  }
}
