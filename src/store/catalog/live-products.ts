/** A vendor's live products, as a REPLACE reads them before it changes any (domain/live-products). */
import type { ImportMode } from '../../domain/import-job.js'
import type { LiveProducts } from '../../domain/live-products.js'
import type { Collections } from '../database/connection.js'
import { lasting } from '../database/lasting-reads.js'
import { lineDigestIn } from './patch-hash.js'
import type { ProductDocument } from './product-document.js'
import { productPages } from './product-pages.js'

/** Adds all of the vendor's live products. Safe to repeat. */
export async function readLiveProducts (
  { products }: Pick<Collections, 'products'>, { vendorId, mode, signal }: { vendorId: string, mode: ImportMode, signal: AbortSignal }, live: LiveProducts
): Promise<void> {
  for await (const page of productPages<Pick<ProductDocument, '_id' | 'patchHash'>>(products, { vendorId, archived: false }, { patchHash: 1 }, signal, lasting)) {
    for (const { _id, patchHash } of page) live.add(_id, lineDigestIn(patchHash ?? null, mode))
  }
}
