import { createBoundedMap } from '../../domain/bounded-map.js'

interface SparingOptions {
  /** Of one source within a minute. */
  ofOne: number
  /** Of all sources together. */
  ofAll: number
  monotonicMs: () => number
}

/** What was left out since the last that was told: of the same source, and of all, those included that are never told of again. */
interface LeftOut { leftOut: number, leftOutOfAll: number }

interface Count { sinceMs: number, told: number, leftOut: number }

const windowMs = 60_000
const maxSources = 10_000

/**
 * Says of what happens again and again whether it is to be told: the first few of a source within a minute, with how many were left out before
 * it. null: this one is left out.
 */
export function createSparing ({ ofOne, ofAll, monotonicMs }: SparingOptions): (source: string) => LeftOut | null {
  const sources = createBoundedMap<string, Count>(maxSources)
  let all: Count = { sinceMs: -Infinity, told: 0, leftOut: 0 }
  const current = (count: Count | undefined, now: number): Count =>
    count === undefined || now - count.sinceMs >= windowMs ? { sinceMs: now, told: 0, leftOut: count?.leftOut ?? 0 } : count

  return (source) => {
    const now = monotonicMs()
    all = current(all, now)
    const one = current(sources.get(source), now)
    sources.set(source, one)
    if (one.told >= ofOne || all.told >= ofAll) {
      one.leftOut++
      all.leftOut++
      return null
    }
    const leftOut = { leftOut: one.leftOut, leftOutOfAll: all.leftOut }
    for (const count of [one, all]) Object.assign(count, { told: count.told + 1, leftOut: 0 })
    return leftOut
  }
}
