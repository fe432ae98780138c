/** Integration API keys, in `integration_api_keys`, known by their hashes only (decisions.md, Access). */
import { randomUUID } from 'node:crypto'
import { checkExpiry, checkName, keyWorks, type IntegrationApiKey, type Permission } from '../../domain/access.js'
import { createIntegrationKey } from '../../domain/api-key.js'
import { limitExceeded } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'

interface NewKeyOptions {
  /** null = does not expire. */
  expiresAt?: Date | null
  /** The user who makes it; null = an operator. */
  createdBy?: string | null
}

export interface IntegrationApiKeys {
  /** `key` is told here and never again. Throws BAD_USER_INPUT, or LIMIT_EXCEEDED when the vendor has too many that are not revoked. */
  create (vendorId: string, name: string, permissions: Permission[], options?: NewKeyOptions): Promise<{ key: string, record: IntegrationApiKey }>
  findByHash (hash: string): Promise<IntegrationApiKey | null>
  /** Those that a user has made and that still work, newest first, of any vendor. */
  workingOf (createdBy: string): Promise<IntegrationApiKey[]>
  /** Newest first, revoked ones included. */
  list (vendorId: string): Promise<IntegrationApiKey[]>
  /** By id; those of other vendors are left out. */
  namesOf (vendorId: string, ids: string[]): Promise<Map<string, string>>
  /** What is absent stays. null: the vendor has no such key. A revoked one stays revoked. Throws BAD_USER_INPUT. */
  update (vendorId: string, id: string, changes: { name?: string, permissions?: Permission[] }): Promise<IntegrationApiKey | null>
  /** null: the vendor has no such key. Revoking twice keeps the first time. */
  revoke (vendorId: string, id: string): Promise<IntegrationApiKey | null>
  /** Id of the vendor that a key belongs to, for operators who know the key only. null: no such key. */
  ownerOf (id: string): Promise<string | null>
  /** Records a use. */
  touch (id: string, at: Date): Promise<void>
}

/** Expired ones count until they are revoked. A soft bound: two requests at once may pass it by one. */
const maxWorkingKeys = 200
/** Revoked keys are forgotten after a year (store/database/indexes.ts); until then a list shows the newest. */
export const maxListedKeys = 1_000

export function createIntegrationApiKeys ({ integrationApiKeys }: Collections): IntegrationApiKeys {
  return {
    async create (vendorId, name, permissions, { expiresAt = null, createdBy = null } = {}) {
      checkName(name)
      checkExpiry(expiresAt)
      if (await integrationApiKeys.countDocuments({ vendorId, revokedAt: null }) >= maxWorkingKeys) {
        throw limitExceeded(`A vendor may have at most ${maxWorkingKeys} integration keys; revoke some`)
      }
      const { key, hash, hint } = createIntegrationKey()
      const record: IntegrationApiKey = {
        _id: randomUUID(),
        vendorId,
        name,
        hash,
        hint,
        permissions: [...new Set(permissions)],
        createdAt: new Date(),
        createdBy,
        expiresAt,
        lastUsedAt: null,
        revokedAt: null
      }
      await integrationApiKeys.insertOne(record)
      return { key, record }
    },
    findByHash: async (hash) => await integrationApiKeys.findOne({ hash }),
    async namesOf (vendorId, ids) {
      const found = await findByIds(integrationApiKeys, ids, { vendorId: 1, name: 1 })
      return new Map(found.filter((key) => key.vendorId === vendorId).map(({ _id, name }) => [_id, name]))
    },
    list: async (vendorId) => await integrationApiKeys.find({ vendorId }).sort({ createdAt: -1 }).limit(maxListedKeys).toArray(),
    async workingOf (createdBy) {
      const found = await integrationApiKeys.find({ createdBy, revokedAt: null }).sort({ createdAt: -1 }).limit(maxListedKeys).toArray()
      return found.filter(keyWorks)
    },
    async update (vendorId, id, { name, permissions }) {
      if (name !== undefined) checkName(name)
      const changes = {
        ...name === undefined ? {} : { name },
        ...permissions === undefined ? {} : { permissions: [...new Set(permissions)] }
      }
      if (Object.keys(changes).length > 0) await integrationApiKeys.updateOne({ _id: id, vendorId }, { $set: changes })
      return await integrationApiKeys.findOne({ _id: id, vendorId })
    },
    async revoke (vendorId, id) {
      await integrationApiKeys.updateOne({ _id: id, vendorId, revokedAt: null }, { $set: { revokedAt: new Date() } })
      return await integrationApiKeys.findOne({ _id: id, vendorId })
    },
    ownerOf: async (id) => (await integrationApiKeys.findOne({ _id: id }))?.vendorId ?? null,
    async touch (id, at) {
      await integrationApiKeys.updateOne({ _id: id }, { $set: { lastUsedAt: at } })
    }
  }
}
