/**
 * For how long a thread has given no sign of life, in time that was its own: what its processor has worked for it. A machine with more work than
 * cores makes every thread silent for a while, and that is no fault of what runs in it. A thread that waits without working, for a lock or
 * for a device, would be silent for ever at no cost; so of the time on the clock a tenth counts at least. Where it is not known what the
 * thread has worked, all of it does.
 */
export interface Silence {
  readonly ms: number
  /** So much has passed on the clock without a sign. Gives what of it counts. */
  lasts (elapsedMs: number): number
  broken (): void
}

const leastShare = 0.1

/** `worked`: for how long the thread has had a processor, in milliseconds; null where it is not known. */
export function createSilence (worked: () => number | null): Silence {
  let ms = 0
  let workedBefore: number | null = null

  return {
    get ms () { return ms },
    lasts (elapsedMs) {
      const workedNow = worked()
      const own = workedNow === null || workedBefore === null ? elapsedMs : workedNow - workedBefore
      const counted = Math.min(elapsedMs, Math.max(own, elapsedMs * leastShare))
      workedBefore = workedNow
      ms += counted
      return counted
    },
    broken () {
      ms = 0
      workedBefore = worked()
    }
  }
}
