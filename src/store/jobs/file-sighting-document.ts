/** The document in `file_sightings`. */
export interface FileSightingDocument {
  /** Vendor, name, size and modification time. */
  _id: string
  vendorId: string
  firstSeenAt: Date
}
