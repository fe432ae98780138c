/**
 * Which SFTP server is believed to be the one that it says it is. Whoever can put himself in its place could otherwise hand the worker
 * any file.
 */
import { readFile } from 'node:fs/promises'
import type { ServerHostKeyAlgorithm } from 'ssh2'
import { fingerprintOf, keyTypeOf } from '../domain/ssh-public-key.js'
import { findKnownKeys } from './known-hosts.js'

/** The keys with these fingerprints (`SHA256:…`), or those that a file in OpenSSH's format known_hosts has for the server. */
export type TrustedHostKeys = { fingerprints: readonly string[] } | { knownHostsFile: string }

export interface HostKeyCheck {
  /** What to ask the server for, first the types of which a key is known: it shows one of its keys only. */
  algorithms: ServerHostKeyAlgorithm[]
  /** Why the key that it shows is not trusted, such as `is not trusted`; undefined when it is. */
  refusalOf (key: Buffer): string | undefined
}

/** Of a type that ssh2 has, without signatures by SHA-1, as in OpenSSH since 8.8. */
const algorithms: ServerHostKeyAlgorithm[] = [
  'ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'rsa-sha2-512', 'rsa-sha2-256'
]
/** RFC 8332: the signature's name is not the key's. */
const keyTypeFor = (algorithm: ServerHostKeyAlgorithm): string => algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm

/** Nothing can be trusted by what is given. Its message names the file. */
export class NoHostKeyError extends Error {
  override readonly name = 'NoHostKeyError'
}

/** Reads the file anew: keys are rotated, and the built-in server may only be about to write it. Throws NoHostKeyError, or why it cannot be read. */
export async function readHostKeyCheck (trusted: TrustedHostKeys, host: string, port: number): Promise<HostKeyCheck> {
  if ('fingerprints' in trusted) {
    return { algorithms, refusalOf: (key) => trusted.fingerprints.includes(fingerprintOf(key)) ? undefined : 'is not trusted' }
  }
  const { knownHostsFile } = trusted
  const known = knownKeys(await readFile(knownHostsFile, 'utf8'), knownHostsFile, host, port)
  const isAmong = (keys: Buffer[], key: Buffer): boolean => keys.some((one) => one.equals(key))
  const usable = known.trusted.filter((key) => !isAmong(known.revoked, key))
  if (usable.length === 0) {
    throw new NoHostKeyError(`${knownHostsFile} has no key for ${addressOf(host, port)}${known.authorities === 0 ? '' : ', only certificate authorities, which are not supported'}`)
  }
  const types = new Set(usable.map(keyTypeOf))
  const isKnown = (algorithm: ServerHostKeyAlgorithm): boolean => types.has(keyTypeFor(algorithm))
  return {
    algorithms: [...algorithms.filter(isKnown), ...algorithms.filter((algorithm) => !isKnown(algorithm))],
    refusalOf: (key) => isAmong(known.revoked, key) ? 'is revoked' : isAmong(usable, key) ? undefined : 'is not trusted'
  }
}

function knownKeys (text: string, file: string, host: string, port: number): ReturnType<typeof findKnownKeys> {
  try {
    return findKnownKeys(text, host, port)
  } catch (error) {
    throw new NoHostKeyError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** As known_hosts names it. */
const addressOf = (host: string, port: number): string => port === 22 ? host : `[${host}]:${port}`
