/**
 * A vendor's jobs, the newest first, on any server. One that stops at a limit (server-profile) is asked once. One that does not looks at all jobs of 90 days,
 * however few are wanted; so it is asked for windows of time, backwards from where the page begins, each four times as long as the one before:
 *
 *   those of the last page's instant ─▶ a window before them ─▶ a longer one before that ─▶ … ─▶ all that is older
 *
 * How long the first window is, is what the last first page took. That is a hint: whatever has come or gone since, the page is right.
 */
import type { Filter } from 'mongodb'
import { createBoundedMap } from '../../domain/bounded-map.js'
import type { ImportJob } from '../../domain/import-job.js'
import type { Collections } from '../database/connection.js'
import { serverOf } from '../database/server-of.js'

export interface WantedJobs {
  /** Values of the fields that an index has before `createdAt`, all of them. */
  among: Filter<ImportJob>
  /** From then on, and before that. */
  from: Date | null
  to: Date | null
  /** What the last page ended with. */
  after: Pick<ImportJob, '_id' | 'createdAt'> | null
}

export type FindNewestJobs = (wanted: WantedJobs, limit: number) => Promise<ImportJob[]>

const dayMs = 24 * 60 * 60 * 1_000
/** Longer than jobs are kept. What is older nevertheless, since it waits still, is found with what is left. */
const longestWindowMs = 128 * dayMs
const widening = 4
/** Some 200 bytes each. */
const maxLists = 10_000

/** A millisecond before instead of `$gte`: where an index descends, SecantusDB leaves out the lower one of both bounds itself. */
export const createdBetween = (fromMs: number, toMs: number): Filter<ImportJob> => {
  const range = { ...fromMs === -Infinity ? {} : { $gt: new Date(fromMs - 1) }, ...toMs === Infinity ? {} : { $lt: new Date(toMs) } }
  return Object.keys(range).length === 0 ? {} : { createdAt: range }
}

export function createFindNewestJobs ({ importJobs }: Pick<Collections, 'importJobs'>, now: () => number = Date.now): FindNewestJobs {
  /** How far back the first page of a list went. */
  const reaches = createBoundedMap<string, number>(maxLists)
  const read = async (filter: Filter<ImportJob>, limit: number): Promise<ImportJob[]> =>
    await importJobs.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()

  async function inOneGo ({ among, from, to, after }: WantedJobs, limit: number): Promise<ImportJob[]> {
    const behind = after === null ? {} : { $or: [{ createdAt: { $lt: after.createdAt } }, { createdAt: after.createdAt, _id: { $lt: after._id } }] }
    return await read({ ...among, ...createdBetween(from?.getTime() ?? -Infinity, to?.getTime() ?? Infinity), ...behind }, limit)
  }

  async function inWindows ({ among, from, to, after }: WantedJobs, limit: number): Promise<ImportJob[]> {
    const list = JSON.stringify(among)
    const endMs = Math.min(to?.getTime() ?? Infinity, after?.createdAt.getTime() ?? Infinity)
    const beginningMs = from?.getTime() ?? -Infinity
    const isWithin = (at: Date): boolean => at.getTime() >= beginningMs && at.getTime() < (to?.getTime() ?? Infinity)
    const found = after !== null && isWithin(after.createdAt) ? await read({ ...among, createdAt: after.createdAt, _id: { $lt: after._id } }, limit) : []
    let windowMs = reaches.get(list) ?? dayMs
    let beforeMs = endMs
    let reachMs = 0
    while (found.length < limit && beforeMs > beginningMs) {
      reachMs = windowMs > longestWindowMs ? Infinity : reachMs + windowMs
      const firstMs = Math.max(Math.min(endMs, now()) - reachMs, beginningMs)
      found.push(...await read({ ...among, ...createdBetween(firstMs, beforeMs) }, limit - found.length))
      beforeMs = firstMs
      windowMs *= widening
    }
    if (after === null && from === null && to === null) {
      const last = found.length < limit ? undefined : found.at(-1)
      reaches.set(list, last === undefined ? Infinity : Math.max(1, now() - last.createdAt.getTime() + 1))
    }
    return found
  }

  return async (wanted, limit) => (await serverOf(importJobs).profile()).stopsAtLimit ? await inOneGo(wanted, limit) : await inWindows(wanted, limit)
}
