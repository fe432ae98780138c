/**
 * Who sends a request (decisions.md, Access).
 *
 *   X-Vendor-Api-Key: svc_…            an integration key; wins when both headers are sent
 *   Authorization: Bearer svc_u_…      a user, by a key of its own
 *   Authorization: Bearer (JWT)        a user, by an access token
 *
 * A key's form and checksum, a token's signature and expiry are checked first, so that a typo or a forgery costs no look-up.
 */
import type { FastifyBaseLogger } from 'fastify'
import { keyWorks, type IntegrationApiKey, type Principal, type User, type UserApiKey, type UserPrincipal } from '../../domain/access.js'
import { hashKey, isIntegrationKey, isUserKey } from '../../domain/api-key.js'
import { createBoundedMap } from '../../domain/bounded-map.js'
import { unauthenticated } from '../../errors.js'
import type { Repositories } from '../../store/repositories.js'
import { createRecordMemory, memoryMs } from './record-memory.js'
import { endOfToken, type VerifyToken } from './token-verifier.js'
import { createUseRecorder } from './use-recorder.js'

/** As the request carries them. */
export interface Credentials {
  /** X-Vendor-Api-Key */
  apiKey: string | undefined
  /** Authorization */
  authorization: string | undefined
}

export interface Authenticator {
  /** Whose credentials they are, where nothing has to be asked for it; null: `authenticate` tells. */
  recall (credentials: Credentials): Principal | null
  /** Throws UNAUTHENTICATED, or what the database throws. */
  authenticate (credentials: Credentials): Promise<Principal>
  /** Whether it is no stranger's try: a key that this process has met before, or nothing that would be looked up by its hash. */
  isNoGuess (credentials: Credentials): boolean
  /** A key was changed or revoked by this process: it is read anew at once, and not only within 5 s. */
  forgetKey (hash: string): void
  /** The same of what a user may do. */
  forgetUser (id: string): void
  /** Waits for the recording of uses that is under way. */
  close (): Promise<void>
}

const maxHashes = 10_000
/** To verify a signature takes as long as the rest of a small request. Of a longer token each request pays for it. */
const maxTokens = 1_000
const maxKeptTokenLength = 4_096

export interface AuthenticatorOptions {
  repositories: Pick<Repositories, 'integrationApiKeys' | 'userApiKeys' | 'users'>
  verifyToken: VerifyToken
  log: FastifyBaseLogger
  monotonicMs: () => number
}

