/** Fitment facets, in `fitment_facets`. Targets know them by id; see domain/fitment-target for what that spares. */
import { randomUUID } from 'node:crypto'
import { byPosition, maxFitmentFacets, type FitmentFacetFields, type FitmentFacetRecord } from '../../domain/fitment-facet.js'
import { conflict, limitExceeded, notFound } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'
import type { FacetRemovals } from './facet-removals.js'

export interface FitmentFacets {
  /** By position. */
  list (vendorId: string): Promise<FitmentFacetRecord[]>
  /** Throws CONFLICT when the slug is taken. */
  create (vendorId: string, fields: FitmentFacetFields): Promise<FitmentFacetRecord>
  /** Throws NOT_FOUND, CONFLICT. */
  update (vendorId: string, id: string, change: Partial<FitmentFacetFields>): Promise<FitmentFacetRecord>
  /** From then on no target shows a value of it. Throws NOT_FOUND. */
  delete (vendorId: string, id: string): Promise<void>
}

export function createFitmentFacets ({ fitmentFacets }: Pick<Collections, 'fitmentFacets'>, removals: FacetRemovals): FitmentFacets {
  const missing = (): Error => notFound('There is no such fitment facet')

  async function find (vendorId: string, id: string): Promise<FitmentFacetRecord> {
    const found = await fitmentFacets.findOne({ _id: id })
    if (found?.vendorId !== vendorId) throw missing()
    return found
  }

  async function refusingTakenSlug<T> (write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      if (isDuplicateKey(error)) throw conflict('Another fitment facet has this slug', 'input.slug')
      throw error
    }
  }

  return {
    list: async (vendorId) => (await fitmentFacets.find({ vendorId }).toArray()).sort(byPosition),
    async create (vendorId, fields) {
      if (await fitmentFacets.countDocuments({ vendorId }, { limit: maxFitmentFacets }) >= maxFitmentFacets) {
        throw limitExceeded(`A vendor may have at most ${maxFitmentFacets} fitment facets`)
      }
      const facet: FitmentFacetRecord = { _id: randomUUID(), vendorId, ...fields, valueCount: 0 }
      await refusingTakenSlug(async () => await fitmentFacets.insertOne(facet))
      return facet
    },
    async update (vendorId, id, change) {
      const found = await find(vendorId, id)
      if (Object.keys(change).length === 0) return found
      await refusingTakenSlug(async () => await fitmentFacets.updateOne({ _id: id }, { $set: change }))
      return await find(vendorId, id)
    },
    async delete (vendorId, id) {
      await find(vendorId, id)
      await removals.request(vendorId, id)
      const { deletedCount } = await fitmentFacets.deleteOne({ _id: id })
      if (deletedCount === 0) throw missing()
      await removals.run(vendorId, id)
    }
  }
}
