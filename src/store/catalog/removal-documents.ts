/** Deletions that are not finished yet: documents that say what is left, apart from who works them off (link-removals, facet-removals). */

export type LinkKind = 'store-location' | 'fitment-target'

/** The document in `link_removals`. */
export interface LinkRemovalDocument {
  /** `kind:id` of what is removed. */
  _id: string
  vendorId: string
  kind: LinkKind
  linkId: string
  /** When the next pass is due. */
  dueAt: Date
  isLastPass: boolean
  /** Of a store location: how far its pass has come. Absent: it has not begun, or is over. */
  walked?: WalkedTo
}

/** A place among all products of a vendor (products-in-order). */
export interface WalkedTo { archived: boolean, targeted: boolean, externalId: string }

/** The document in `facet_removals`. */
export interface FacetRemovalDocument {
  /** The facet's id. */
  _id: string
  vendorId: string
  /** The sweep has come to the target with this number. */
  after: number
}
