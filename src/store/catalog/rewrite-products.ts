/**
 * Changes stored products apart from imports, as when what they link to is deleted. Optimistic like the product writer: an
 * update is filtered by the revision that was read, so what an import writes meanwhile is never overwritten.
 *
 * Products may be 4 MiB each, so they are read and written in groups (store/database/groups-by-size), giving way between two of them.
 *
 * `updatedAt` and `writtenBy` stay: a REPLACE that runs now must not take this for a merchant's change.
 */
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Product, ProductContent } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import { commitUpdates } from '../database/commit-updates.js'
import { findByIds } from '../database/find-by-ids.js'
import { groupsBySize } from '../database/groups-by-size.js'
import { fromDocument, toDocument, type ProductDocument } from './product-document.js'
import { productUpdate } from './product-update.js'

/** What tells them apart, and how large each is. */
export type ProductHead = Pick<ProductDocument, '_id' | 'size'>

/**
 * Rewrites the products that `change` gives new content for (null: leave it). Who loses a race against another writer is
 * left as it is; callers look again until there is nothing to do. `signal` stops between groups.
 */
export async function rewriteProducts (
  { products }: Pick<Collections, 'products'>, heads: ProductHead[], change: (product: Product) => Partial<ProductContent> | null, signal?: AbortSignal
): Promise<void> {
  for (const group of groupsBySize(heads, ({ size }) => size)) {
    const ids = group.map(({ _id }) => _id)
    if (signal?.aborted === true) return
    await rewriteGroup(products, ids, change)
  }
}

async function rewriteGroup (
  products: Collections['products'], ids: string[], change: (product: Product) => Partial<ProductContent> | null
): Promise<void> {
  const writeId = randomBytes(9).toString('base64url')
  const operations: Array<AnyBulkWriteOperation<ProductDocument>> = []
  for (const document of await findByIds(products, ids)) {
    await setImmediate()
    const product = fromDocument(document)
    const changed = change(product)
    if (changed === null) continue
    const content = { ...product, ...changed }
    // The content is no longer what its last line gave, so that line must be merged when it comes again.
    operations.push(productUpdate(document, toDocument({ ...product, revision: product.revision + 1, writeId, patchHash: null }, content)))
  }
  await commitUpdates(products, operations)
}
