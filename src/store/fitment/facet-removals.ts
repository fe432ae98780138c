/**
 * Sweeps what a deleted fitment facet has left in targets and in the vocabulary. Nobody can see it any more (domain/
 * fitment-target), so this is tidying up: the first 10,000 targets at once, the others by a worker, which goes on where the
 * document says that it has come to. What no target has had a value of is not looked for in any. The request comes first, so that a crash leaves either nothing done or the rest to a worker.
 */
import type { AnyBulkWriteOperation } from 'mongodb'
import { filterKeysOf, type FitmentTargetRecord } from '../../domain/fitment-target.js'
import { commitUpdates } from '../database/commit-updates.js'
import type { Collections } from '../database/connection.js'
import { walkTargets, type PagedTarget } from './fitment-pages.js'
import type { FitmentVocabulary } from './fitment-vocabulary.js'

export interface FacetRemovals {
  request (vendorId: string, facetId: string): Promise<void>
  run (vendorId: string, facetId: string): Promise<void>
  /** All that is left of all removals. `signal` stops between pages. */
  runAll (signal: AbortSignal): Promise<void>
}

const targetsAtOnce = 10_000

export function createFacetRemovals (
  collections: Pick<Collections, 'facetRemovals' | 'fitmentFacets' | 'fitmentTargets' | 'counters'>, vocabulary: FitmentVocabulary
): FacetRemovals {
  const { facetRemovals, fitmentFacets, fitmentTargets } = collections

  async function sweep (vendorId: string, facetId: string, from: number, maxTargets: number, signal?: AbortSignal): Promise<void> {
    let left = maxTargets
    const isUsed = await vocabulary.knows(vendorId, facetId)
    for await (const { targets, last } of isUsed ? walkTargets(collections, vendorId, from) : []) {
      const operations = targets.filter(({ facetValues }) => facetValues.some((value) => value.facetId === facetId))
        .map((target) => withoutFacet(target, facetId))
      await commitUpdates(fitmentTargets, operations)
      await facetRemovals.updateOne({ _id: facetId }, { $set: { after: last } })
      left -= targets.length
      if (left <= 0 || signal?.aborted === true) return
    }
    await vocabulary.forget(vendorId, facetId)
    await facetRemovals.deleteOne({ _id: facetId })
  }

  return {
    async request (vendorId, facetId) {
      await facetRemovals.updateOne({ _id: facetId }, { $setOnInsert: { vendorId, after: 0 } }, { upsert: true })
    },
    run: async (vendorId, facetId) => { await sweep(vendorId, facetId, 0, targetsAtOnce) },
    async runAll (signal) {
      for (const { _id, vendorId, after } of await facetRemovals.find({}).toArray()) {
        // The requester may have died before it came to this.
        await fitmentFacets.deleteOne({ _id })
        await sweep(vendorId, _id, after, Infinity, signal)
        if (signal.aborted) return
      }
    }
  }
}

/** A target that is being changed right now is swept by whoever changes it: its values are checked against the facets that there are. */
function withoutFacet ({ _id, vendorId, facetValues, revision }: PagedTarget, facetId: string): AnyBulkWriteOperation<FitmentTargetRecord> {
  const kept = facetValues.filter((value) => value.facetId !== facetId)
  return {
    updateOne: {
      filter: { _id, revision },
      update: { $set: { facetValues: kept, keys: filterKeysOf(vendorId, kept), revision: revision + 1 } }
    }
  }
}
