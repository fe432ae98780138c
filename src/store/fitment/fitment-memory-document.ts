import type { FacetValue } from '../../domain/fitment-target.js'

/** The document in `fitment_memory`. */
export interface FitmentMemoryDocument {
  /** Made from vendor and conversation. */
  _id: string
  vendorId: string
  values: FacetValue[]
  /** Set while all facets are known. */
  targetId: string | null
  expiresAt: Date
}
