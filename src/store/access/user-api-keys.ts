/** Users' own API keys, in `user_api_keys`, known by their hashes only (decisions.md, Access). */
import { randomUUID } from 'node:crypto'
import { checkExpiry, checkName, type UserApiKey } from '../../domain/access.js'
import { createUserKey } from '../../domain/api-key.js'
import { limitExceeded } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { maxListedKeys } from './integration-api-keys.js'

export interface UserApiKeys {
  /** `key` is told here and never again. Throws BAD_USER_INPUT, or LIMIT_EXCEEDED when the user has too many that work. */
  create (userId: string, name: string, expiresAt: Date | null): Promise<{ key: string, record: UserApiKey }>
  findByHash (hash: string): Promise<UserApiKey | null>
  /** Newest first, revoked ones included. */
  list (userId: string): Promise<UserApiKey[]>
  /** null: the user has no such key. Revoking twice keeps the first time. */
  revoke (userId: string, id: string): Promise<UserApiKey | null>
  /** Id of the user that a key belongs to, for operators who know the key only. null: no such key. */
  ownerOf (id: string): Promise<string | null>
  /** Records a use. */
  touch (id: string, at: Date): Promise<void>
}

/** A soft bound: two requests at once may pass it by one. */
const maxWorkingKeys = 50

export function createUserApiKeys ({ userApiKeys }: Collections): UserApiKeys {
  return {
    async create (userId, name, expiresAt) {
      checkName(name)
      checkExpiry(expiresAt)
      if (await userApiKeys.countDocuments({ userId, revokedAt: null }) >= maxWorkingKeys) {
        throw limitExceeded(`A user may have at most ${maxWorkingKeys} keys; revoke some`)
      }
      const { key, hash, hint } = createUserKey()
      const record: UserApiKey = {
        _id: randomUUID(), userId, name, hash, hint, createdAt: new Date(), expiresAt, lastUsedAt: null, revokedAt: null
      }
      await userApiKeys.insertOne(record)
      return { key, record }
    },
    findByHash: async (hash) => await userApiKeys.findOne({ hash }),
    list: async (userId) => await userApiKeys.find({ userId }).sort({ createdAt: -1 }).limit(maxListedKeys).toArray(),
    async revoke (userId, id) {
      await userApiKeys.updateOne({ _id: id, userId, revokedAt: null }, { $set: { revokedAt: new Date() } })
      return await userApiKeys.findOne({ _id: id, userId })
    },
    ownerOf: async (id) => (await userApiKeys.findOne({ _id: id }))?.userId ?? null,
    async touch (id, at) {
      await userApiKeys.updateOne({ _id: id }, { $set: { lastUsedAt: at } })
    }
  }
}
