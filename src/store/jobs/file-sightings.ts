/**
 * When files were first seen on an SFTP server that lets its clients set modification times, in `file_sightings`: what retention counts from there.
 * A file is known by vendor, name, size and modification time; where one of them changes, it is another file.
 *
 * One small document a file, made when the file is first seen and removed when it is not seen any more. Workers that look at the same time
 * do no harm: the first sighting stands, and a file that one of them has not seen yet is at worst taken for a newer one.
 */
import type { Collections } from '../database/connection.js'
import { ignoreDuplicates } from '../database/database-errors.js'

export interface SeenFile { name: string, size: number, modifiedAtMs: number }

export interface FileSightings {
  /** These are all that there are of the vendor: what is known of others is forgotten. Gives when each was first seen (Unix ms), by its name. */
  update (vendorId: string, files: SeenFile[], nowMs: number): Promise<Map<string, number>>
}

/** 150 bytes each, with a name as merchants give them. */
const insertsAtOnce = 1_000
/** See find-by-ids. */
const removalsAtOnce = 100

export function createFileSightings ({ fileSightings }: Pick<Collections, 'fileSightings'>): FileSightings {
  return {
    async update (vendorId, files, nowMs) {
      const unseen = new Map(files.map((file) => [idOf(vendorId, file), file.name]))
      const firstSeenMs = new Map<string, number>()
      const gone: string[] = []
      for await (const { _id, firstSeenAt } of fileSightings.find({ vendorId }, { projection: { firstSeenAt: 1 } })) {
        const name = unseen.get(_id)
        if (name === undefined) gone.push(_id)
        else firstSeenMs.set(name, firstSeenAt.getTime())
        unseen.delete(_id)
      }
      for (const piece of pieces([...unseen], insertsAtOnce)) {
        await fileSightings.insertMany(piece.map(([_id]) => ({ _id, vendorId, firstSeenAt: new Date(nowMs) })), { ordered: false }).catch(ignoreDuplicates)
        for (const [, name] of piece) firstSeenMs.set(name, nowMs)
      }
      for (const piece of pieces(gone, removalsAtOnce)) await fileSightings.deleteMany({ _id: { $in: piece } })
      return firstSeenMs
    }
  }
}

/** Neither a vendor's id nor a file's name holds a slash. */
const idOf = (vendorId: string, { name, size, modifiedAtMs }: SeenFile): string => `${vendorId}/${name}/${size}/${modifiedAtMs}`

function * pieces<T> (all: T[], size: number): Generator<T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}
