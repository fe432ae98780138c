/**
 * What a user may see and do, without a word of the SFTP protocol. A vendor reads, writes, renames and deletes plain files
 * in its `incoming/`; the service reads and deletes those of every vendor, and writes what is uploaded over HTTP: it fills a partial file, and
 * gives it its own name once it is whole. There are no other folders, and none can be made.
 */
import { opendir, rename, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { vendorIdPattern } from '../domain/access.js'
import { isPartialUploadName } from '../domain/partial-upload.js'
import { fileNode, folderNode, type Node } from './attributes.js'
import { renameExclusively } from './exclusive-rename.js'
import type { Identity } from './identity.js'
import { openFile, statFile, type Jail } from './jail.js'
import { openPartialFile } from './partial-file.js'
import type { Quotas } from './quotas.js'
import { failure, noSuchFile, permissionDenied, toSftpFailure, status } from './sftp-failure.js'
import { startUpload, type Upload, type UploadOptions } from './upload.js'
import { placeOf, type FilePlace, type Place } from './virtual-path.js'

export type Listing = AsyncGenerator<{ name: string, node: Node }>

/** Every method throws SftpFailure or a file system error. */
export interface FileTree {
  stat (path: string): Promise<Node>
  /** Starts a listing; the generator holds the folder open until it is read to its end or returned. */
  list (path: string): Promise<Listing>
  openToRead (path: string): Promise<FileHandle>
  openToWrite (path: string, options: UploadOptions): Promise<Upload>
  remove (path: string): Promise<void>
  rename (from: string, to: string, options: { replace: boolean }): Promise<void>
  /** Folders are fixed: tells why. */
  refuseFolderChange (path: string): never
}

export function createFileTree (identity: Identity, jail: Jail, quotas: Quotas): FileTree {
  const pathOf = async ({ vendorId, name }: FilePlace): Promise<string> => join(await jail.incoming(vendorId), name)
  const fileAt = (path: string): FilePlace => fileOnly(placeOf(identity, path))
  /** null: it is no partial upload of the service's. */
  const partialAt = (path: string): FilePlace | null => {
    if (identity.kind !== 'service') return null
    const place = placeOf(identity, path)
    return place.kind === 'file' && isPartialUploadName(place.name) ? place : null
  }
  const writableAt = (path: string): FilePlace => {
    const place = placeOf(identity, path)
    if (identity.kind === 'service') throw permissionDenied('The service writes partial uploads only')
    if (place.kind !== 'file') throw permissionDenied('Files can be written only in incoming/')
    return place
  }

  return {
    async stat (path) {
      const place = placeOf(identity, path)
      if (place.kind === 'file') return fileNode(await statFile(await pathOf(place)))
      await proveFolder(jail, place)
      return folderNode()
    },
    async list (path) {
      const place = placeOf(identity, path)
      if (place.kind === 'file') {
        await statFile(await pathOf(place))
        throw failure('Not a directory')
      }
      await proveFolder(jail, place)
      return listPlace(jail, place)
    },
    openToRead: async (path) => await openFile(await pathOf(fileAt(path))),
    async openToWrite (path, options) {
      const partial = partialAt(path)
      return partial === null ? await startUpload(jail, quotas, writableAt(path), options) : await openPartialFile(jail, quotas, partial, options)
    },
    async remove (path) {
      const place = fileAt(path)
      const target = await pathOf(place)
      await statFile(target)
      await unlink(target)
      quotas.forget(place.vendorId)
    },
    async rename (from, to, { replace }) {
      const partial = partialAt(from)
      const [origin, goal] = partial === null ? [writableAt(from), writableAt(to)] : [partial, fileAt(to)]
      if (partial !== null && goal.vendorId !== origin.vendorId) throw permissionDenied('A file stays its vendor\'s')
      const source = await pathOf(origin)
      const target = await pathOf(goal)
      await statFile(source)
      // As an upload over SFTP, which takes the place of what was there when it is whole.
      await (replace || partial !== null ? rename : renameExclusively)(source, target)
    },
    refuseFolderChange (path) {
      if (placeOf(identity, path).kind === 'incoming') throw permissionDenied('incoming/ stays as it is')
      throw permissionDenied('Folders cannot be made or removed')
    }
  }
}

function fileOnly (place: Place): FilePlace {
  if (place.kind === 'file') return place
  throw place.kind === 'nowhere' ? noSuchFile() : permissionDenied('Is a directory')
}

async function proveFolder (jail: Jail, place: Place): Promise<void> {
  if (place.kind === 'nowhere') throw noSuchFile()
  // A home without its incoming/ belongs to no one who has ever logged in.
  if (place.kind === 'home' || place.kind === 'incoming') await jail.incoming(place.vendorId)
}

async function * listPlace (jail: Jail, place: Place): Listing {
  yield { name: '.', node: folderNode() }
  yield { name: '..', node: folderNode() }
  if (place.kind === 'home') yield { name: 'incoming', node: folderNode() }
  if (place.kind === 'incoming') yield * listFiles(await jail.incoming(place.vendorId))
  if (place.kind === 'vendors') yield * listVendors(jail.root)
}

async function * listFiles (folder: string): Listing {
  for await (const { name } of await opendir(folder, { bufferSize: 128 })) {
    try {
      yield { name, node: fileNode(await statFile(join(folder, name))) }
    } catch (error) {
      // Not a plain file, or deleted since the folder was read: it is not there.
      if (toSftpFailure(error).status !== status.NO_SUCH_FILE) throw error
    }
  }
}

async function * listVendors (root: string): Listing {
  for await (const entry of await opendir(root)) {
    if (entry.isDirectory() && vendorIdPattern.test(entry.name)) yield { name: entry.name, node: folderNode() }
  }
}
