/** Resolvers of fitment facets and targets (interface.md, "GraphQL: fitment"). */
import { setImmediate } from 'node:timers/promises'
import { readFacetChange, readNewFacet, type FitmentFacetRecord } from '../../../domain/fitment-facet.js'
import { orderOf, readNewTarget, readTargetFilter, readTargetPatch, showTarget, type NewTarget } from '../../../domain/fitment-target.js'
import { badInput } from '../../../errors.js'
import type { Repositories } from '../../../store/repositories.js'
import { forged } from '../cursors.js'
import type { CreateFitmentTargetInput, FitmentFacet, MutationResolvers, QueryResolvers } from '../generated.js'

const targetPage = { min: 1, max: 500, default: 100 }
const maxTargetsPerBulk = 5_000
/** Entries per turn of the event loop. */
const turnSize = 500

export const toFitmentFacet = ({ _id, name, slug, position }: FitmentFacetRecord): FitmentFacet => ({ id: _id, name, slug, position })

export function createFitmentResolvers ({ fitmentFacets, fitmentTargets }: Pick<Repositories, 'fitmentFacets' | 'fitmentTargets'>) {
  const Query = {
    fitmentFacets: async (caller) => (await fitmentFacets.list(caller.vendorId)).map(toFitmentFacet),

    async fitmentTargets ({ vendorId }, { input }, { rows }) {
      const limit = input?.limit ?? targetPage.default
      if (limit < targetPage.min || limit > targetPage.max) throw badInput(`limit must be from ${targetPage.min} to ${targetPage.max}`, 'input.limit')
      rows.take('node', limit)
      const cursor = input?.cursor ?? null
      const after = cursor === null ? 0 : orderOf(vendorId, cursor)
      if (after === null) throw forged()
      const facets = await fitmentFacets.list(vendorId)
      const values = readTargetFilter(input?.facetValues ?? null, facets)
      if (values === null) return { targets: [], nextCursor: null }
      const { targets, hasMore } = await fitmentTargets.page(vendorId, { facets, values, after, limit })
      return { targets: targets.map((target) => showTarget(target, facets)), nextCursor: hasMore ? targets.at(-1)?._id ?? null : null }
    }
  } satisfies QueryResolvers

  const Mutation = {
    createFitmentFacet: async (caller, { input }) => toFitmentFacet(await fitmentFacets.create(caller.vendorId, readNewFacet(input))),
    updateFitmentFacet: async (caller, { id, input }) => toFitmentFacet(await fitmentFacets.update(caller.vendorId, id, readFacetChange(input))),
    async deleteFitmentFacet (caller, { id }) {
      await fitmentFacets.delete(caller.vendorId, id)
      return true
    },

    async createFitmentTarget ({ vendorId }, { input }) {
      const facets = await fitmentFacets.list(vendorId)
      return showTarget(await fitmentTargets.create(vendorId, readNewTarget(input, facets, 'input')), facets)
    },

    async bulkUpsertFitmentTargets ({ vendorId }, { input: { targets } }, { rows }) {
      if (targets.length > maxTargetsPerBulk) throw badInput(`targets must be at most ${maxTargetsPerBulk}`, 'input.targets')
      rows.take('upsert', targets.length)
      const distinct = await readAll(targets, await fitmentFacets.list(vendorId))
      return { ...await fitmentTargets.upsert(vendorId, distinct), total: distinct.length }
    },

    async updateFitmentTarget ({ vendorId }, { id, input }) {
      const facets = await fitmentFacets.list(vendorId)
      return showTarget(await fitmentTargets.update(vendorId, id, readTargetPatch(input, facets, 'input')), facets)
    },
    async deleteFitmentTarget (caller, { id }) {
      await fitmentTargets.delete(caller.vendorId, id)
      return true
    }
  } satisfies MutationResolvers

  return { Query, Mutation }
}

/** All entries, or none: throws BAD_USER_INPUT for the first bad one. The later of a repeated external id wins. */
async function readAll (targets: CreateFitmentTargetInput[], facets: FitmentFacetRecord[]): Promise<NewTarget[]> {
  const distinct = new Map<string, NewTarget>()
  for (const [index, entry] of targets.entries()) {
    if (index % turnSize === turnSize - 1) await setImmediate()
    const target = readNewTarget(entry, facets, `input.targets[${index}]`)
    distinct.set(target.externalId, target)
  }
  return [...distinct.values()]
}
