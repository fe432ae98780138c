/** SSH public keys as they are sent: fields, each after its length in 4 bytes, the first of them the key's type. */
import { createHash } from 'node:crypto'
import { badInput } from '../errors.js'

/** `SHA256:…`, as `ssh-keygen -l` prints it. */
export const fingerprintOf = (publicKey: Buffer): string =>
  `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`

/** Such as `ssh-ed25519`; '' when it says none. */
export function keyTypeOf (publicKey: Buffer): string {
  if (publicKey.length < 4) return ''
  const type = publicKey.subarray(4, 4 + publicKey.readUInt32BE(0)).toString('latin1')
  return /^[\w@.-]{1,64}$/.test(type) ? type : ''
}

export interface SshPublicKey {
  /** `ssh-ed25519 AAAA…`, without the comment. */
  publicKey: string
  /** At most 255 characters. */
  comment: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  fingerprint: string
}

const keyType = 'ssh-ed25519'
/** RFC 8709: the type's name and 32 bytes of key, each after its length in 4 bytes. */
const blobStart = Buffer.concat([lengthOf(keyType.length), Buffer.from(keyType), lengthOf(32)])
const blobBytes = blobStart.length + 32
const maxCommentLength = 255

/**
 * An OpenSSH public key of the one type that is accepted (interface.md, SFTP): one line `ssh-ed25519 BASE64 [comment]`. Read strictly, so that what is
 * stored is what SSH will compare, and never something a lenient reader made of it. `name` is what it is called in messages. Throws BAD_USER_INPUT; the
 * message never repeats what it holds.
 */
export function readSshPublicKey (text: string, name = 'publicKey'): SshPublicKey {
  if (text.includes('PRIVATE KEY') || text.startsWith('PuTTY-User-Key-File')) {
    throw refused(`${name} is a private key: keep it to yourself and give its public half, usually ${name}.pub`)
  }
  const line = text.replace(/\r?\n$/, '')
  if (line.includes('\n')) throw refused(`${name} must hold exactly one public key, on one line`)
  const [, type, base64 = '', comment = ''] = /^([a-z][a-z0-9@.-]*)[ \t]+(\S+)(?:[ \t]+(.*))?$/.exec(line) ?? []
  if (type === undefined) throw refused(`${name} is not an OpenSSH public key`)
  if (type !== keyType) throw refused(`${name} must be an ${keyType} key (make one with: ssh-keygen -t ed25519)`)
  const blob = Buffer.from(base64, 'base64')
  if (blob.toString('base64') !== base64 || blob.length !== blobBytes || !blob.subarray(0, blobStart.length).equals(blobStart)) {
    throw refused(`${name} is damaged: its text is not an ${keyType} key`)
  }
  return {
    publicKey: `${keyType} ${base64}`,
    comment: comment.trim().slice(0, maxCommentLength).toWellFormed(),
    fingerprint: fingerprintOf(blob)
  }
}

function lengthOf (count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(count)
  return bytes
}

const refused = (message: string): Error => badInput(message, 'publicKey')
