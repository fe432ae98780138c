/** SSH public keys as they are sent: fields, each after its length in 4 bytes, the first of them the key's type. */
import { createHash } from 'node:crypto'

/** `SHA256:…`, as `ssh-keygen -l` prints it. */
export const fingerprintOf = (publicKey: Buffer): string =>
  `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`

/** Such as `ssh-ed25519`; '' when it says none. */
export function keyTypeOf (publicKey: Buffer): string {
  if (publicKey.length < 4) return ''
  const type = publicKey.subarray(4, 4 + publicKey.readUInt32BE(0)).toString('latin1')
  return /^[\w@.-]{1,64}$/.test(type) ? type : ''
}
