/**
 * Finishes what a deletion has left to be done: products that still link to what is gone, targets that still hold a deleted facet's
 * values. What there is to do stands in documents (store/link-removals, store/facet-removals), so it may stop anywhere and go
 * on elsewhere; two workers at it do no harm.
 */
import type { Logger } from 'pino'
import type { Repositories } from '../store/repositories.js'

const intervalMs = 10_000

export interface Upkeep {
  /** Resolves when the batch in hand is done. */
  stop (): Promise<void>
}

export function startUpkeep (
  { linkRemovals, facetRemovals }: Pick<Repositories, 'linkRemovals' | 'facetRemovals'>, log: Logger, everyMs = intervalMs
): Upkeep {
  const stopping = new AbortController()
  let round: Promise<void> | null = null
  const run = async (): Promise<void> => {
    try {
      await linkRemovals.runDue(stopping.signal)
      await facetRemovals.runAll(stopping.signal)
    } catch (error) {
      log.warn({ err: error }, 'deletions could not be finished; next try in ten seconds')
    }
  }
  // A round that takes longer than the interval is not joined by another.
  const begin = (): void => { round ??= run().finally(() => { round = null }) }
  begin()
  const timer = setInterval(begin, everyMs)
  return {
    async stop () {
      clearInterval(timer)
      stopping.abort()
      await round
    }
  }
}
