/**
 * Shares the database's attention among vendors. A server works on all that it is sent at once: sixteen searches of one vendor, a second
 * of work each, would keep every other read waiting for sixteen seconds. So what one vendor has under way is bounded by what it is expected to
 * cost (read-costs.ts), and the rest of it waits here, behind the vendor's own reads:
 *
 *  - cheap reads pass at once, as long as those of the vendor that are under way are expected to cost little together
 *  - costly reads of a vendor go one or two at a time, and a few in all, vendors in turn
 *
 * A read that costs more than was expected counts for what it has cost so far. A place is held for one command to the database, never while
 * its answer is used or another place is waited for, so no two can wait for each other.
 *
 *   waiting ─▶ under way ─▶ ended
 *      └─▶ refused: too many wait already, or for too long
 */
import { rateLimited } from '../../errors.js'
import { createReadCosts, type ReadUnderWay } from './read-costs.js'

export interface ReadGate {
  /** Runs a command when it is its turn. Throws RATE_LIMITED when that would take too long. */
  run <T>(owner: string, shape: string, command: () => Promise<T>): Promise<T>
  state (): { owners: number, underWay: number, waiting: number, refused: number }
}

export interface ReadGateOptions {
  monotonicMs?: () => number
  /** Of reads that wait. */
  maxWaitMs?: number
  maxWaitingOfOne?: number
}

/** Expected to cost this much at most is cheap: tens of look-ups, no scan. */
const cheapMs = 20
/** What a vendor may have under way of cheap ones together: another's read is behind no more. */
const maxCheapMs = 50
/** The same of costly ones; one may always be. */
const maxCostlyMs = 150
const maxUnderWayOfOne = 8
/** Of all vendors. With as many others, a cheap read still gets a fifth of a server that shares its time. */
const maxCostly = 4
/** A gateway in front rarely waits longer for an answer. */
const defaultMaxWaitMs = 30_000
/** A request with everything that it may select makes some 200 reads. */
const defaultMaxWaitingOfOne = 1_000
const maxWaiting = 20_000
const retryAfterSeconds = 5

interface UnderWay extends ReadUnderWay { expectedMs: number }
interface Waiting { shape: string, begin: (read: UnderWay) => void }

/** Of a vendor, or of a user without one; kept while it has reads. */
interface Lane {
  owner: string
  underWay: Set<UnderWay>
  /** First come, first served, but cheap ones do not wait for costly ones. */
  waiting: { cheap: Set<Waiting>, costly: Set<Waiting> }
}

