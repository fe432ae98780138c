/** The document in `change_marks`: how often a vendor's records of a kind have been written; of size charts, more often by as many as have come. */
export interface ChangeMarkDocument {
  /** The kind, a blank, and the vendor's id. */
  _id: string
  changes: number
}
