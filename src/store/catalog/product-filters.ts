/** What a search may ask of products besides words, target and store, and a list of them. */
import type { Filter } from 'mongodb'
import type { ProductVisibility } from '../../domain/product.js'
import type { ProductDocument } from './product-document.js'
import { inStockAt } from './stock-filters.js'

export interface ProductFilters {
  /** By now. */
  visibility: ProductVisibility
  /** Of any one price of a variant. */
  minPrice: number | null
  maxPrice: number | null
  currency: string | null
  /** A variant of it can be bought. */
  isInStock: boolean
  /** As it is written on the product, and so is the tag. */
  brand: string | null
  tag: string | null
  /** Of published ones. */
  publishedFrom: Date | null
  publishedTo: Date | null
}

export const noFilters: ProductFilters = {
  visibility: 'PUBLISHED', minPrice: null, maxPrice: null, currency: null, isInStock: false, brand: null, tag: null, publishedFrom: null, publishedTo: null
}

/** What the filters ask, but for whether products are archived, which is the range that is looked at. */
export function wantedBy (filters: ProductFilters): Filter<ProductDocument> {
  const price = { ...(filters.minPrice === null ? {} : { $gte: filters.minPrice }), ...(filters.maxPrice === null ? {} : { $lte: filters.maxPrice }) }
  const prices = { ...(Object.keys(price).length === 0 ? {} : { price }), ...(filters.currency === null ? {} : { currency: filters.currency }) }
  return {
    ...standingAs(filters, new Date()),
    ...(Object.keys(prices).length === 0 ? {} : { variants: { $elemMatch: { prices: { $elemMatch: prices } } } }),
    ...(filters.isInStock ? { soldOut: { $ne: true } } : {}),
    ...(filters.brand === null ? {} : { brandName: filters.brand }),
    ...(filters.tag === null ? {} : { tags: filters.tag })
  }
}

function standingAs ({ visibility, publishedFrom, publishedTo }: Pick<ProductFilters, 'visibility' | 'publishedFrom' | 'publishedTo'>, now: Date): Filter<ProductDocument> {
  if (visibility === 'ARCHIVED') return {}
  if (visibility === 'DRAFT') return { publishedAt: null }
  if (visibility === 'SCHEDULED') return { publishedAt: { $gt: now } }
  const until = publishedTo !== null && publishedTo < now ? publishedTo : now
  return { publishedAt: { ...(publishedFrom === null ? {} : { $gte: publishedFrom }), $lte: until } }
}

/** What a vendor's own list may be narrowed down to. */
export interface ListFilter {
  /** null: live ones and archived ones. */
  archived: boolean | null
  /** By now, as it is or would be if it were live; null: whether published or not. */
  visibility: Exclude<ProductVisibility, 'ARCHIVED'> | null
  /** A variant of it can be bought. */
  isInStock: boolean
  /** Where a variant has units. */
  storeLocationId: string | null
}

export const everything: ListFilter = { archived: null, visibility: null, isInStock: false, storeLocationId: null }

/** It wants more than that they are archived, or not. */
export const isSifted = ({ visibility, isInStock, storeLocationId }: ListFilter): boolean => visibility !== null || isInStock || storeLocationId !== null

/** Whether archived or not, which is the range that is looked at. */
export function listedBy ({ visibility, isInStock, storeLocationId }: ListFilter): Filter<ProductDocument> {
  return {
    ...visibility === null ? {} : standingAs({ visibility, publishedFrom: null, publishedTo: null }, new Date()),
    ...isInStock ? { soldOut: { $ne: true } } : {},
    ...storeLocationId === null ? {} : inStockAt(storeLocationId)
  }
}
