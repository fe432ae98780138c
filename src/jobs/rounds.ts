/** Work that is done at once and then again and again, one round after the other. */

export interface Rounds {
  /** Resolves when the rounds that are due have ended. */
  stop (): Promise<void>
}

/** `work` says itself what went wrong, and does not reject. */
export function startRounds (work: () => Promise<void>, everyMs: number): Rounds {
  let round = work()
  const timer = setInterval(() => { round = round.then(work) }, everyMs)
  return {
    async stop () {
      clearInterval(timer)
      await round
    }
  }
}
