/**
 * A vendor's products by external id, live or archived ones. In their index those that are linked to fitment targets stand apart from
 * those that fit everything, which are thereby found among any number of others without an entry of their own: most products fit
 * everything, and each entry costs every import. Where both are wanted, the two ranges are read side by side and merged. Those that have a search key are one range of another index.
 */
import type { Filter } from 'mongodb'
import type { Collections } from '../database/connection.js'
import { countInPages, countWanted } from '../database/count-in-pages.js'
import type { CountedRange } from '../database/counted.js'
import { countAmong, findAmong, type FoundAmong, type Looks, type Sought, type SoughtPage } from '../database/find-among.js'
import { findInRanges } from '../database/find-in-ranges.js'
import type { ProductDocument } from './product-document.js'

export interface ProductRange {
  vendorId: string
  archived: boolean
  /** Only those that are linked to a fitment target, or only those that fit everything; null: both. */
  targeted: boolean | null
  /** Only those that have it, by the index of search keys (domain/search-keys), which knows nothing of targets: `targeted` is null then. */
  key?: string | null
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
    : (await findAmong<ProductDocument, T>(products, soughtIn({ ...indexed, where }), page)).found
  const [first = [], second = []] = await Promise.all(rangesOf(range).map(find))
  return second.length === 0 ? first : merge(first, second).slice(0, limit)
}

/** A range of which more is wanted than its index knows. */
export type SoughtRange = ProductRange & Required<Pick<ProductRange, 'where'>>

/** The same, as far as is looked at. */
export async function lookInOrder<T extends Pick<ProductDocument, 'externalId'>> (
  { products }: Pick<Collections, 'products'>, range: SoughtRange, page: SoughtPage, looks: Partial<Looks>
): Promise<FoundAmong<T>> {
  const [first, second] = await Promise.all(rangesOf(range).map(async (each) => await findAmong<ProductDocument, T>(products, soughtIn(each), page, looks)))
  if (first === undefined || second === undefined) return first ?? { found: [], reached: null }
  // Where one of the two has been looked at less far, what the other has behind that is for the next page.
  const [reached = null] = [first.reached, second.reached].filter((end) => end !== null).sort(byBytes)
  const found = merge(first.found, second.found).filter(({ externalId }) => reached === null || byBytes(externalId, reached) <= 0)
  return found.length < page.limit ? { found, reached } : { found: found.slice(0, page.limit), reached: found[page.limit - 1]?.externalId ?? null }
}

/** As many as there are in all pages of those; of more than are looked at, those among them. */
export async function countLooked ({ products }: Pick<Collections, 'products'>, range: SoughtRange, looks: Partial<Looks>): Promise<number> {
  let total = 0
  for (const each of rangesOf(range)) total += await countAmong(products, soughtIn(each), looks)
  return total
}

export async function countInRange ({ products }: Pick<Collections, 'products'>, range: ProductRange): Promise<number> {
  let total = 0
  for (const each of rangesOf(range)) {
    const { where, ...indexed } = each
    total += await countInPages(products, {
      along: 'externalId',
      indexed: (externalIds) => filterOf(indexed, externalIds),
      ...(where === undefined ? {} : { count: async (externalIds) => await countWanted(products, filterOf(indexed, externalIds), where) })
    })
  }
  return total
}

const soughtIn = ({ where, ...indexed }: SoughtRange): Sought<ProductDocument> => ({ along: 'externalId', indexed: (externalIds) => filterOf(indexed, externalIds), wanted: where })

const rangesOf = <Range extends ProductRange>(range: Range): Range[] =>
  range.targeted === null && (range.key ?? null) === null ? [{ ...range, targeted: false }, { ...range, targeted: true }] : [range]

/** What the index over search keys finds. One key, never several in an $in: the embedded servers go through what all vendors have by them, and SecantusDB through all products for an $or. */
export const withKey = ({ vendorId, archived }: Pick<ProductRange, 'vendorId' | 'archived'>, key: string, externalIds: CountedRange): Filter<ProductDocument> =>
  ({ 'searchKeys.key': key, vendorId, archived, ...(externalIds === null ? {} : { externalId: externalIds }) })

function filterOf ({ vendorId, archived, targeted, key = null }: Omit<ProductRange, 'where'>, externalIds: CountedRange): Filter<ProductDocument> {
  if (key !== null) return withKey({ vendorId, archived }, key, externalIds)
  const filter: Filter<ProductDocument> = { vendorId, archived }
  if (targeted !== null) filter.targeted = targeted
  if (externalIds !== null) filter.externalId = externalIds
  return filter
}

/** In the order of the index, which is that of the bytes and not of UTF-16. One that was linked between the two reads may be in both. */
function merge<T extends { externalId: string }> (first: T[], second: T[]): T[] {
  const products = new Map([...first, ...second].map((product) => [product.externalId, { product, bytes: Buffer.from(product.externalId) }]))
  return [...products.values()].sort((a, b) => a.bytes.compare(b.bytes)).map(({ product }) => product)
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
