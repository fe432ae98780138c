/**
 * How many records of a kind a vendor has, without looking at each of them every time that it is asked. A count of many is kept in memory until the vendor's have
 * been written: whoever writes leaves a mark, which is compared each time, so who has written sees it counted. Between two marks, as while a job runs, a
 * count is as old as a hundred times what counting took, and 30 seconds at most. Few are counted each time. Who asks while others' count is under way shares
 * it, unless there has been a mark since it began.
 */
import { createHash } from 'node:crypto'
import { createBoundedMap } from '../../domain/bounded-map.js'

export type Keep<T> = (vendorId: string, name: string, count: () => Promise<T>) => Promise<T>
export type CountKept = Keep<number>

const fewest = 1_000
const shareOfTime = 100
const longestMs = 30_000
/** Some 200 bytes each, of numbers. */
const defaultMaxKept = 10_000
const longestName = 100

interface Kept<T> { counted: T, changes: number, expiresAt: number }
interface UnderWay<T> { counting: Promise<T>, changes: number }

export interface KeptOptions { now?: () => number, keptFrom?: number, maxKept?: number }

/** `changesOf`: how often the vendor's have been written, as far as is marked. `name` is that of the count among the vendor's. */
export const createKeptCounts = (changesOf: (vendorId: string) => Promise<number>, options: KeptOptions = {}): CountKept =>
  createKept<number>(changesOf, (count) => count, options)

/** Of what is counted in another way, `sizeOf` tells how many were looked at. */
export function createKept<T> (
  changesOf: (vendorId: string) => Promise<number>, sizeOf: (counted: T) => number, { now = Date.now, keptFrom = fewest, maxKept = defaultMaxKept }: KeptOptions = {}
): Keep<T> {
  const kept = createBoundedMap<string, Kept<T>>(maxKept)
  /** As many as there are callers at most: each goes when it is over. */
  const underWay = new Map<string, UnderWay<T>>()

  async function countAnew (key: string, changes: number, count: () => Promise<T>): Promise<T> {
    const startedAt = now()
    const counted = await count()
    const tookMs = now() - startedAt
    if (sizeOf(counted) < keptFrom) kept.delete(key)
    else kept.set(key, { counted, changes, expiresAt: now() + Math.min(shareOfTime * tookMs, longestMs) })
    return counted
  }

  return async (vendorId, name, count) => {
    const key = `${vendorId} ${name.length > longestName ? createHash('sha256').update(name).digest('base64') : name}`
    // Before it is counted: what is written meanwhile may be missing, and its mark is another one then.
    const changes = await changesOf(vendorId)
    const known = kept.get(key)
    if (known?.changes === changes && now() < known.expiresAt) return known.counted
    const others = underWay.get(key)
    if (others?.changes === changes) return await others.counting
    const own: UnderWay<T> = { counting: countAnew(key, changes, count), changes }
    underWay.set(key, own)
    try {
      return await own.counting
    } finally {
      if (underWay.get(key) === own) underWay.delete(key)
    }
  }
}
