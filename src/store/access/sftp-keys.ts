/** Vendors' registered SFTP keys, in `sftp_keys`. */
import type { SftpKey } from '../../domain/access.js'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'
import { findByIds } from '../database/find-by-ids.js'

export interface SftpKeys {
  /** Registers a key; a vendor registering its own key again changes nothing. false: another vendor has it. */
  add (key: SftpKey): Promise<boolean>
  /** false: the vendor has no such key. */
  remove (vendorId: string, fingerprint: string): Promise<boolean>
  /** Newest first. */
  list (vendorId: string): Promise<SftpKey[]>
  isRegistered (vendorId: string, fingerprint: string): Promise<boolean>
  /** The vendor of each of these fingerprints; those that nobody has registered are left out. */
  ownersOf (fingerprints: string[]): Promise<Map<string, string>>
}

const maxListedKeys = 1_000

export function createSftpKeys ({ sftpKeys }: Collections): SftpKeys {
  return {
    async add (key) {
      for (;;) {
        try {
          await sftpKeys.insertOne(key)
          return true
        } catch (error) {
          if (!isDuplicateKey(error)) throw error
        }
        const registered = await sftpKeys.findOne({ _id: key._id })
        // It may have been removed in between.
        if (registered !== null) return registered.vendorId === key.vendorId
      }
    },
    remove: async (vendorId, fingerprint) => (await sftpKeys.deleteOne({ _id: fingerprint, vendorId })).deletedCount === 1,
    list: async (vendorId) => (await sftpKeys.find({ vendorId }).limit(maxListedKeys).toArray()).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()),
    isRegistered: async (vendorId, fingerprint) =>
      await sftpKeys.findOne({ _id: fingerprint, vendorId }, { projection: { _id: 1 } }) !== null,
    ownersOf: async (fingerprints) =>
      new Map((await findByIds(sftpKeys, fingerprints, { vendorId: 1 })).map(({ _id, vendorId }) => [_id, vendorId]))
  }
}
