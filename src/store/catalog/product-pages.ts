/** All of a vendor's live, or of its archived, products, page by page: no command looks at more than a page. */
import type { Document } from 'mongodb'
import type { Collections } from '../database/connection.js'
import type { ReadStrength } from '../database/lasting-reads.js'
import type { ProductDocument } from './product-document.js'

const pageSize = 1_000

/** In the order of their index. Throws the signal's reason when it is aborted. */
export async function * productPages<T extends Partial<ProductDocument>> (
  products: Collections['products'], { vendorId, archived }: Pick<ProductDocument, 'vendorId' | 'archived'>, projection: Document, signal: AbortSignal, strength: ReadStrength = {}
): AsyncGenerator<T[]> {
  // The order is said aloud as in find-by-ids.
  const found = products.find({ vendorId, archived }, { batchSize: pageSize, sort: { targeted: 1, externalId: 1 }, ...strength }).project<T>(projection)
  try {
    while (await found.hasNext()) {
      signal.throwIfAborted()
      yield found.readBufferedDocuments()
    }
  } finally {
    await found.close()
  }
}
