/** What resolving a fitment asks about one vendor's targets. Each answer costs an index look-up or two, however many targets there are. */
import type { FitmentFacetRecord } from '../domain/fitment-facet.js'
import type { FacetValue } from '../domain/fitment-target.js'
import type { PagedTarget } from '../store/fitment/fitment-pages.js'
import type { KnownValue } from '../store/fitment/fitment-vocabulary.js'
import type { Repositories } from '../store/repositories.js'

export interface FitmentKnowledge {
  /** By position. */
  facets: FitmentFacetRecord[]
  /** Values that have one of these spellings (domain/fitment-spelling). A value may be one that no target has any more; so for the next two. */
  findBySpellings (spellings: string[]): Promise<FacetValue[]>
  find (values: FacetValue[]): Promise<KnownValue[]>
  valuesOf (facetId: string): Promise<string[]>
  /** The first target with these values, with one of `oneOf` where that is not empty (they are of one facet), and perhaps more. Expects at least one value in all. */
  firstWith (values: FacetValue[], oneOf?: FacetValue[]): Promise<PagedTarget | null>
  /** The first with these and no other. */
  firstOf (values: FacetValue[]): Promise<PagedTarget | null>
  hasTargets (): Promise<boolean>
}

export function createFitmentKnowledge (
  { fitmentTargets, fitmentVocabulary }: Pick<Repositories, 'fitmentTargets' | 'fitmentVocabulary'>, vendorId: string, facets: FitmentFacetRecord[]
): FitmentKnowledge {
  return {
    facets,
    findBySpellings: async (spellings) => await fitmentVocabulary.findBySpellings(vendorId, spellings),
    find: async (values) => await fitmentVocabulary.find(vendorId, values),
    valuesOf: async (facetId) => await fitmentVocabulary.valuesOf(vendorId, facetId),
    firstWith: async (values, oneOf) => await fitmentTargets.firstWith(vendorId, facets, values, oneOf),
    firstOf: async (values) => await fitmentTargets.firstOf(vendorId, facets, values),
    hasTargets: async () => (await fitmentTargets.page(vendorId, { facets, values: [], after: 0, limit: 1 })).targets.length > 0
  }
}
