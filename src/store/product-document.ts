/**
 * How a product is stored: what it has, and nothing about what it lacks. Nulls and empty lists would be a sixth of its
 * bytes, which every import would encode, send, keep and decode again. They are undefined here, which the collection is
 * told to leave out (connection.ts).
 *
 * Both directions make every object anew; what merging compares and what GraphQL reads has all fields again.
 */
import type { Image, Price, Product, ProductContent, Variant } from '../domain/product.js'

type MayLack<T> = null extends T ? true : T extends readonly unknown[] ? true : false
/** Of a record: what may be null or an empty list may be absent. */
type Sparse<T> =
  { [Field in keyof T as MayLack<T[Field]> extends true ? never : Field]: T[Field] } &
  { [Field in keyof T as MayLack<T[Field]> extends true ? Field : never]?: T[Field] | undefined }

export type ImageDocument = Sparse<Image>
export type PriceDocument = Sparse<Price>
export type VariantDocument = Sparse<Omit<Variant, 'prices'>> & { prices?: PriceDocument[] | undefined }
/** The document in `products`. */
export type ProductDocument =
  Sparse<Omit<Product, 'images' | 'variants'>> & { images?: ImageDocument[] | undefined, variants?: VariantDocument[] | undefined }

const held = <T>(value: T | null): T | undefined => value ?? undefined
const filled = <T>(list: T[]): T[] | undefined => list.length === 0 ? undefined : list
const filledWith = <T, U>(list: T[], convert: (item: T) => U): U[] | undefined => list.length === 0 ? undefined : list.map(convert)

export function toDocument (product: Product): ProductDocument {
  return {
    _id: product._id,
    vendorId: product.vendorId,
    externalId: product.externalId,
    revision: product.revision,
    writeId: product.writeId,
    name: product.name,
    brandName: product.brandName,
    externalUrl: product.externalUrl,
    description: held(product.description),
    publishedAt: held(product.publishedAt),
    archived: product.archived,
    images: filledWith(product.images, ({ externalId, url, position }) => ({ externalId, url, position: held(position) })),
    imageAliases: filled(product.imageAliases),
    variants: filledWith(product.variants, toVariantDocument),
    categories: filled(product.categories),
    tags: filled(product.tags),
    fitmentTargetIds: filled(product.fitmentTargetIds),
    sizeChartId: held(product.sizeChartId),
    metafields: filled(product.metafields),
    createdAt: product.createdAt,
    updatedAt: product.updatedAt,
    createdBy: held(product.createdBy),
    writtenBy: held(product.writtenBy),
    upsertedDuring: held(product.upsertedDuring),
    archivedByJobId: held(product.archivedByJobId),
    patchHash: held(product.patchHash),
    size: product.size,
    searchKeys: filled(product.searchKeys)
  }
}

const toVariantDocument = (variant: Variant): VariantDocument => ({
  id: variant.id,
  externalId: variant.externalId,
  name: held(variant.name),
  sku: held(variant.sku),
  upc: held(variant.upc),
  imageExternalId: held(variant.imageExternalId),
  inventory: held(variant.inventory),
  locationQuantities: filled(variant.locationQuantities),
  inventoryPolicy: held(variant.inventoryPolicy),
  prices: filledWith(variant.prices, ({ price, compareAtPrice, currency }) => ({ price, compareAtPrice: held(compareAtPrice), currency })),
  fitmentTargetIds: filled(variant.fitmentTargetIds),
  sizeChartId: held(variant.sizeChartId),
  metafields: filled(variant.metafields)
})

export function fromDocument (document: ProductDocument): Product {
  return {
    _id: document._id,
    vendorId: document.vendorId,
    externalId: document.externalId,
    revision: document.revision,
    writeId: document.writeId,
    ...contentOf(document),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    createdBy: document.createdBy ?? null,
    writtenBy: document.writtenBy ?? null,
    upsertedDuring: document.upsertedDuring ?? null,
    archivedByJobId: document.archivedByJobId ?? null,
    patchHash: document.patchHash ?? null,
    size: document.size,
    searchKeys: document.searchKeys ?? []
  }
}

const contentOf = (document: ProductDocument): ProductContent => ({
  name: document.name,
  brandName: document.brandName,
  externalUrl: document.externalUrl,
  description: document.description ?? null,
  publishedAt: document.publishedAt ?? null,
  archived: document.archived,
  images: document.images?.map(({ externalId, url, position = null }) => ({ externalId, url, position })) ?? [],
  imageAliases: document.imageAliases ?? [],
  variants: document.variants?.map(toVariant) ?? [],
  categories: document.categories ?? [],
  tags: document.tags ?? [],
  fitmentTargetIds: document.fitmentTargetIds ?? [],
  sizeChartId: document.sizeChartId ?? null,
  metafields: document.metafields ?? []
})

const toVariant = (document: VariantDocument): Variant => ({
  id: document.id,
  externalId: document.externalId,
  name: document.name ?? null,
  sku: document.sku ?? null,
  upc: document.upc ?? null,
  imageExternalId: document.imageExternalId ?? null,
  inventory: document.inventory ?? null,
  locationQuantities: document.locationQuantities ?? [],
  inventoryPolicy: document.inventoryPolicy ?? null,
  prices: document.prices?.map(({ price, compareAtPrice = null, currency }) => ({ price, compareAtPrice, currency })) ?? [],
  fitmentTargetIds: document.fitmentTargetIds ?? [],
  sizeChartId: document.sizeChartId ?? null,
  metafields: document.metafields ?? []
})
