/** The document in `fitment_values`. */
export interface FitmentValueDocument {
  /** Deterministic, see valueId. */
  _id: string
  vendorId: string
  facetId: string
  /** null: the facet as a whole; then the neighbours are its own values. */
  value: string | null
  /** Digests of the vendor and a spelling: one field, so that many can be looked up at once. */
  spellings: string[]
  /** `facetId:value`. */
  neighbours: string[]
}
