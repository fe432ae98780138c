/** Patches and products for tests of merging: what a line says, after all stages, and what is stored. */
import type { ImportMode } from '../../../src/domain/import-job.js'
import type { Warning } from '../../../src/domain/issue.js'
import type { MergeablePatch, MergeableVariant } from '../../../src/domain/mergeable-patch.js'
import { productBounds } from '../../../src/domain/product-bounds.js'
import { foldable } from '../../../src/domain/product-content.js'
import { ProductFold, type ProductFoldOptions } from '../../../src/domain/product-fold.js'
import { variantId, type ProductContent, type Variant } from '../../../src/domain/product.js'
import { ActiveLocations, type SentStock } from '../../../src/domain/stock.js'

export const id = 'product-1'

export const patchOf = (fields: Partial<MergeablePatch> = {}): MergeablePatch => ({ externalId: 'P', metafieldChanges: new Map(), ...fields })

/** All a new product needs. */
export const newPatch = (fields: Partial<MergeablePatch> = {}): MergeablePatch =>
  patchOf({ name: 'Shoe', brandName: 'Northwind', externalUrl: 'https://shop.example.com/p', ...fields })

export const variantPatch = (externalId: string, fields: Partial<MergeableVariant> = {}): MergeableVariant =>
  ({ externalId, index: 0, metafieldChanges: new Map(), ...fields })

export const variantOf = (externalId: string, fields: Partial<Variant> = {}): Variant => ({
  id: variantId(id, externalId),
  externalId,
  name: `Variant ${externalId}`,
  sku: null,
  upc: null,
  imageExternalId: null,
  inventory: null,
  locationQuantities: [],
  inventoryPolicy: null,
  prices: [],
  fitmentTargetIds: [],
  sizeChartId: null,
  metafields: [],
  ...fields
})

export const contentOf = (fields: Partial<ProductContent> = {}): ProductContent => ({
  name: 'Shoe',
  brandName: 'Northwind',
  externalUrl: 'https://shop.example.com/p',
  description: null,
  publishedAt: null,
  archived: false,
  images: [],
  imageAliases: [],
  variants: [],
  categories: [],
  tags: [],
  fitmentTargetIds: [],
  sizeChartId: null,
  metafields: [],
  ...fields
})

/** Units at active locations. */
export const stockOf = (active: ActiveLocations, units: Record<string, number> = {}): SentStock => ({ active, units: new Map(Object.entries(units)) })
export const activeLocations = (...ids: string[]): ActiveLocations => new ActiveLocations(ids, ids)

export const foldOf = (content: ProductContent | null, options: Partial<ProductFoldOptions> = {}): ProductFold => new ProductFold(content === null ? null : foldable(structuredClone(content)), {
  productId: id, mode: 'UPDATE', bounds: productBounds, mostBytes: 0, exists: content !== null, imaginesVariant: () => false, ...options
})

/** What one line makes of a product, with nothing missing. */
export function mergeProduct (existing: ProductContent | null, patch: MergeablePatch, mode: ImportMode, productId: string, warnings: Warning[]): ProductContent {
  const fold = foldOf(existing, { productId, mode, exists: true, imaginesVariant: () => true })
  warnings.push(...fold.apply(patch, [], 0).warnings)
  return fold.content
}
