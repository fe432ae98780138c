/**
 * Finishes what a deletion has left to be done: products that still link to what is gone, targets that still hold a deleted facet's
 * values. Counts the vocabularies that searches have found old. What there is to do stands in documents (store/catalog/link-removals, store/fitment/facet-removals,
 * store/search/search-vocabularies), so it may stop anywhere and go on elsewhere; two workers at it do no harm.
 */
import type { Logger } from 'pino'
import type { Repositories } from '../store/repositories.js'
import { startRounds, type Rounds } from './rounds.js'

const intervalMs = 10_000

/** `stop` ends the round in hand after its batch. */
export function startUpkeep (
  { linkRemovals, facetRemovals, searchVocabularies }: Pick<Repositories, 'linkRemovals' | 'facetRemovals' | 'searchVocabularies'>, log: Logger, everyMs = intervalMs
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
  const counts = startRounds(async () => {
    try {
      await searchVocabularies.countDue(stopping.signal)
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'words of catalogs could not be counted; next try in ten seconds')
    }
  }, everyMs)
  return {
    async stop () {
      stopping.abort()
      await Promise.all([rounds.stop(), counts.stop()])
    }
  }
}
