/** The document in `change_marks`: how often a vendor's records of a kind have been written. */
export interface ChangeMarkDocument {
  /** The kind, a blank, and the vendor's id. */
  _id: string
  changes: number
}
