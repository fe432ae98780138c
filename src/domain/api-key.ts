/**
 * The form of API keys (decisions.md, Access): `svc_` + 32 random bytes in base62 + the CRC32 of all before it in base62,
 * so that a mistyped key is refused without a look-up. Only the SHA-256 of the whole key is ever stored: the key is
 * random enough that a slow hash would add nothing.
 */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'svc_'
const randomLength = 43
const checksumLength = 6
const wellFormed = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`)

export interface NewApiKey { key: string, hash: string, hint: string }

export function createIntegrationKey (): NewApiKey {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)
  const key = body + checksum(body)
  return { key, hash: hashKey(key), hint: key.slice(-4) }
}

/** True when the text can be an integration key: right form and checksum. */
export const isIntegrationKey = (text: string): boolean =>
  wellFormed.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

export const hashKey = (key: string): string => hash('sha256', key)

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumLength)

function base62 (number: bigint, length: number): string {
  let digits = ''
  for (let rest = number; rest > 0n; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits
  return digits.padStart(length, '0')
}