export function createReadGate (
  { monotonicMs = () => performance.now(), maxWaitMs = defaultMaxWaitMs, maxWaitingOfOne = defaultMaxWaitingOfOne }: ReadGateOptions = {}
): ReadGate {
  const costs = createReadCosts(monotonicMs)
  const lanes = new Map<string, Lane>()
  /** Of all vendors: those that are costly, and the others in the order in which they began, which is the one in which they may become costly. */
  const underWay = { costly: new Set<UnderWay>(), cheap: new Set<UnderWay>() }
  /** Those in which something waits; whose costly read has just ended comes last. */
  const waitingLanes = new Set<Lane>()
  let waiting = 0
  let refused = 0

  const costNow = (read: UnderWay): number => Math.max(read.expectedMs, read.soFar())

  function costOf (reads: Set<UnderWay>): { cheapMs: number, costlyMs: number, costly: number } {
    const sum = { cheapMs: 0, costlyMs: 0, costly: 0 }
    for (const read of reads) {
      const cost = costNow(read)
      if (cost <= cheapMs) sum.cheapMs += cost
      else {
        sum.costlyMs += cost
        sum.costly++
      }
    }
    return sum
  }

  /** How many are costly, of all vendors. */
  function costlyOfAll (): number {
    for (const read of underWay.cheap) {
      if (costNow(read) <= cheapMs) break
      underWay.cheap.delete(read)
      underWay.costly.add(read)
    }
    return underWay.costly.size
  }

  function mayBegin (lane: Lane, shape: string): boolean {
    if (lane.underWay.size >= maxUnderWayOfOne) return false
    const expectedMs = costs.expected(lane.owner, shape)
    const own = costOf(lane.underWay)
    if (expectedMs <= cheapMs) return own.cheapMs + expectedMs <= maxCheapMs
    return (own.costly === 0 || own.costlyMs + expectedMs <= maxCostlyMs) && costlyOfAll() < maxCostly
  }

  function begin (lane: Lane, shape: string): UnderWay {
    const expectedMs = costs.expected(lane.owner, shape)
    const read = { expectedMs, ...costs.begin(lane.owner, shape) }
    lane.underWay.add(read)
    underWay[expectedMs > cheapMs ? 'costly' : 'cheap'].add(read)
    return read
  }

  function end (lane: Lane, read: UnderWay): void {
    if (costNow(read) > cheapMs && waitingLanes.delete(lane)) waitingLanes.add(lane)
    read.ended()
    for (const reads of [lane.underWay, underWay.costly, underWay.cheap]) reads.delete(read)
    letIn()
  }

  /** Whatever may begin now: of each vendor in turn. */
  function letIn (): void {
    for (const lane of [...waitingLanes]) {
      for (const line of [lane.waiting.cheap, lane.waiting.costly]) {
        for (const next of line) {
          if (!mayBegin(lane, next.shape)) break
          line.delete(next)
          next.begin(begin(lane, next.shape))
        }
      }
      if (waitingIn(lane) === 0) waitingLanes.delete(lane)
    }
  }

  function laneOf (owner: string): Lane {
    const known = lanes.get(owner)
    if (known !== undefined) return known
    const lane: Lane = { owner, underWay: new Set(), waiting: { cheap: new Set(), costly: new Set() } }
    lanes.set(owner, lane)
    return lane
  }

  const lineOf = ({ owner, waiting }: Lane, shape: string): Set<Waiting> => costs.expected(owner, shape) <= cheapMs ? waiting.cheap : waiting.costly

  /** null: it has to wait. */
  const beginAtOnce = (lane: Lane, shape: string): UnderWay | null => lineOf(lane, shape).size === 0 && mayBegin(lane, shape) ? begin(lane, shape) : null

  /** Throws RATE_LIMITED. */
  async function inTurn (lane: Lane, shape: string): Promise<UnderWay> {
    const line = lineOf(lane, shape)
    if (waitingIn(lane) >= maxWaitingOfOne || waiting >= maxWaiting) {
      refused++
      throw rateLimited('Too many reads wait already; try again in a moment, with fewer requests at a time', { retryAfterSeconds })
    }
    waiting++
    waitingLanes.add(lane)
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<UnderWay>((resolve, reject) => {
        const read: Waiting = { shape, begin: resolve }
        line.add(read)
        timer = setTimeout(() => {
          line.delete(read)
          if (waitingIn(lane) === 0) waitingLanes.delete(lane)
          refused++
          reject(rateLimited('The reads of this request have waited too long; try again in a moment, with fewer requests at a time', { retryAfterSeconds }))
        }, maxWaitMs).unref()
      })
    } finally {
      clearTimeout(timer)
      waiting--
    }
  }

  return {
    async run (owner, shape, command) {
      const lane = laneOf(owner)
      try {
        const read = beginAtOnce(lane, shape) ?? await inTurn(lane, shape)
        try {
          return await command()
        } finally {
          end(lane, read)
        }
      } finally {
        if (lane.underWay.size === 0 && waitingIn(lane) === 0) lanes.delete(owner)
      }
    },
    state: () => ({ owners: lanes.size, underWay: underWay.costly.size + underWay.cheap.size, waiting, refused })
  }
}

const waitingIn = ({ waiting: { cheap, costly } }: Lane): number => cheap.size + costly.size
