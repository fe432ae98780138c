/**
 * A file being uploaded. It grows under a temporary name that no client can see, and takes its own name in one step when
 * the client closes it:
 *
 *   writing ──publish──▶ visible         (fsync, then rename: whole or not at all)
 *      │  └──a write fails──▶ broken     (publish refuses; a client that ignored the error gets no half file)
 *      └──discard──▶ gone                (connection lost, server closing)
 *
 * Until then whoever reads the name reads the old content. A client that cancels and still closes the handle politely
 * cannot be told from one that has finished.
 */
import { constants } from 'node:fs'
import { copyFile, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { renameExclusively } from './exclusive-rename.js'
import { createGrowingFile, type GrowingFile } from './growing-file.js'
import { statFile, type Jail } from './jail.js'
import { temporaryName } from './leftovers.js'
import type { Quotas } from './quotas.js'
import { errnoOf, failure, noSuchFile, permissionDenied } from './sftp-failure.js'
import type { FilePlace } from './virtual-path.js'

export interface UploadOptions {
  /** Make the file when it is missing; else a missing file is refused. */
  create: boolean
  /** Refuse when the file exists, at the start and again when it is published. */
  exclusive: boolean
  /** Start empty; else start from a copy of what is there (resume, append). */
  truncate: boolean
  /** Every write goes to the end, whatever its offset. */
  append: boolean
  maxFileBytes: number
}

export interface Upload extends Omit<GrowingFile, 'sync'> {
  place: FilePlace
  /** Ends the upload: the whole file is visible afterwards. Throws when it is not, or not known to be on the disk. */
  publish (): Promise<void>
  discard (): Promise<void>
}

export async function startUpload (jail: Jail, quotas: Quotas, place: FilePlace, options: UploadOptions): Promise<Upload> {
  const target = join(await jail.incoming(place.vendorId), place.name)
  const existing = await sizeOf(target)
  if (existing !== null && options.exclusive) throw failure('File exists')
  if (existing === null && !options.create) throw noSuchFile()

  const { vendorId } = place
  await quotas.takeFile(vendorId)
  const copied = existing !== null && !options.truncate
  if (copied) quotas.takeBytes(vendorId, existing)
  try {
    const temporary = join(await jail.uploading(vendorId), temporaryName())
    const file = await openTemporary(temporary, copied ? target : undefined)
    return createUpload({ jail, quotas, place, options, temporary, file, startSize: copied ? existing : 0 })
  } catch (error) {
    quotas.forget(vendorId)
    throw error
  }
}

function createUpload ({ jail, quotas, place, options, temporary, file, startSize }: {
  jail: Jail
  quotas: Quotas
  place: FilePlace
  options: UploadOptions
  temporary: string
  file: FileHandle
  startSize: number
}): Upload {
  const growing = createGrowingFile({ file, startSize, vendorId: place.vendorId, quotas, append: options.append, maxFileBytes: options.maxFileBytes })
  const discard = async (): Promise<void> => {
    await file.close()
    await rm(temporary, { force: true })
    // Whatever has become of the bytes: discarded here, or in the place of an older file's.
    quotas.forget(place.vendorId)
  }

  return {
    place,
    ...growing,
    discard,
    async publish () {
      try {
        await growing.sync()
        // Proven again: the folder may have been exchanged while the file grew.
        const folder = await jail.incoming(place.vendorId)
        await (options.exclusive ? renameExclusively : rename)(temporary, join(folder, place.name))
        await syncFolder(folder)
      } finally {
        await discard()
      }
    }
  }
}

async function openTemporary (path: string, original: string | undefined): Promise<FileHandle> {
  const exclusive = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
  if (original === undefined) return await open(path, exclusive | constants.O_NOFOLLOW, 0o600)
  try {
    // FICLONE: file systems that can share the blocks copy nothing.
    await copyFile(original, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    if (await realpath(original) !== original) throw permissionDenied() // became a link since it was looked at
    return await open(path, constants.O_RDWR | constants.O_NOFOLLOW)
  } catch (error) {
    await rm(path, { force: true }) // half a copy of a file that did not fit
    throw error
  }
}

/** null: there is no such file. */
async function sizeOf (path: string): Promise<number | null> {
  try {
    return (await statFile(path)).size
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

/** The rename itself survives a power cut only once the folder is on the disk. */
async function syncFolder (path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
