/**
 * Changes stored products apart from imports, as when what they link to is deleted. Optimistic like the product writer: a
 * replacement is filtered by the revision that was read, so what an import writes meanwhile is never overwritten.
 *
 * `updatedAt` and `writtenBy` stay: a REPLACE that runs now must not take this for a merchant's change.
 */
import { randomBytes } from 'node:crypto'
import type { AnyBulkWriteOperation } from 'mongodb'
import type { Product, ProductContent } from '../domain/product.js'
import type { Collections } from './connection.js'
import { findByIds } from './find-by-ids.js'
import { fromDocument, toDocument, type ProductDocument } from './product-document.js'

/**
 * Rewrites the products that `change` gives new content for (null: leave it). Who loses a race against another writer is
 * left as it is; callers look again until there is nothing to do.
 */
export async function rewriteProducts (
  { products }: Pick<Collections, 'products'>, ids: string[], change: (product: Product) => Partial<ProductContent> | null
): Promise<void> {
  const writeId = randomBytes(9).toString('base64url')
  const operations: Array<AnyBulkWriteOperation<ProductDocument>> = []
  for (const product of (await findByIds(products, ids)).map(fromDocument)) {
    const changed = change(product)
    if (changed === null) continue
    const content = { ...product, ...changed }
    operations.push({
      replaceOne: {
        filter: { _id: product._id, revision: product.revision },
        // The content is no longer what its last line gave, so that line must be merged when it comes again.
        replacement: toDocument({ ...product, revision: product.revision + 1, writeId: `${writeId}.${operations.length}`, patchHash: null }, content)
      }
    })
  }
  if (operations.length > 0) await products.bulkWrite(operations, { ordered: false })
}
