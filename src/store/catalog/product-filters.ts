/** What a search may ask of products besides words, target and store. */
import type { Filter } from 'mongodb'
import type { ProductDocument } from './product-document.js'

export interface ProductFilters {
  /** Of any one price of a variant. */
  minPrice: number | null
  maxPrice: number | null
  currency: string | null
  /** A variant of it can be bought. */
  isInStock: boolean
  /** As it is written on the product, and so is the tag. */
  brand: string | null
  tag: string | null
  publishedFrom: Date | null
  publishedTo: Date | null
}

export const noFilters: ProductFilters = {
  minPrice: null, maxPrice: null, currency: null, isInStock: false, brand: null, tag: null, publishedFrom: null, publishedTo: null
}

/** Published by now, and what the filters ask. */
export function wantedBy (filters: ProductFilters): Filter<ProductDocument> {
  const now = new Date()
  const until = filters.publishedTo !== null && filters.publishedTo < now ? filters.publishedTo : now
  const price = { ...(filters.minPrice === null ? {} : { $gte: filters.minPrice }), ...(filters.maxPrice === null ? {} : { $lte: filters.maxPrice }) }
  const prices = { ...(Object.keys(price).length === 0 ? {} : { price }), ...(filters.currency === null ? {} : { currency: filters.currency }) }
  return {
    publishedAt: { ...(filters.publishedFrom === null ? {} : { $gte: filters.publishedFrom }), $lte: until },
    ...(Object.keys(prices).length === 0 ? {} : { variants: { $elemMatch: { prices: { $elemMatch: prices } } } }),
    ...(filters.isInStock ? { soldOut: { $ne: true } } : {}),
    ...(filters.brand === null ? {} : { brandName: filters.brand }),
    ...(filters.tag === null ? {} : { tags: filters.tag })
  }
}
