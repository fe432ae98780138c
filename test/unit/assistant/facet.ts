import type { FitmentFacetRecord } from '../../../src/domain/fitment-facet.js'

export const createFitmentFacet = (slug: string, position: number): FitmentFacetRecord =>
  ({ _id: `id-of-${slug}`, vendorId: 'shop', name: slug, slug, position, valueCount: 0 })
