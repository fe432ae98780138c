/** Content that a fold changes (domain/product-fold): its own, without what a stored product has beside it. */
import { ProductImages } from './product-images.js'
import type { ProductContent, Variant } from './product.js'

/** All but the variants. */
export type OtherContent = Omit<ProductContent, 'variants'>

/** What a fold begins with: the variants, which nearly every line of a delta is about, and the others when something of them is needed. */
export interface FoldableContent {
  /** The fold's own, to be changed. */
  readonly variants: Variant[]
  others (): Readonly<OtherContent>
}

export const foldable = (content: ProductContent): FoldableContent => ({ variants: content.variants, others: () => content })

/** The others, taken over when something of them is needed for the first time. */
export class TakenContent {
  readonly #stored: FoldableContent | null
  #content: OtherContent | null = null
  #images: ProductImages | null = null

  /** null: no product is stored. */
  constructor (stored: FoldableContent | null) { this.#stored = stored }

  /** While they are not, they are as they were. */
  get isTaken (): boolean { return this.#content !== null }

  get content (): OtherContent {
    this.#content ??= ownContent(this.#stored?.others() ?? noContent)
    return this.#content
  }

  get images (): ProductImages {
    this.#images ??= new ProductImages(this.content.images, this.content.imageAliases)
    return this.#images
  }

  /** Writes images' ids back, to variants too. */
  settle (): OtherContent {
    if (this.#images !== null) this.content.imageAliases = this.#images.settle()
    return this.content
  }
}

/** Lists are shared: they are replaced, never changed. */
const ownContent = (content: Readonly<OtherContent>): OtherContent => ({
  name: content.name,
  brandName: content.brandName,
  externalUrl: content.externalUrl,
  description: content.description,
  publishedAt: content.publishedAt,
  archived: content.archived,
  images: content.images,
  imageAliases: content.imageAliases,
  categories: content.categories,
  tags: content.tags,
  fitmentTargetIds: content.fitmentTargetIds,
  sizeChartId: content.sizeChartId,
  metafields: content.metafields
})

export const contentWith = (others: Readonly<OtherContent>, variants: Variant[]): ProductContent => ({
  name: others.name,
  brandName: others.brandName,
  externalUrl: others.externalUrl,
  description: others.description,
  publishedAt: others.publishedAt,
  archived: others.archived,
  images: others.images,
  imageAliases: others.imageAliases,
  variants,
  categories: others.categories,
  tags: others.tags,
  fitmentTargetIds: others.fitmentTargetIds,
  sizeChartId: others.sizeChartId,
  metafields: others.metafields
})

/** Of a product that does not exist. */
const noContent: Readonly<OtherContent> = {
  name: '',
  brandName: '',
  externalUrl: '',
  description: null,
  publishedAt: null,
  archived: false,
  images: [],
  imageAliases: [],
  categories: [],
  tags: [],
  fitmentTargetIds: [],
  sizeChartId: null,
  metafields: []
}
