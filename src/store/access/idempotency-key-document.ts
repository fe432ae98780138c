/** The document in `idempotency_keys`. */
export interface IdempotencyKeyDocument {
  /** Vendor and digest of the key: a key never meets another vendor's. */
  _id: string
  jobId: string
  expiresAt: Date
}
