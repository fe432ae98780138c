/**
 * Decides who a login belongs to. Only ed25519 public keys count.
 *
 * SSH asks twice with the same key: first without a signature ("would this key do?"), then with one. Both come here; the
 * first may only ever lead to the second, so an identity is given out for a verified signature alone. A user that does not
 * exist takes the same way as one that does, and is refused with the same words.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2'
import { vendorIdPattern } from '../domain/access.js'
import { serviceUser } from '../domain/access.js'
import { fingerprintOf } from '../domain/ssh-public-key.js'
import type { Identity } from './identity.js'

/** Answers whether that vendor has registered the key with that fingerprint (`SHA256:…`). */
export type FindVendorKey = (username: string, fingerprint: string) => Promise<boolean>

export type Decision =
  | { kind: 'refused', reason: string }
  /** The key would do; the client has still to prove that it holds it. */
  | { kind: 'prove-it' }
  | { kind: 'accepted', identity: Identity, fingerprint: string }

const keyType = 'ssh-ed25519'
/** The type's name and 32 bytes of key, each after its length in 4 bytes. */
const keyBytes = 4 + keyType.length + 4 + 32
const refused = (reason: string): Decision => ({ kind: 'refused', reason })

export function createAuthenticator ({ servicePublicKey, findVendorKey }: {
  servicePublicKey: Buffer
  findVendorKey: FindVendorKey
}): (context: AuthContext) => Promise<Decision> {
  const serviceDigest = digest(servicePublicKey)

  const isRegistered = async (username: string, key: Buffer): Promise<boolean> => {
    if (username === serviceUser) return timingSafeEqual(digest(key), serviceDigest)
    return vendorIdPattern.test(username) && await findVendorKey(username, fingerprintOf(key))
  }

  return async (context) => {
    if (context.method !== 'publickey') return refused(`method ${context.method} is not offered`)
    const { username, key, signature } = context
    if (key.algo !== keyType) return refused(`key type ${key.algo} is not accepted`)
    if (key.data.length !== keyBytes) return refused('malformed key')
    if (!await isRegistered(username, key.data)) return refused('key is not registered')
    if (signature === undefined) return { kind: 'prove-it' }
    if (!signatureHolds(context)) return refused('wrong signature')
    const identity: Identity = username === serviceUser ? { kind: 'service' } : { kind: 'vendor', vendorId: username }
    return { kind: 'accepted', identity, fingerprint: fingerprintOf(key.data) }
  }
}

function signatureHolds ({ key, blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  if (blob === undefined || signature === undefined) return false
  const parsed = ssh2.utils.parseKey(`${keyType} ${key.data.toString('base64')}`)
  if (parsed instanceof Error || parsed.type !== keyType) return false
  // `verify` returns an Error for a signature that it cannot make sense of, against its type.
  return (parsed.verify(blob, signature, hashAlgo) as unknown) === true
}

const digest = (data: Buffer): Buffer => createHash('sha256').update(data).digest()
