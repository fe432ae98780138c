/** What is sent to the database for a product that its lines have changed. */
import { randomBytes } from 'node:crypto'
import type { AnyBulkWriteOperation } from 'mongodb'
import { markLine, type LineMark } from '../../domain/product.js'
import type { ProductFold } from '../../domain/product-fold.js'
import { toDocument, type ProductDocument, type UnsizedRecord } from './product-document.js'
import { charactersIn } from './product-size.js'
import { productUpdate, variantsUpdate } from './product-update.js'
import type { StoredProduct } from './stored-product.js'
import type { WritableLine } from './writable-line.js'

export interface ProductWrite {
  id: string
  writeId: string
  operation: AnyBulkWriteOperation<ProductDocument>
  /** Nothing but variants of a stored product changes: prices, stock, codes. What it is found and counted by is as it was. */
  isOfVariants: boolean
}

export interface ChangedProduct {
  id: string
  /** As it was read; null: there is none. */
  stored: StoredProduct | null
  /** With its lines folded in. */
  fold: Pick<ProductFold, 'content' | 'onlyVariants'>
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
  return (changed) => {
    const writeId = `${writerId}.${writes++}`
    return { id: changed.id, writeId, ...operationOf(changed, recordOf(changed, vendorId, jobId, writeId)) }
  }
}

function recordOf ({ id, stored, last, creator, patchHash, duringJobId }: ChangedProduct, vendorId: string, jobId: string | null, writeId: string): UnsizedRecord {
  const now = new Date()
  const before = stored?.record
  return {
    _id: id,
    vendorId,
    externalId: last.externalId,
    revision: (before?.revision ?? 0) + 1,
    writeId,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
    createdBy: before === undefined ? (creator === null ? null : markOf(creator, jobId)) : before.createdBy ?? null,
    // upsertProducts leaves the mark: a re-run of the job must still know what it has applied.
    writtenBy: markOf(last, jobId) ?? before?.writtenBy ?? null,
    upsertedDuring: jobId === null ? duringJobId : before?.upsertedDuring ?? null,
    archivedByJobId: before?.archivedByJobId ?? null,
    patchHash
  }
}

const markOf = ({ position }: WritableLine, jobId: string | null): LineMark | null => jobId === null ? null : markLine(jobId, position)

function operationOf ({ stored, fold, lineCount, last }: ChangedProduct, record: UnsizedRecord): Pick<ProductWrite, 'operation' | 'isOfVariants'> {
  const { onlyVariants } = fold
  const update = stored === null || onlyVariants === null ? null : variantsUpdate(stored, onlyVariants, record)
  if (update !== null) return { operation: update, isOfVariants: true }
  const { content } = fold
  // A new product holds what its line says; for others the exact sum is taken, or it would only ever grow.
  const size = stored === null && lineCount === 1 ? last.characters : charactersIn(content)
  const document = toDocument(Object.assign(record, { size }), content)
  return { operation: stored === null ? { insertOne: { document } } : productUpdate(stored.document, document), isOfVariants: false }
}
