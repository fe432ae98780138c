/** A vendor's live products: as a REPLACE reads them before it changes any (domain/live-products), and as it looks for absent ones. */
import type { Document } from 'mongodb'
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
  for await (const page of livePages<Pick<ProductDocument, '_id' | 'patchHash'>>(products, vendorId, { patchHash: 1 }, signal)) {
    for (const { _id, patchHash } of page) live.add(_id, lineDigestIn(patchHash ?? null, mode))
  }
}

/** Page by page, in the order of the index by vendor. Throws the signal's reason when it is aborted. */
export async function * livePages<T extends Partial<ProductDocument>> (
  products: Collections['products'], vendorId: string, projection: Document, signal: AbortSignal
): AsyncGenerator<T[]> {
  // The order is said aloud as in find-by-ids.
  const found = products.find({ vendorId, archived: false }, { batchSize: pageSize, sort: { targeted: 1, externalId: 1 } }).project<T>(projection)
  try {
    while (await found.hasNext()) {
      signal.throwIfAborted()
      yield found.readBufferedDocuments()
    }
  } finally {
    await found.close()
  }
}
