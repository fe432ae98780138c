/**
 * Tells clients that have logged in which host keys the server has, and proves that it has them, as OpenSSH's server does (its PROTOCOL, 2.5): a client of OpenSSH puts those that it does not know yet
 * beside the one that it believes, and takes out what is not named any more. So a key that is to take another's place is known before it is shown. Clients that know nothing of it ignore it.
 */
import type { Connection, ParsedKey } from 'ssh2'
import { internalsOfConnection } from './ssh2-internals.js'

const announcement = 'hostkeys-00@openssh.com'
const proof = 'hostkeys-prove-00@openssh.com'
const globalRequest = 80

/** To be called before anybody logs in. `keys` are private ones. */
export function announceHostKeys (client: Connection, keys: readonly ParsedKey[]): void {
  const protocol = internalsOfConnection(client)
  let isOpen = false

  /** null: it asks for keys that were not named to it, or in another form. */
  function proofOf (asked: Buffer): Buffer | null {
    const blobs = stringsIn(asked)
    const found = blobs?.map((blob) => keys.find((key) => key.getPublicSSH().equals(blob)))
    if (blobs === null || found === undefined || found.length === 0 || found.length > keys.length) return null
    const signed = found.map((key, at) => {
      if (key === undefined) return null
      const what = Buffer.concat([proof, protocol.sessionId(), blobs[at] as Buffer].map(asString))
      return asString(Buffer.concat([key.type, key.sign(what)].map(asString)))
    })
    return signed.includes(null) ? null : Buffer.concat(signed as Buffer[])
  }

  protocol.onGlobalRequest(proof, (asked) => {
    // Once is what clients need, and each proof is a signature.
    if (!isOpen) return null
    isOpen = false
    return proofOf(asked)
  })
  client.once('ready', () => {
    isOpen = true
    protocol.send(Buffer.concat([Buffer.from([globalRequest]), asString(announcement), Buffer.from([0]), ...keys.map((key) => asString(key.getPublicSSH()))]))
  })
}

/** RFC 4251, 5: a length and so many bytes. */
function asString (content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** null: it is no row of strings. */
function stringsIn (bytes: Buffer): Buffer[] | null {
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const length = at + 4 > bytes.length ? Infinity : bytes.readUInt32BE(at)
    if (at + 4 + length > bytes.length) return null
    found.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return found
}
