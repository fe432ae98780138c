/**
 * A vendor's products by external id, live or archived ones. In their index those that are linked to fitment targets stand apart from
 * those that fit everything, which are thereby found among any number of others without an entry of their own: most products fit
 * everything, and each entry costs every import. Where both are wanted, the two ranges are read side by side and merged.
 */
import type { Filter } from 'mongodb'
import type { Collections } from '../database/connection.js'
import { countInPages, type CountedRange } from '../database/count-in-pages.js'
import { findAmong, type SoughtPage } from '../database/find-among.js'
import { findInRanges } from '../database/find-in-ranges.js'
import type { ProductDocument } from './product-document.js'

export interface ProductRange {
  vendorId: string
  archived: boolean
  /** Only those that are linked to a fitment target, or only those that fit everything; null: both. */
  targeted: boolean | null
  /** What else has to hold. */
  where?: Filter<ProductDocument>
}

export async function findInOrder<T extends Pick<ProductDocument, 'externalId'> = ProductDocument> (
  { products }: Pick<Collections, 'products'>, range: ProductRange, page: SoughtPage
): Promise<T[]> {
  const { limit, projection } = page
  const options = { sort: { externalId: 1 as const }, ...(projection === undefined ? {} : { projection }) }
  const find = async ({ where, ...indexed }: ProductRange): Promise<T[]> => where === undefined
    ? await findInRanges<T>(products, {
      list: JSON.stringify(indexed),
      along: 'externalId',
      read: async (externalIds, limit) => await products.find<T>(filterOf(indexed, externalIds), { ...options, limit }).toArray()
    }, page)
    : await findAmong<ProductDocument, T>(products, { along: 'externalId', indexed: (externalIds) => filterOf(indexed, externalIds), wanted: where }, page)
  const [first = [], second = []] = await Promise.all(rangesOf(range).map(find))
  return second.length === 0 ? first : merge(first, second, limit)
}

export async function countInRange ({ products }: Pick<Collections, 'products'>, range: ProductRange): Promise<number> {
  let total = 0
  for (const each of rangesOf(range)) {
    const { where, ...indexed } = each
    total += await countInPages(products, {
      along: 'externalId',
      indexed: (externalIds) => filterOf(indexed, externalIds),
      ...(where === undefined ? {} : { count: async (externalIds) => await products.countDocuments(filterOf(each, externalIds)) })
    })
  }
  return total
}

const rangesOf = (range: ProductRange): ProductRange[] =>
  range.targeted === null ? [{ ...range, targeted: false }, { ...range, targeted: true }] : [range]

function filterOf ({ vendorId, archived, targeted, where }: ProductRange, externalIds: CountedRange): Filter<ProductDocument> {
  const filter: Filter<ProductDocument> = { vendorId, archived }
  if (targeted !== null) filter.targeted = targeted
  if (externalIds !== null) filter.externalId = externalIds
  // Apart from the rest for secantusd-rs: beside another range it would scan all of the vendor's products.
  return where === undefined ? filter : { $or: [filter], ...where }
}

/** In the order of the index, which is that of the bytes and not of UTF-16. One that was linked between the two reads may be in both. */
function merge<T extends { externalId: string }> (first: T[], second: T[], limit: number): T[] {
  const products = new Map([...first, ...second].map((product) => [product.externalId, { product, bytes: Buffer.from(product.externalId) }]))
  return [...products.values()].sort((a, b) => a.bytes.compare(b.bytes)).slice(0, limit).map(({ product }) => product)
}
