/** A stored product with what every one has, for tests to which it is a document among others. */
import type { ProductDocument } from '../../src/store/catalog/product-document.js'

const at = new Date()

export const bareProduct = (_id: string, more: Partial<ProductDocument> = {}): ProductDocument => ({
  _id, vendorId: 'v', externalId: _id, revision: 1, writeId: 'w', name: 'n', brandName: 'b', externalUrl: 'https://shop.example.com/p', archived: false,
  createdAt: at, updatedAt: at, size: 1, targeted: false, ...more
})
