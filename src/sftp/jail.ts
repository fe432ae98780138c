/**
 * Where a vendor's files lie on the disk: `{root}/{vendorId}/incoming/{name}`, and uploads that are not finished in
 * `{root}/{vendorId}/.uploading/`, on the same file system so that a rename publishes them.
 *
 * Clients cannot make symbolic links, but anything else with access to the disk can. Node has no openat(2), so every
 * path is proven in two steps: the folder's real path must be the folder itself before it is used, and a file is opened
 * without following a link and its real path compared afterwards.
 */
import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stats } from 'node:fs'
import { errnoOf, noSuchFile, permissionDenied } from './sftp-failure.js'

export interface Jail {
  /** The real path of the folder with one folder per vendor. */
  root: string
  /** Makes the vendor's folders where they are missing. */
  prepare (vendorId: string): Promise<void>
  /** The vendor's folder of finished files, proven to be itself. Throws SftpFailure or a file system error. */
  incoming (vendorId: string): Promise<string>
  uploading (vendorId: string): Promise<string>
}

export async function createJail (rootDir: string): Promise<Jail> {
  await mkdir(rootDir, { recursive: true, mode: 0o700 })
  const root = await realpath(rootDir)

  const proven = async (...names: string[]): Promise<string> => {
    const path = join(root, ...names)
    if (await realpath(path) !== path) throw permissionDenied()
    return path
  }
  const made = async (...names: string[]): Promise<void> => {
    await mkdir(join(root, ...names), { mode: 0o700 }).catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error
    })
    await proven(...names)
  }

  return {
    root,
    async prepare (vendorId) {
      // One by one: each is proven before anything is made inside it.
      await made(vendorId)
      await made(vendorId, 'incoming')
      await made(vendorId, '.uploading')
    },
    incoming: async (vendorId) => await proven(vendorId, 'incoming'),
    uploading: async (vendorId) => await proven(vendorId, '.uploading')
  }
}

/** Only plain files exist: not links, folders, sockets or pipes. Throws SftpFailure (no such file). */
export async function statFile (path: string): Promise<Stats> {
  const stats = await lstat(path)
  if (!stats.isFile()) throw noSuchFile()
  return stats
}

/** Opens a plain file for reading. The caller closes it. */
export async function openFile (path: string): Promise<FileHandle> {
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw noSuchFile()
    if (await realpath(path) !== path) throw permissionDenied()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
