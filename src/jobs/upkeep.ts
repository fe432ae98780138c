/**
 * Finishes what a deletion has left to be done: products that still link to what is gone, targets that still hold a deleted facet's
 * values. What there is to do stands in documents (store/link-removals, store/facet-removals), so it may stop anywhere and go
 * on elsewhere; two workers at it do no harm.
 */
import type { Logger } from 'pino'
import type { Repositories } from '../store/repositories.js'
import { startRounds, type Rounds } from './rounds.js'

const intervalMs = 10_000

/** `stop` ends the round in hand after its batch. */
export function startUpkeep (
  { linkRemovals, facetRemovals }: Pick<Repositories, 'linkRemovals' | 'facetRemovals'>, log: Logger, everyMs = intervalMs
): Rounds {
  const stopping = new AbortController()
  const rounds = startRounds(async () => {
    try {
      await linkRemovals.runDue(stopping.signal)
      await facetRemovals.runAll(stopping.signal)
    } catch (error) {
      log.warn({ err: error }, 'deletions could not be finished; next try in ten seconds')
    }
  }, everyMs)
  return {
    async stop () {
      stopping.abort()
      await rounds.stop()
    }
  }
}
