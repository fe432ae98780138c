/** Integration API keys, in `integration_api_keys`, known by their hashes only (decisions.md, Access). */
import { randomUUID } from 'node:crypto'
import { checkName, type IntegrationApiKey, type Permission } from '../domain/access.js'
import { createIntegrationKey } from '../domain/api-key.js'
import type { Collections } from './connection.js'

export interface IntegrationApiKeys {
  /** `key` is told here and never again. */
  create (vendorId: string, name: string, permissions: Permission[]): Promise<{ key: string, record: IntegrationApiKey }>
  findByHash (hash: string): Promise<IntegrationApiKey | null>
  /** null: no such key. Revoking twice keeps the first time. */
  revoke (id: string): Promise<IntegrationApiKey | null>
  /** Records a use. */
  touch (id: string, at: Date): Promise<void>
}

export function createIntegrationApiKeys ({ integrationApiKeys }: Collections): IntegrationApiKeys {
  return {
    async create (vendorId, name, permissions) {
      checkName(name)
      const { key, hash, hint } = createIntegrationKey()
      const record: IntegrationApiKey = {
        _id: randomUUID(),
        vendorId,
        name,
        hash,
        hint,
        permissions: [...new Set(permissions)],
        createdAt: new Date(),
        lastUsedAt: null,
        revokedAt: null
      }
      await integrationApiKeys.insertOne(record)
      return { key, record }
    },
    findByHash: async (hash) => await integrationApiKeys.findOne({ hash }),
    async revoke (id) {
      await integrationApiKeys.updateOne({ _id: id, revokedAt: null }, { $set: { revokedAt: new Date() } })
      return await integrationApiKeys.findOne({ _id: id })
    },
    async touch (id, at) {
      await integrationApiKeys.updateOne({ _id: id }, { $set: { lastUsedAt: at } })
    }
  }
}
