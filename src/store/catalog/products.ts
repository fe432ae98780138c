/** Reading products. A query by `_id` names its vendor: the id is made from the vendor's. Writing them is store/catalog/product-writer.ts alone, so that there is one way to change one. */
import { BSON } from 'mongodb'
import { productId, type Product } from '../../domain/product.js'
import { visibilityKey } from '../../domain/search-keys.js'
import type { Collections } from '../database/connection.js'
import { findByIds, findBytesByIds } from '../database/find-by-ids.js'
import { idIn } from '../database/id-in-bytes.js'
import { inGroups, type GroupBounds } from '../database/in-groups.js'
import type { Looks } from '../database/find-among.js'
import { createKeptCounts } from '../database/kept-counts.js'
import { fromDocument, type ProductDocument } from './product-document.js'
import { everything, isSifted, listedBy, type ListFilter } from './product-filters.js'
import { countInRange, countLooked, findInOrder, lookInOrder, type ProductRange } from './products-in-order.js'
import { currentReader } from '../reads/reader.js'
import { changesOf } from '../search/search-vocabularies.js'
import type { Page } from '../jobs/import-jobs.js'

/** Where a page ended. Live products come first, then archived ones, each by external id. */
export interface ProductCursor { archived: boolean, externalId: string }

interface ListPage { first: number, after: ProductCursor | null }

export interface Products {
  /** Who asks while another of the vendor's is being read is answered with all others who have: most of what it costs is the way to the database. */
  findByExternalId (vendorId: string, externalId: string): Promise<Product | null>
  findByExternalIds (vendorId: string, externalIds: string[]): Promise<Map<string, Product>>
  /** Where the filter wants more than the index knows, of a bounded number that is looked at: a page may be short, or empty, and there be more from its `end` on. */
  page (vendorId: string, filter: ListFilter, page: ListPage): Promise<Page<Product> & { end: ProductCursor | null }>
  /** As many as all pages hold of what the filter wants; of very many products, those among the first. */
  countSifted (vendorId: string, filter: ListFilter): Promise<number>
  /** Of those that there are, together; see Product.size. */
  storedSize (vendorId: string, externalIds: string[]): Promise<number>
  /** See kept-counts for how old it may be. */
  count (vendorId: string, archived: boolean | null): Promise<number>
}

/** Each upsertProducts asks (api/graphql/limits/costly-operations), however small. */
const sizesAtOnce: GroupBounds = { smallItems: 20, items: 100 }

/** As those of a search in a store (search/product-search): products with all levels of thousands of stores take some 70 ms a command. */
const looksForFilter: Looks = { atOnce: 500, inAll: 5_000 }
const countedForFilter = 20_000

/** As many as a vendor may have reads under way: one of them may be of megabytes. */
const productsAtOnce: GroupBounds = { smallItems: 1, items: 8 }

export function createProducts (
  { products, searchVocabularies }: Pick<Collections, 'products' | 'searchVocabularies'>, looks = looksForFilter
): Products {
  const countKept = createKeptCounts(async (vendorId) => await changesOf({ searchVocabularies }, vendorId))
  const sizesOf = inGroups<string, number>(async (_vendorId, ids) => {
    const sizes = new Map((await findByIds(products, [...new Set(ids)], { size: 1 })).map(({ _id, size }) => [_id, size]))
    return ids.map((id) => sizes.get(id) ?? 0)
  }, sizesAtOnce)

  /** Not decoded yet: how much of it may be is up to who asks. */
  const bytesOf = inGroups<string, Uint8Array | null>(async (_vendorId, ids) => {
    const found = new Map((await findBytesByIds(products, [...new Set(ids)])).map((bytes) => [idIn(bytes), bytes]))
    return ids.map((id) => found.get(id) ?? null)
  }, productsAtOnce)

  return {
    async findByExternalId (vendorId, externalId) {
      const [bytes = null] = await bytesOf(vendorId, [productId(vendorId, externalId)])
      if (bytes === null) return null
      currentReader()?.take?.(bytes.byteLength)
      return fromDocument(BSON.deserialize(bytes) as ProductDocument)
    },
    async findByExternalIds (vendorId, externalIds) {
      const ids = [...new Set(externalIds)].map((externalId) => productId(vendorId, externalId))
      return new Map((await findByIds(products, ids)).map((document) => [document.externalId, fromDocument(document)]))
    },
    async page (vendorId, filter, { first, after }) {
      const found: ProductDocument[] = []
      let reached: ProductCursor | null = null
      for (const archived of statesOf(filter.archived)) {
        // The live ones are over when the last page ended with an archived one.
        if (found.length > first || reached !== null || (after?.archived === true && !archived)) continue
        const page = { after: after?.archived === archived ? after.externalId : null, limit: first + 1 - found.length }
        const range = rangeOf(vendorId, archived, filter)
        if (!isSifted(filter)) found.push(...await findInOrder({ products }, range, page))
        else {
          const looked = await lookInOrder<ProductDocument>({ products }, { ...range, where: listedBy(filter) }, page, looks)
          found.push(...looked.found)
          if (looked.reached !== null) reached = { archived, externalId: looked.reached }
        }
      }
      const nodes = found.slice(0, first).map(fromDocument)
      const isFull = found.length > first
      return { nodes, hasNextPage: isFull || reached !== null, end: (isFull ? null : reached) ?? nodes.at(-1) ?? null }
    },
    async countSifted (vendorId, filter) {
      const where = listedBy(filter)
      let total = 0
      for (const archived of statesOf(filter.archived)) total += await countLooked({ products }, { ...rangeOf(vendorId, archived, filter), where }, { ...looks, inAll: countedForFilter })
      return total
    },
    storedSize: async (vendorId, externalIds) =>
      (await sizesOf(vendorId, [...new Set(externalIds)].map((externalId) => productId(vendorId, externalId)))).reduce((sum, size) => sum + size, 0),
    async count (vendorId, archived) {
      const counts = statesOf(archived).map(async (state) => await countKept(
        vendorId, state ? 'archived' : 'live', async () => await countInRange({ products }, rangeOf(vendorId, state, everything))
      ))
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    }
  }
}

const rangeOf = (vendorId: string, archived: boolean, { visibility }: ListFilter): ProductRange =>
  ({ vendorId, archived, targeted: null, key: visibility === null ? null : visibilityKey(visibility) })

/** In the order of the list. */
const statesOf = (archived: boolean | null): boolean[] => archived === null ? [false, true] : [archived]
