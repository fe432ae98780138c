/**
 * The original PDFs of size charts, in GridFS (bucket `size_chart_pdfs`). A file is written before the chart that points to it and
 * removed after the chart has let go of it, so a chart never points to nothing, and a crash in between leaves a file that no
 * chart holds: `sweep` finds those.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GridFSBucket, MongoGridFSChunkError, ObjectId, type Db } from 'mongodb'
import { maxPdfBytes, PdfRefused } from '../domain/conversion-failure.js'
import type { KeptPdf } from '../domain/size-chart.js'

export interface SizeChartPdfs {
  /** Keeps the bytes of `source`, at most 20 MiB. Throws PdfRefused (too-large), or what the source throws; then nothing is kept. */
  write (source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<KeptPdf>
  /** null: it is not there. */
  read (pdf: KeptPdf): Promise<Buffer | null>
  /** For answering requests; ends with an error when the file is not there. */
  stream (pdf: KeptPdf): Readable
  /** Ids that are not there are skipped. */
  remove (fileIds: string[]): Promise<void>
  /** Removes files older than `ageMs` of which `heldOf` does not say that a chart holds them. Gives how many. */
  sweep (heldOf: (fileIds: string[]) => Promise<Set<string>>, ageMs: number): Promise<number>
}

const bucketName = 'size_chart_pdfs'
const filesPerStep = 100

export function createSizeChartPdfs (db: Db): SizeChartPdfs {
  const bucket = new GridFSBucket(db, { bucketName })
  const files = db.collection(`${bucketName}.files`)
  const chunks = db.collection(`${bucketName}.chunks`)

  async function remove (fileIds: string[]): Promise<void> {
    for (let from = 0; from < fileIds.length; from += filesPerStep) {
      const ids = fileIds.slice(from, from + filesPerStep).map((fileId) => new ObjectId(fileId))
      // Not bucket.delete(): that takes one at a time, and refuses a file of which only chunks are there, as a crash leaves them.
      await files.deleteMany({ _id: { $in: ids } })
      await chunks.deleteMany({ files_id: { $in: ids } })
    }
  }

  return {
    async write (source) {
      const target = bucket.openUploadStream('size-chart.pdf')
      const hash = createHash('sha256')
      let bytes = 0
      try {
        await pipeline(async function * () {
          for await (const piece of source as AsyncIterable<Buffer>) {
            bytes += piece.length
            if (bytes > maxPdfBytes) throw new PdfRefused('too-large')
            hash.update(piece)
            yield piece
          }
        }, target)
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
      // The index of the chunks answers this; a file that a crash has left half written has chunks only.
      const old = (await chunks.distinct('files_id', { files_id: { $lt: before } }) as ObjectId[]).map((id) => id.toHexString())
      let removed = 0
      for (let from = 0; from < old.length; from += filesPerStep) {
        const piece = old.slice(from, from + filesPerStep)
        const held = await heldOf(piece)
        const orphans = piece.filter((fileId) => !held.has(fileId))
        await remove(orphans)
        removed += orphans.length
      }
      return removed
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof MongoGridFSChunkError || (error as { code?: unknown }).code === 'ENOENT'
