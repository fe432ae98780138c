import { generateKeyPairSync } from 'node:crypto'
import { fingerprintOf } from '../../../src/domain/ssh-public-key.js'

/** A new public key as ssh-keygen writes it. */
export function sshKey (comment: string): { publicKey: string, fingerprint: string } {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.from(x, 'base64url'))])
  return { publicKey: `ssh-ed25519 ${blob.toString('base64')} ${comment}`, fingerprint: fingerprintOf(blob) }
}
