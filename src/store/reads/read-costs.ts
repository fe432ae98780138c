/**
 * What reads cost the database, by what the last ones like it have cost.
 *
 * A read that shares the database with others takes longer than it costs, and must not be taken for a costly one for that. So time is counted in
 * shares: of a second in which n reads are under way each has had one n-th. What even the cheapest read takes is the way to the
 * database, and no cost at all. Both hold for a read that is still under way, too: one that is waited for is not costly for that.
 *
 * A cost is remembered for a vendor and the shape of the read: its collection, operation and the keys of its filter, which are ours and few. A
 * vendor that has not sent one like it is believed to have what others have. Averages go up fast and down slowly: who alternates
 * between words that nothing has and words that everything has is known by the latter.
 */
import { createBoundedMap } from '../../domain/bounded-map.js'

export interface ReadCosts {
  /** Milliseconds. */
  expected (owner: string, shape: string): number
  begin (owner: string, shape: string): ReadUnderWay
}

export interface ReadUnderWay {
  /** Milliseconds. Of two reads the one that began first has cost no less. */
  soFar (): number
  /** To be called once. */
  ended (): void
}

/** Of a shape that nobody has sent yet. */
const unknownMs = 10
/** Some 200 bytes each. */
const maxAverages = 20_000
const [up, down] = [0.5, 0.1]
/** The shortest way is looked for anew so often: a database may move. */
const floorWindowMs = 60_000

export function createReadCosts (monotonicMs: () => number): ReadCosts {
  const averages = createBoundedMap<string, number>(maxAverages)
  let underWay = 0
  /** Shares that a read would have had that had been under way all the time. */
  let sharedMs = 0
  let since = monotonicMs()
  let floor = { since, shortest: Infinity, shortestBefore: Infinity }

  const keyOf = (owner: string, shape: string): string => `${owner}\0${shape}`

  function advance (): number {
    const now = monotonicMs()
    sharedMs += (now - since) / Math.max(1, underWay)
    since = now
    return now
  }

  /** The way took this long at most. */
  function learnWay (now: number, tookMs: number): void {
    if (now - floor.since > floorWindowMs) floor = { since: now, shortest: Infinity, shortestBefore: floor.shortest }
    floor.shortest = Math.min(floor.shortest, tookMs)
  }

  const costSince = (sharedBefore: number): number => Math.max(0, sharedMs - sharedBefore - Math.min(floor.shortest, floor.shortestBefore))

  function learn (key: string, cost: number): void {
    const known = averages.get(key)
    averages.set(key, known === undefined ? cost : known + (cost - known) * (cost > known ? up : down))
  }

  return {
    expected: (owner, shape) => averages.get(keyOf(owner, shape)) ?? averages.get(keyOf('', shape)) ?? unknownMs,
    begin (owner, shape) {
      const beganMs = advance()
      const sharedBefore = sharedMs
      underWay++
      return {
        soFar () {
          advance()
          return costSince(sharedBefore)
        },
        ended () {
          const now = advance()
          underWay--
          learnWay(now, now - beganMs)
          const costMs = costSince(sharedBefore)
          learn(keyOf(owner, shape), costMs)
          learn(keyOf('', shape), costMs)
        }
      }
    }
  }
}
