/**
 * How many records of a kind a vendor has, without looking at each of them every time that it is asked. A count of many is kept in memory until the vendor's have
 * been written: whoever writes leaves a mark, which is compared each time, so who has written sees it counted. Between two marks, as while a job runs, a
 * count is as old as a hundred times what counting took, and 30 seconds at most. Few are counted each time.
 */
import { createHash } from 'node:crypto'
import { createBoundedMap } from '../../domain/bounded-map.js'

export type CountKept = (vendorId: string, name: string, count: () => Promise<number>) => Promise<number>

const fewest = 1_000
const shareOfTime = 100
const longestMs = 30_000
/** Some 200 bytes each. */
const maxKept = 10_000
const longestName = 100

interface Kept { count: number, changes: number, expiresAt: number }

/** `changesOf`: how often the vendor's have been written, as far as is marked. `name` is that of the count among the vendor's. */
export function createKeptCounts (changesOf: (vendorId: string) => Promise<number>, { now = Date.now, keptFrom = fewest } = {}): CountKept {
  const kept = createBoundedMap<string, Kept>(maxKept)

  return async (vendorId, name, count) => {
    const key = `${vendorId} ${name.length > longestName ? createHash('sha256').update(name).digest('base64') : name}`
    // Before it is counted: what is written meanwhile may be missing, and its mark is another one then.
    const changes = await changesOf(vendorId)
    const known = kept.get(key)
    if (known?.changes === changes && now() < known.expiresAt) return known.count
    const startedAt = now()
    const counted = await count()
    const tookMs = now() - startedAt
    if (counted < keptFrom) kept.delete(key)
    else kept.set(key, { count: counted, changes, expiresAt: now() + Math.min(shareOfTime * tookMs, longestMs) })
    return counted
  }
}
