/** The files and folders that one channel has open, under the opaque names that its client knows them by. */
import type { FileHandle } from 'node:fs/promises'
import { failure } from './sftp-failure.js'
import type { Listing } from './file-tree.js'
import type { Upload } from './upload.js'

export type Handle =
  | { kind: 'file', file: FileHandle }
  | { kind: 'upload', upload: Upload }
  | { kind: 'folder', listing: Listing }

export interface Handles {
  /** Opens something and keeps it, unless too much is open already: then nothing is opened. Returns the handle's name. */
  add (open: () => Promise<Handle>): Promise<Buffer>
  /** Throws SftpFailure for a name that is not open. */
  get (name: Buffer): Handle
  /** As `get`, and forgets it: closing it is the caller's. */
  take (name: Buffer): Handle
  uploadOf (vendorId: string, name: string): Upload | undefined
  /** Closes everything; what was being uploaded is discarded. Never throws: errors are given back. */
  discardAll (): Promise<unknown[]>
}

export function createHandles (maxOpen: number): Handles {
  const open = new Map<number, Handle>()
  let last = 0

  const keyOf = (name: Buffer): number => name.length === 4 ? name.readUInt32BE() : -1
  const get = (name: Buffer): Handle => {
    const handle = open.get(keyOf(name))
    if (handle === undefined) throw failure('Invalid handle')
    return handle
  }

  return {
    get,
    async add (start) {
      if (open.size >= maxOpen) throw failure('Too many open files')
      const handle = await start()
      last = (last + 1) % 2 ** 32
      open.set(last, handle)
      const name = Buffer.alloc(4)
      name.writeUInt32BE(last)
      return name
    },
    take (name) {
      const handle = get(name)
      open.delete(keyOf(name))
      return handle
    },
    uploadOf (vendorId, name) {
      for (const handle of open.values()) {
        if (handle.kind === 'upload' && handle.upload.place.vendorId === vendorId && handle.upload.place.name === name) {
          return handle.upload
        }
      }
      return undefined
    },
    async discardAll () {
      const handles = [...open.values()]
      open.clear()
      const results = await Promise.allSettled(handles.map(discard))
      return results.flatMap((result) => result.status === 'rejected' ? [result.reason as unknown] : [])
    }
  }
}

async function discard (handle: Handle): Promise<void> {
  switch (handle.kind) {
    case 'file': return await handle.file.close()
    case 'upload': return await handle.upload.discard()
    case 'folder': await handle.listing.return(undefined)
  }
}
