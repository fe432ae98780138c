/**
 * The original PDFs of size charts, in GridFS (bucket `size_chart_pdfs`). A file is written before the chart that points to it and
 * removed after the chart has let go of it, so a chart never points to nothing, and a crash in between leaves a file that no
 * chart holds: `sweep` finds those.
 *
 * A vendor's quota is of files, held or not. It is checked once a file is there, which is removed when it is one too many: of
 * several writers at once the last one counts what all of them have written. What a file takes the place of is not counted,
 * so the files of a vendor pass the quota by one file at most, until the old one is removed.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GridFSBucket, MongoGridFSChunkError, ObjectId } from 'mongodb'
import { maxPdfBytes, PdfRefused } from '../../domain/conversion-failure.js'
import type { KeptPdf, SizeChartQuota } from '../../domain/size-chart.js'
import { pdfBucketName, type Database } from '../database/connection.js'

export interface SizeChartPdfs {
  /**
   * Keeps the bytes of `source`, at most 20 MiB and what the vendor's quota has left; `replaced` gives its room to it.
   * Throws PdfRefused (too-large, over-quota), or what the source throws; then nothing is kept.
   */
  write (vendorId: string, source: AsyncIterable<Buffer> | Iterable<Buffer>, replaced: KeptPdf | null): Promise<KeptPdf>
  /** null: it is not there. */
  read (pdf: KeptPdf): Promise<Buffer | null>
  /** For answering requests; ends with an error when the file is not there. */
  stream (pdf: KeptPdf): Readable
  /** Ids that are not there are skipped. */
  remove (fileIds: string[]): Promise<void>
  /** Removes files older than `ageMs` of which `heldOf` does not say that a chart holds them. Gives how many. */
  sweep (heldOf: (fileIds: string[]) => Promise<Set<string>>, ageMs: number): Promise<number>
}

const filesPerStep = 100
/** Told apart with one command. */
const defaultFilesPerSweep = 1_000
const firstId = new ObjectId('0'.repeat(24))

export function createSizeChartPdfs (
  { collections: { sizeChartPdfFiles: files }, db }: Pick<Database, 'collections' | 'db'>, { pdfBytes: maxVendorBytes }: Pick<SizeChartQuota, 'pdfBytes'>, filesPerSweep = defaultFilesPerSweep
): SizeChartPdfs {
  const bucket = new GridFSBucket(db, { bucketName: pdfBucketName })
  const chunks = db.collection(`${pdfBucketName}.chunks`)

  /** Bytes that the vendor's quota has left, less than none included. */
  async function roomOf (vendorId: string, replaced: KeptPdf | null): Promise<number> {
    const counted = { 'metadata.vendorId': vendorId, ...(replaced === null ? {} : { _id: { $ne: new ObjectId(replaced.fileId) } }) }
    const [sum] = await files.aggregate<{ bytes: number }>([{ $match: counted }, { $group: { _id: null, bytes: { $sum: '$length' } } }]).toArray()
    return maxVendorBytes - (sum?.bytes ?? 0)
  }

  const overQuota = (): Error => new PdfRefused('over-quota', { detail: maxVendorBytes })

  async function remove (fileIds: string[]): Promise<void> {
    for (let from = 0; from < fileIds.length; from += filesPerStep) {
      const ids = fileIds.slice(from, from + filesPerStep).map((fileId) => new ObjectId(fileId))
      // Not bucket.delete(): that takes one at a time, and refuses a file of which only chunks are there, as a crash leaves them.
      await files.deleteMany({ _id: { $in: ids } })
      await chunks.deleteMany({ files_id: { $in: ids } })
    }
  }

  async function removeOrphans (fileIds: string[], heldOf: (fileIds: string[]) => Promise<Set<string>>): Promise<number> {
    let removed = 0
    for (let from = 0; from < fileIds.length; from += filesPerStep) {
      const piece = fileIds.slice(from, from + filesPerStep)
      const held = await heldOf(piece)
      const orphans = piece.filter((fileId) => !held.has(fileId))
      await remove(orphans)
      removed += orphans.length
    }
    return removed
  }

  return {
    async write (vendorId, source, replaced) {
      const room = await roomOf(vendorId, replaced)
      const target = bucket.openUploadStream('size-chart.pdf', { metadata: { vendorId } })
      const hash = createHash('sha256')
      let bytes = 0
      try {
        await pipeline(async function * () {
          for await (const piece of source as AsyncIterable<Buffer>) {
            bytes += piece.length
            if (bytes > maxPdfBytes) throw new PdfRefused('too-large')
            if (bytes > room) throw overQuota()
            hash.update(piece)
            yield piece
          }
        }, target)
        if (await roomOf(vendorId, replaced) < 0) throw overQuota()
      } catch (error) {
        // What this cannot remove, the sweep will.
        await remove([target.id.toHexString()]).catch(() => {})
        throw error
      }
      return { fileId: target.id.toHexString(), sha256: hash.digest('hex'), bytes }
    },
    async read (pdf) {
      const pieces: Buffer[] = []
      try {
        for await (const piece of bucket.openDownloadStream(new ObjectId(pdf.fileId)) as AsyncIterable<Buffer>) pieces.push(piece)
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
      return Buffer.concat(pieces)
    },
    stream: (pdf) => bucket.openDownloadStream(new ObjectId(pdf.fileId)),
    remove,
    async sweep (heldOf, ageMs) {
      const before = ObjectId.createFromTime(Math.floor((Date.now() - ageMs) / 1_000))
      /** The index of the chunks answers this; a file that a crash has left half written has chunks only. */
      const removeBetween = async (from: ObjectId, to: ObjectId): Promise<number> =>
        await removeOrphans((await chunks.distinct('files_id', { files_id: { $gte: from, $lt: to } }) as ObjectId[]).map((id) => id.toHexString()), heldOf)
      let [removed, from, count] = [0, firstId, 0]
      // One walk, in which ranges of them begin and end: to find each end by a range of `_id` would be a walk for each to an embedded server.
      for await (const { _id } of files.find({}, { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: filesPerSweep })) {
        if (_id.toHexString() >= before.toHexString()) break
        if (++count % filesPerSweep !== 0) continue
        removed += await removeBetween(from, _id)
        from = _id
      }
      return removed + await removeBetween(from, before)
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof MongoGridFSChunkError || (error as { code?: unknown }).code === 'ENOENT'
