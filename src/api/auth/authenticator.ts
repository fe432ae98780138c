/**
 * Who sends a request (decisions.md, Access). A key's form and checksum are checked first, so that a typo costs no
 * look-up. Records are remembered for a few seconds only: the bound on how long a revoked key still works anywhere.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Caller, IntegrationApiKey } from '../../domain/access.js'
import { hashKey, isIntegrationKey } from '../../domain/api-key.js'
import { unauthenticated } from '../../errors.js'
import type { IntegrationApiKeys } from '../../store/integration-api-keys.js'
import { createBoundedMap } from './bounded-map.js'

/** As the request carries them. */
export interface Credentials {
  /** X-Vendor-Api-Key */
  apiKey: string | undefined
  /** Authorization */
  authorization: string | undefined
}

export interface Authenticator {
  /** Throws UNAUTHENTICATED, or what the database throws. */
  authenticate (credentials: Credentials): Promise<Caller>
  /** Waits for the recording of uses that is under way. */
  close (): Promise<void>
}

/** The promise is 5 s; the rest is for the look-up itself and for requests already past it. */
const memoryMs = 4_000
const touchIntervalMs = 60_000
const maxKnownKeys = 10_000
/** Apart from the known ones, so that a flood of made-up keys cannot push those out. */
const maxUnknownKeys = 1_000

interface Remembered { record: IntegrationApiKey | null, at: number }

export function createAuthenticator (
  { keys, log, monotonicMs }: { keys: IntegrationApiKeys, log: FastifyBaseLogger, monotonicMs: () => number }
): Authenticator {
  const known = createBoundedMap<string, Remembered>(maxKnownKeys)
  const unknown = createBoundedMap<string, Remembered>(maxUnknownKeys)
  const lookUps = new Map<string, Promise<Remembered>>()
  const touchedAt = createBoundedMap<string, number>(maxKnownKeys)
  const touches = new Set<Promise<void>>()

  async function authenticate ({ apiKey, authorization }: Credentials): Promise<Caller> {
    if (apiKey === undefined || apiKey === '') {
      throw unauthenticated(authorization === undefined
        ? 'Send an integration API key in the header X-Vendor-Api-Key'
        : 'Authorization is not supported yet; send an integration API key in the header X-Vendor-Api-Key')
    }
    const record = isIntegrationKey(apiKey) ? await find(hashKey(apiKey)) : null
    // One message for all of them: whether a key once existed is nobody's business.
    if (record === null || record.revokedAt !== null) throw unauthenticated('The API key is not valid')
    recordUse(record)
    return {
      kind: 'integration-key', keyId: record._id, vendorId: record.vendorId, permissions: new Set(record.permissions)
    }
  }

  async function find (hash: string): Promise<IntegrationApiKey | null> {
    const remembered = known.get(hash) ?? unknown.get(hash)
    if (remembered !== undefined && monotonicMs() - remembered.at < memoryMs) return remembered.record
    let lookUp = lookUps.get(hash)
    if (lookUp === undefined) {
      lookUp = readAndRemember(hash).finally(() => { lookUps.delete(hash) })
      lookUps.set(hash, lookUp)
    }
    return (await lookUp).record
  }

  async function readAndRemember (hash: string): Promise<Remembered> {
    // The age counts from before the read: a revoke may be written right after it.
    const at = monotonicMs()
    const remembered = { record: await keys.findByHash(hash), at }
    known.delete(hash)
    unknown.delete(hash)
    const memory = remembered.record === null ? unknown : known
    memory.set(hash, remembered)
    return remembered
  }

  /** Off the request's path; a lost record of a use is worth a line in the log, not a failed request. */
  function recordUse ({ _id, lastUsedAt }: IntegrationApiKey): void {
    const now = monotonicMs()
    const last = touchedAt.get(_id)
    if (last === undefined ? isRecent(lastUsedAt) : now - last < touchIntervalMs) return
    touchedAt.set(_id, now)
    const touch = keys.touch(_id, new Date())
      .catch((error: unknown) => { log.warn({ err: error, keyId: _id }, 'the use of an API key was not recorded') })
      .finally(() => { touches.delete(touch) })
    touches.add(touch)
  }

  return {
    authenticate,
    close: async () => { await Promise.all(touches) }
  }
}

/** Another process has recorded it. */
const isRecent = (lastUsedAt: Date | null): boolean =>
  lastUsedAt !== null && Date.now() - lastUsedAt.getTime() < touchIntervalMs
