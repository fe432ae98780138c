/** A patch after all stages: links resolved, images deduplicated, metafields coerced. Absent = not sent. */
import type { ImageSet } from './product-images.js'
import type { ProductContent, Variant } from './product.js'
import type { SentStock } from './stock.js'

export interface MergeablePatch {
  externalId: string
  name?: string
  brandName?: string
  externalUrl?: string
  description?: string | null
  publishedAt?: Date | null
  archived?: boolean
  imageSet?: ImageSet
  /** Each once. */
  variants?: MergeableVariant[]
  categories?: string[]
  tags?: string[]
  fitmentTargetIds?: string[]
  sizeChartId?: string | null
  metafieldChanges: ReadonlyMap<string, string | null>
}

export interface MergeableVariant {
  externalId: string
  /** Its place in the line, for messages. */
  index: number
  name?: string | null
  sku?: string | null
  upc?: string | null
  imageExternalId?: string | null
  inventory?: number | null
  stock?: SentStock
  inventoryPolicy?: 'CONTINUE' | 'DENY' | null
  prices?: Array<{ price: number, compareAtPrice?: number | null, currency: string }>
  fitmentTargetIds?: string[]
  sizeChartId?: string | null
  metafieldChanges: ReadonlyMap<string, string | null>
}

/** Fields whose value replaces the stored one as it is. */
export const plainFields = ['name', 'brandName', 'externalUrl', 'description', 'publishedAt', 'categories', 'tags', 'sizeChartId'] as const satisfies
  ReadonlyArray<keyof ProductContent & keyof MergeablePatch>
export const plainVariantFields = ['name', 'sku', 'upc', 'inventory', 'inventoryPolicy', 'sizeChartId'] as const satisfies
  ReadonlyArray<keyof Variant & keyof MergeableVariant>
