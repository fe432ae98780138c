/**
 * Work that is done again and again, one round at a time: when a slow database makes a round outlast the interval, the next
 * ones are left out. Rounds that waited in line would stand before the very work they are to watch over.
 */

export interface Rounds {
  /** Begins no more; resolves when the round in hand has ended. */
  stop (): Promise<void>
}

/** The first round at once. `work` says itself what went wrong, and does not reject. */
export const startRounds = (work: () => Promise<void>, everyMs: number): Rounds => rounds(work, everyMs, work())

/** The first beat after an interval. `beat` says itself what went wrong, and does not reject. */
export const startBeat = (beat: () => Promise<void>, everyMs: number): Rounds => rounds(beat, everyMs, null)

function rounds (work: () => Promise<void>, everyMs: number, first: Promise<void> | null): Rounds {
  let round: Promise<void> | null = null
  const keep = (begun: Promise<void>): void => { round = begun.finally(() => { round = null }) }
  if (first !== null) keep(first)
  const timer = setInterval(() => { if (round === null) keep(work()) }, everyMs)
  return {
    async stop () {
      clearInterval(timer)
      await round
    }
  }
}
