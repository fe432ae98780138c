/**
 * The form of API keys (decisions.md, Access): `svc_` (integration keys) or `svc_u_` (users' keys) + 32 random bytes in base62 + the CRC32 of all before it in base62,
 * so that a mistyped key is refused without a look-up. Only the SHA-256 of the whole key is ever stored: the key is
 * random enough that a slow hash would add nothing.
 */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 43
const checksumLength = 6
const random = `[0-9A-Za-z]{${randomLength + checksumLength}}`
const integrationKey = new RegExp(`^svc_${random}$`)
/** base62 has no underscore, so no integration key is ever taken for one of these. */
const userKey = new RegExp(`^svc_u_${random}$`)

export interface NewApiKey { key: string, hash: string, hint: string }

export const createIntegrationKey = (): NewApiKey => createKey('svc_')
export const createUserKey = (): NewApiKey => createKey('svc_u_')

function createKey (prefix: 'svc_' | 'svc_u_'): NewApiKey {
  const body = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)
  const key = body + checksum(body)
  return { key, hash: hashKey(key), hint: key.slice(-4) }
}

/** True when the text can be an integration key: right form and checksum. */
export const isIntegrationKey = (text: string): boolean => integrationKey.test(text) && hasItsChecksum(text)

/** True when the text can be a user's key. */
export const isUserKey = (text: string): boolean => userKey.test(text) && hasItsChecksum(text)

export const hashKey = (key: string): string => hash('sha256', key)

const hasItsChecksum = (text: string): boolean => checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumLength)

function base62 (number: bigint, length: number): string {
  let digits = ''
  for (let rest = number; rest > 0n; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits
  return digits.padStart(length, '0')
}
