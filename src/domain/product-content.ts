/** Content that a fold may change (domain/product-fold): its own, without what a stored product has beside it. */
import type { ProductContent } from './product.js'

/** null: that of a product which does not exist. Lists and variants are shared. */
export const ownContent = (stored: ProductContent | null): ProductContent => copyOf(stored ?? emptyContent)

const copyOf = (content: ProductContent): ProductContent => ({
  name: content.name,
  brandName: content.brandName,
  externalUrl: content.externalUrl,
  description: content.description,
  publishedAt: content.publishedAt,
  archived: content.archived,
  images: content.images,
  imageAliases: content.imageAliases,
  variants: content.variants,
  categories: content.categories,
  tags: content.tags,
  fitmentTargetIds: content.fitmentTargetIds,
  sizeChartId: content.sizeChartId,
  metafields: content.metafields
})

const emptyContent: ProductContent = {
  name: '',
  brandName: '',
  externalUrl: '',
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
  metafields: []
}
