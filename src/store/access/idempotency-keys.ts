/** The first job of each idempotency key, for 24 hours (spec/schema.graphql, ProcessProductImportInput). */
import { hash } from 'node:crypto'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'

const lifetimeMs = 24 * 60 * 60 * 1_000

export interface IdempotencyKeys {
  /** The job that owns the key: `jobId` when the key is new (or its 24 hours are over), else the first one's. */
  claim (vendorId: string, key: string, jobId: string): Promise<string>
  /** Gives the key up when its job was refused after all. */
  forget (vendorId: string, key: string, jobId: string): Promise<void>
}

export function createIdempotencyKeys ({ idempotencyKeys }: Collections): IdempotencyKeys {
  const idOf = (vendorId: string, key: string): string => `${vendorId}:${hash('sha256', key, 'base64url')}`
  return {
    async claim (vendorId, key, jobId) {
      const _id = idOf(vendorId, key)
      for (;;) {
        const now = new Date()
        // The TTL index removes old keys only about every minute, so their age is checked here as well.
        await idempotencyKeys.deleteOne({ _id, expiresAt: { $lte: now } })
        try {
          await idempotencyKeys.insertOne({ _id, jobId, expiresAt: new Date(now.getTime() + lifetimeMs) })
          return jobId
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
        }
        const first = await idempotencyKeys.findOne({ _id })
        if (first !== null) return first.jobId
      }
    },
    async forget (vendorId, key, jobId) {
      await idempotencyKeys.deleteOne({ _id: idOf(vendorId, key), jobId })
    }
  }
}
