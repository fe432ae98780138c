/** Reads what a REPLACE knows of the vendor's products before it changes any (domain/live-products). */
import type { ImportMode } from '../domain/import-job.js'
import type { LiveProducts } from '../domain/live-products.js'
import type { Collections } from './connection.js'
import { lineDigestIn } from './patch-hash.js'
import type { ProductDocument } from './product-document.js'

const pageSize = 1_000

/** Adds all of the vendor's live products. Safe to repeat. */
export async function readLiveProducts (
  { products }: Pick<Collections, 'products'>, { vendorId, mode, signal }: { vendorId: string, mode: ImportMode, signal: AbortSignal }, live: LiveProducts
): Promise<void> {
  // In the order of the index, said aloud as in find-by-ids.
  const found = products.find({ vendorId, archived: false }, { batchSize: pageSize, sort: { externalId: 1 } })
    .project<Pick<ProductDocument, '_id' | 'patchHash'>>({ patchHash: 1 })
  try {
    while (await found.hasNext()) {
      signal.throwIfAborted()
      for (const { _id, patchHash } of found.readBufferedDocuments()) live.add(_id, lineDigestIn(patchHash ?? null, mode))
    }
  } finally {
    await found.close()
  }
}
