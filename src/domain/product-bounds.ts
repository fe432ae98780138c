/**
 * How much a product may hold (decisions.md, "Bounds"): the one table of it. A list in a line that is longer is refused before it is
 * looked through; what lines add up to is refused when the line that would pass a bound is merged. A product that was stored with
 * more before there were bounds stays readable and may shrink.
 */
export interface ProductBounds {
  variants: number
  images: number
  tags: number
  /** Of the product itself, and as many of each variant. */
  metafields: number
  /** Links to them, of the product and all of its variants together. */
  fitmentTargets: number
  /** Locations where one variant is in stock. */
  locations: number
  /** As BSON, without the keys that it is found by. */
  storedBytes: number
}

export const productBounds: Readonly<ProductBounds> = {
  variants: 2_048,
  images: 1_000,
  tags: 1_000,
  metafields: 1_000,
  fitmentTargets: 5_000,
  locations: 5_000,
  storedBytes: 4 * 1024 * 1024
}
