/**
 * How many jobs may write at a time: as many as pay. Whether they do is seen by how soon turns end while others wait for one: with more jobs at
 * once each turn takes longer, and as long as that is made good by their number, turns end at a higher rate.
 *
 *   so many at once ─ after some looks ─▶ one more, or one fewer ─ a look later ─┬─ more pay by a tenth ──────▶ more
 *                                                                               └─ they do not ─────────────▶ fewer
 *
 * A look is a number of turns, of whatever jobs; what is tried and does not pay is tried again after twice as long.
 */

export interface WritePace {
  readonly jobsAtOnce: number
  /** `isWanted`: others wait for a turn. When none does, it tells nothing how soon they end. */
  turnEnded (isWanted: boolean): void
}

export interface WritePaceOptions {
  /** Jobs at once at first, and at most. */
  first: number
  most: number
  monotonicMs?: () => number
}

const turnsOfLook = 16
/** Less is chance, and each that writes beside others makes a small import's write wait. */
const worthwhile = 1.1
const mostLooksBetween = 32

export function createWritePace ({ first, most, monotonicMs = () => performance.now() }: WritePaceOptions): WritePace {
  let jobsAtOnce = first
  let turns = 0
  let sinceMs = monotonicMs()
  let looks = 0
  let looksBetween = 1
  /** What it was before another number was tried. */
  let before: { jobsAtOnce: number, rate: number } | null = null
  let triesMore = true

  function judge (rate: number): void {
    if (before === null) {
      if (++looks >= looksBetween) tryAnother(rate)
      return
    }
    const isMore = jobsAtOnce > before.jobsAtOnce
    const morePay = isMore ? rate > before.rate * worthwhile : before.rate > rate * worthwhile
    // One step further the same way, as long as it goes well.
    looksBetween = isMore === morePay ? 1 : Math.min(2 * looksBetween, mostLooksBetween)
    triesMore = morePay
    if (isMore !== morePay) jobsAtOnce = before.jobsAtOnce
    // What has just been refused is not tried next, if there is something else.
    if (isMore !== morePay && before.jobsAtOnce > 1) triesMore = !isMore
    before = null
    looks = 0
  }

  function tryAnother (rate: number): void {
    const step = jobsAtOnce === 1 || (triesMore && jobsAtOnce < most) ? 1 : -1
    if (jobsAtOnce + step > most) return
    before = { jobsAtOnce, rate }
    jobsAtOnce += step
  }

  return {
    get jobsAtOnce () { return jobsAtOnce },
    turnEnded (isWanted) {
      turns++
      if (isWanted && turns < turnsOfLook) return
      const nowMs = monotonicMs()
      if (isWanted) judge(turns / Math.max(nowMs - sinceMs, 1e-3))
      turns = 0
      sinceMs = nowMs
    }
  }
}