export function createAuthenticator ({ repositories, verifyToken, log, monotonicMs }: AuthenticatorOptions): Authenticator {
  const { integrationApiKeys, userApiKeys, users } = repositories
  const integrationKeys = createRecordMemory({ read: integrationApiKeys.findByHash, monotonicMs })
  const userKeys = createRecordMemory({ read: userApiKeys.findByHash, monotonicMs })
  const knownUsers = createRecordMemory({ read: users.find, monotonicMs })
  /** Of keys that were found: a key's checksum and hash are the same each time. */
  const hashes = createBoundedMap<string, string>(maxHashes)
  /** By their records, as long as those are remembered. */
  const principals = new WeakMap<IntegrationApiKey, Principal>()
  /** Access tokens that were good at the time. */
  const verified = createBoundedMap<string, { userId: string, at: number, endsAtMs: number }>(maxTokens)
  const integrationKeyUses = createUseRecorder({ touch: integrationApiKeys.touch, log, monotonicMs })
  const userKeyUses = createUseRecorder({ touch: userApiKeys.touch, log, monotonicMs })

  async function authenticate ({ apiKey, authorization }: Credentials): Promise<Principal> {
    if (isSent(apiKey)) return await byIntegrationKey(apiKey)
    if (!isSent(authorization)) {
      throw unauthenticated('Send an integration API key in the header X-Vendor-Api-Key, or a user\'s access token or key as Authorization: Bearer', { reason: 'nothing-sent' })
    }
    const token = bearerToken(authorization)
    if (token === null) throw unauthenticated('Authorization must be of the form: Bearer TOKEN', { reason: 'form' })
    return token.startsWith('svc_') ? await byUserKey(token) : await byAccessToken(token)
  }

  async function byIntegrationKey (key: string): Promise<Principal> {
    const hash = isIntegrationKey(key) ? hashKey(key) : null
    const record = hash === null ? null : await integrationKeys.find(hash)
    if (hash === null || record === null || !keyWorks(record)) throw badKey(record)
    hashes.set(key, hash)
    return integrationPrincipal(record)
  }

  function integrationPrincipal (record: IntegrationApiKey): Principal {
    integrationKeyUses.record(record)
    const known = principals.get(record)
    if (known !== undefined) return known
    const principal = { kind: 'integration-key', keyId: record._id, vendorId: record.vendorId, permissions: new Set(record.permissions) } as const
    principals.set(record, principal)
    return principal
  }

  async function byUserKey (key: string): Promise<UserPrincipal> {
    const hash = isUserKey(key) ? hashKey(key) : null
    const record = hash === null ? null : await userKeys.find(hash)
    if (hash === null || record === null || !keyWorks(record)) throw badKey(record)
    const user = await knownUsers.find(record.userId)
    if (user === null) throw badKey(record)
    hashes.set(key, hash)
    return userPrincipal(record, user)
  }

  function userPrincipal (record: UserApiKey, user: User): UserPrincipal {
    userKeyUses.record(record)
    return { kind: 'user', userId: user._id, keyId: record._id, memberships: user.memberships }
  }

  /** The kinds of keys differ in their beginnings, so a key is in the memory of its own kind alone. */
  function recall ({ apiKey, authorization }: Credentials): Principal | null {
    const key = isSent(apiKey) ? apiKey : bearerToken(authorization ?? '')
    if (key === null) return null
    const hash = hashes.get(key)
    if (hash === undefined) return isSent(apiKey) ? null : recallToken(key)
    if (isSent(apiKey)) {
      const record = integrationKeys.recall(hash) ?? null
      return record !== null && keyWorks(record) ? integrationPrincipal(record) : null
    }
    const record = userKeys.recall(hash) ?? null
    const user = record === null ? null : knownUsers.recall(record.userId) ?? null
    return record !== null && user !== null && keyWorks(record) ? userPrincipal(record, user) : null
  }

  async function byAccessToken (token: string): Promise<UserPrincipal> {
    const at = monotonicMs()
    const userId = await verifyToken(token)
    const endsAtMs = endOfToken(token)
    if (endsAtMs !== null && token.length <= maxKeptTokenLength) verified.set(token, { userId, at, endsAtMs })
    const user = await knownUsers.find(userId)
    if (user === null) throw unauthenticated('The access token is not valid', { reason: 'unknown-user' })
    return tokenPrincipal(user)
  }

  const tokenPrincipal = (user: User): UserPrincipal => ({ kind: 'user', userId: user._id, keyId: null, memberships: user.memberships })

  /** One that ends soon is verified again. */
  function recallToken (token: string): Principal | null {
    const known = verified.get(token)
    if (known === undefined || monotonicMs() - known.at >= memoryMs || Date.now() >= known.endsAtMs) return null
    const user = knownUsers.recall(known.userId) ?? null
    return user === null ? null : tokenPrincipal(user)
  }

  return {
    authenticate,
    recall,
    isNoGuess ({ apiKey, authorization }) {
      if (isSent(apiKey)) return hashes.get(apiKey) !== undefined || !isIntegrationKey(apiKey) || integrationKeys.knows(hashKey(apiKey))
      const token = bearerToken(authorization ?? '')
      return token === null || !isUserKey(token) || userKeys.knows(hashKey(token))
    },
    forgetKey (hash) {
      integrationKeys.forget(hash)
      userKeys.forget(hash)
    },
    forgetUser: (id) => { knownUsers.forget(id) },
    close: async () => { await Promise.all([integrationKeyUses.close(), userKeyUses.close()]) }
  }
}

/** One message for every key that does not work: whether it once existed is nobody's business. */
const badKey = (record: object | null): Error => unauthenticated('The API key is not valid', { reason: record === null ? 'unknown-key' : 'ended-key' })

const isSent = (header: string | undefined): header is string => header !== undefined && header !== ''

/** The scheme's name is case-insensitive (RFC 9110, 11.1). */
const bearerToken = (authorization: string): string | null => /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null
