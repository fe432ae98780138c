/** Patches and products for tests of merging: what a line says, after all stages, and what is stored. */
import type { MergeablePatch, MergeableVariant } from '../../../src/domain/merge-product.js'
import { variantId, type ProductContent, type Variant } from '../../../src/domain/product.js'

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
