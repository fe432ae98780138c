/**
 * Renames without ever replacing: rename(2) replaces, so this links the new name, which fails with EEXIST when it is
 * taken, and then drops the old one. On file systems without hard links a look before the rename has to do.
 */
import { link, lstat, rename, unlink } from 'node:fs/promises'
import { errnoOf } from './sftp-failure.js'

const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Throws an error with code EEXIST when `to` exists. */
export async function renameExclusively (from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!withoutLinks.has(errnoOf(error) ?? '')) throw error
    if (await exists(to)) throw Object.assign(new Error('File exists'), { code: 'EEXIST' })
    await rename(from, to)
    return
  }
  await unlink(from)
}

async function exists (path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  }
}
