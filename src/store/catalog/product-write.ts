/** What is sent to the database for a product that its lines have changed. */
import { randomBytes } from 'node:crypto'
import type { AnyBulkWriteOperation } from 'mongodb'
import { markLine, type LineMark, type ProductContent } from '../../domain/product.js'
import { toDocument, type ProductDocument } from './product-document.js'
import { charactersIn } from './product-size.js'
import { productUpdate } from './product-update.js'
import type { WritableLine } from './writable-line.js'

export interface ProductWrite { id: string, writeId: string, operation: AnyBulkWriteOperation<ProductDocument> }

export interface ChangedProduct {
  id: string
  /** As it was read; null: there is none. */
  stored: ProductDocument | null
  /** With its lines folded in. */
  content: ProductContent
  /** How many those are. */
  lineCount: number
  /** The last one that has changed something. */
  last: WritableLine
  /** The one that has made the product, if one has. */
  creator: WritableLine | null
  /** null: the same line again may not be taken for known. */
  patchHash: string | null
  /** Of upsertProducts: the vendor's job that is running. */
  duringJobId: string | null
}

export type ToProductWrite = (changed: ChangedProduct) => ProductWrite

/** `jobId` null: not a job. */
export function createProductWrites ({ vendorId, jobId }: { vendorId: string, jobId: string | null }): ToProductWrite {
  const writerId = randomBytes(9).toString('base64url')
  let writes = 0
  const mark = ({ position }: WritableLine): LineMark | null => jobId === null ? null : markLine(jobId, position)

  return ({ id, stored, content, lineCount, last, creator, patchHash, duringJobId }) => {
    const now = new Date()
    const writeId = `${writerId}.${writes++}`
    const document = toDocument({
      _id: id,
      vendorId,
      externalId: last.externalId,
      revision: (stored?.revision ?? 0) + 1,
      writeId,
      createdAt: stored?.createdAt ?? now,
      updatedAt: now,
      createdBy: stored === null ? (creator === null ? null : mark(creator)) : stored.createdBy ?? null,
      // upsertProducts leaves the mark: a re-run of the job must still know what it has applied.
      writtenBy: mark(last) ?? stored?.writtenBy ?? null,
      upsertedDuring: jobId === null ? duringJobId : stored?.upsertedDuring ?? null,
      archivedByJobId: stored?.archivedByJobId ?? null,
      patchHash,
      // A new product holds what its line says; for others the exact sum is taken, or it would only ever grow.
      size: stored === null && lineCount === 1 ? last.characters : charactersIn(content)
    }, content)
    return {
      id,
      writeId,
      operation: stored === null ? { insertOne: { document } } : productUpdate(stored, document)
    }
  }
}
