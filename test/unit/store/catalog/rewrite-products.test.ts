/** How much rewriting takes at once; what it does is in link-removals and archive-absent. */
import t from 'tap'
import type { AnyBulkWriteOperation, Filter } from 'mongodb'
import type { Collections } from '../../../../src/store/database/connection.js'
import type { ProductDocument } from '../../../../src/store/catalog/product-document.js'
import { rewriteProducts } from '../../../../src/store/catalog/rewrite-products.js'
import { bareProduct } from '../../../support/bare-product.js'
import { foundCursor } from '../../../support/found-cursor.js'

const mebi = 1024 * 1024

/** Products that say what was read and written, in order. */
function rewriting (onWrite: () => void = () => {}) {
  const steps: string[] = []
  const products = {
    find: ({ _id }: Filter<ProductDocument>) => foundCursor(async () => {
      const { $in: ids } = _id as unknown as { $in: string[] }
      steps.push(`read ${ids.join(' ')}`)
      return ids.map((id) => bareProduct(id))
    }),
    async bulkWrite (operations: Array<AnyBulkWriteOperation<ProductDocument>>) {
      steps.push(`write ${operations.length}`)
      onWrite()
    }
  }
  return { steps, collections: { products: products as unknown as Collections['products'] } }
}

t.test('the largest products are read and written one at a time', async (t) => {
  const { steps, collections } = rewriting()
  await rewriteProducts(collections, ['a', 'b', 'c'].map((_id) => ({ _id, size: 4 * mebi })), () => ({}))
  t.strictSame(steps, ['read a', 'write 1', 'read b', 'write 1', 'read c', 'write 1'])
})

t.test('products that are small together are', async (t) => {
  const { steps, collections } = rewriting()
  await rewriteProducts(collections, [{ _id: 'a', size: 2 * mebi }, { _id: 'b', size: 2 * mebi }, { _id: 'c', size: 5 * mebi }, { _id: 'd', size: 1 }], () => ({}))
  t.strictSame(steps, ['read a b', 'write 2', 'read c', 'write 1', 'read d', 'write 1'])
})

t.test('an abort ends it after the group in hand', async (t) => {
  const stopping = new AbortController()
  const { steps, collections } = rewriting(() => { stopping.abort() })
  await rewriteProducts(collections, ['a', 'b'].map((_id) => ({ _id, size: 4 * mebi })), () => ({}), stopping.signal)
  t.strictSame(steps, ['read a', 'write 1'])
})

t.test('others go between two products of a group', async (t) => {
  const { collections } = rewriting()
  const order: string[] = []
  await rewriteProducts(collections, ['a', 'b'].map((_id) => ({ _id, size: 1 })), ({ _id }) => {
    order.push(_id)
    setImmediate(() => { order.push(`after ${_id}`) })
    return null
  })
  t.strictSame(order.slice(0, 3), ['a', 'after a', 'b'])
})
