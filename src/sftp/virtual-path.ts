/**
 * What a client's path means. The tree that can be seen has a fixed shape, so a path is matched against that shape
 * instead of being followed on the disk: what does not match does not exist, whatever lies in the folders.
 *
 *   a vendor                 the service
 *   /                        /
 *   /incoming                /{vendorId}
 *   /incoming/{name}         /{vendorId}/incoming
 *                            /{vendorId}/incoming/{name}
 *
 * `..` is resolved in the text alone, and cannot climb over `/`.
 */
import { posix } from 'node:path'
import { vendorIdPattern } from '../domain/access.js'
import type { Identity } from './identity.js'
import { failure, SftpFailure, status } from './sftp-failure.js'

export type Place =
  | { kind: 'vendors' }
  | { kind: 'home', vendorId: string }
  | { kind: 'incoming', vendorId: string }
  | FilePlace
  | { kind: 'nowhere' }

export interface FilePlace { kind: 'file', vendorId: string, name: string }

const maxPathBytes = 4096
const maxNameBytes = 255

// Backslashes are separators to some clients, control characters forge listings and logs, and U+FFFD is what ssh2 makes
// of bytes that are not UTF-8: the file would be stored under another name than the one that was sent.
// eslint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u001f\u007f\\\ufffd]/

/** The path in its one canonical form, as REALPATH answers it. Throws SftpFailure. */
export function canonicalPath (path: string): string {
  if (Buffer.byteLength(path) > maxPathBytes) throw failure('Path too long')
  if (forbidden.test(path)) throw new SftpFailure(status.BAD_MESSAGE, 'Illegal character in path')
  const normal = posix.normalize(`/${path}`)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

/** Where the path leads for this user. Throws SftpFailure. */
export function placeOf (identity: Identity, path: string): Place {
  const names = canonicalPath(path).split('/').filter((name) => name !== '')
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes)) throw failure('File name too long')
  if (identity.kind === 'vendor') return placeInHome(identity.vendorId, names)
  const [vendorId, ...rest] = names
  if (vendorId === undefined) return { kind: 'vendors' }
  return vendorIdPattern.test(vendorId) ? placeInHome(vendorId, rest) : { kind: 'nowhere' }
}

function placeInHome (vendorId: string, names: string[]): Place {
  const [folder, name, ...deeper] = names
  if (folder === undefined) return { kind: 'home', vendorId }
  if (folder !== 'incoming' || deeper.length > 0) return { kind: 'nowhere' }
  return name === undefined ? { kind: 'incoming', vendorId } : { kind: 'file', vendorId, name }
}
