import { toMetafields } from './folded-metafields.js'
import type { MergeableVariant } from './mergeable-patch.js'
import { variantId, type Price, type Variant } from './product.js'

/** As its line says, apart from its image and stock, which take more than the line to tell. */
export const newVariant = (productId: string, patch: MergeableVariant): Variant => ({
  id: variantId(productId, patch.externalId),
  externalId: patch.externalId,
  name: patch.name ?? null,
  sku: patch.sku ?? null,
  upc: patch.upc ?? null,
  imageExternalId: null,
  inventory: patch.inventory ?? null,
  locationQuantities: [],
  inventoryPolicy: patch.inventoryPolicy ?? null,
  prices: patch.prices?.map(toPrice) ?? [],
  fitmentTargetIds: patch.fitmentTargetIds ?? [],
  sizeChartId: patch.sizeChartId ?? null,
  metafields: toMetafields(patch.metafieldChanges)
})

export const toPrice = ({ price, compareAtPrice, currency }: { price: number, compareAtPrice?: number | null, currency: string }): Price =>
  ({ price, compareAtPrice: compareAtPrice ?? null, currency })
