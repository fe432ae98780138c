/** Reading products. A query by `_id` names its vendor: the id is made from the vendor's. Writing them is store/product-writer.ts alone, so that there is one way to change one. */
import type { Filter } from 'mongodb'
import { productId, type Product } from '../domain/product.js'
import type { Collections } from './connection.js'
import { findByIds } from './find-by-ids.js'
import { fromDocument, type ProductDocument } from './product-document.js'
import type { Page } from './import-jobs.js'

/** Where a page ended. Live products come first, then archived ones, each by external id: the order of the index. */
export interface ProductCursor { archived: boolean, externalId: string }

export interface Products {
  findByExternalId (vendorId: string, externalId: string): Promise<Product | null>
  findByExternalIds (vendorId: string, externalIds: string[]): Promise<Map<string, Product>>
  page (vendorId: string, options: { archived: boolean | null, first: number, after: ProductCursor | null }): Promise<Page<Product>>
  count (vendorId: string, archived: boolean | null): Promise<number>
}

export function createProducts ({ products }: Collections): Products {
  return {
    async findByExternalId (vendorId, externalId) {
      const found = await products.findOne({ _id: productId(vendorId, externalId) })
      return found === null ? null : fromDocument(found)
    },
    async findByExternalIds (vendorId, externalIds) {
      const ids = [...new Set(externalIds)].map((externalId) => productId(vendorId, externalId))
      return new Map((await findByIds(products, ids)).map((document) => [document.externalId, fromDocument(document)]))
    },
    async page (vendorId, { archived, first, after }) {
      const filter: Filter<ProductDocument> = { vendorId, ...(archived === null ? {} : { archived }) }
      if (after !== null) {
        filter.$or = [{ archived: after.archived, externalId: { $gt: after.externalId } }]
        if (!after.archived) filter.$or.push({ archived: true })
      }
      const found = await products.find(filter).sort({ archived: 1, externalId: 1 }).limit(first + 1).toArray()
      return { nodes: found.slice(0, first).map(fromDocument), hasNextPage: found.length > first }
    },
    count: async (vendorId, archived) =>
      await products.countDocuments({ vendorId, ...(archived === null ? {} : { archived }) })
  }
}
