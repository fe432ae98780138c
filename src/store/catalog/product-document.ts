/**
 * How a product is stored: what it has, and nothing about what it lacks. Nulls and empty lists would be a sixth of its
 * bytes, which every import would encode, send, keep and decode again. They are undefined here, which the collection is
 * told to leave out (connection.ts).
 *
 * Both directions make every object anew; what merging compares and what GraphQL reads has all fields again.
 */
import type { Image, Price, Product, ProductContent, Variant } from '../../domain/product.js'
import { describedLength } from '../../domain/search/described-words.js'
import { isTargeted, searchKeysOf } from '../../domain/search-keys.js'
import { isSoldOut } from '../../domain/sold-out.js'
import { fromStoredStock, toStoredStock, type StoredStock } from './stored-stock.js'

/** For a projection: what is looked at of a description, empty where there is none. */
export const beginningOfDescription = { $substrCP: [{ $ifNull: ['$description', ''] }, 0, describedLength] }

type MayLack<T> = null extends T ? true : T extends readonly unknown[] ? true : false
/** Of a record: what may be null or an empty list may be absent. */
type Sparse<T> =
  { [Field in keyof T as MayLack<T[Field]> extends true ? never : Field]: T[Field] } &
  { [Field in keyof T as MayLack<T[Field]> extends true ? Field : never]?: T[Field] | undefined }

export type ImageDocument = Sparse<Image>
export type PriceDocument = Sparse<Price>
export type VariantDocument = Sparse<Omit<Variant, 'prices' | 'locationQuantities'>> & { prices?: PriceDocument[] | undefined, locationQuantities?: StoredStock | undefined }
/** A document, because of an array of strings the embedded servers index the whole array as well: one more entry, the longest, at a random place. */
export interface SearchKeyDocument { key: string }
/** The document in `products`. */
export type ProductDocument = Sparse<Omit<Product, 'images' | 'variants'>> & {
  images?: ImageDocument[] | undefined
  variants?: VariantDocument[] | undefined
  /** Made from the content (domain/search-keys), and so are its search keys. */
  targeted: boolean
  /** No variant of it can be bought; absent when one can. */
  soldOut?: true | undefined
  searchKeys?: SearchKeyDocument[] | undefined
}

/** What a product has beside its content. */
export type ProductRecord = Omit<Product, keyof ProductContent>
/** What a product is to weigh is known last, when all else of it is. */
export type UnsizedRecord = Omit<ProductRecord, 'size'>
/** And how that is stored. */
export type RecordDocument = Sparse<ProductRecord>

const held = <T>(value: T | null): T | undefined => value ?? undefined
const filled = <T>(list: T[]): T[] | undefined => list.length === 0 ? undefined : list
const filledWith = <T, U>(list: T[], convert: (item: T) => U): U[] | undefined => list.length === 0 ? undefined : list.map(convert)

/** One literal for both: spread into each other, they would cost an import more than the encoding does. */
export function toDocument (record: ProductRecord, content: ProductContent): ProductDocument {
  return {
    _id: record._id,
    vendorId: record.vendorId,
    externalId: record.externalId,
    revision: record.revision,
    writeId: record.writeId,
    name: content.name,
    brandName: content.brandName,
    externalUrl: content.externalUrl,
    description: held(content.description),
    publishedAt: held(content.publishedAt),
    archived: content.archived,
    images: filledWith(content.images, toImageDocument),
    imageAliases: filled(content.imageAliases),
    variants: filledWith(content.variants, toVariantDocument),
    categories: filled(content.categories),
    tags: filled(content.tags),
    fitmentTargetIds: filled(content.fitmentTargetIds),
    sizeChartId: held(content.sizeChartId),
    metafields: filled(content.metafields),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    createdBy: held(record.createdBy),
    writtenBy: held(record.writtenBy),
    upsertedDuring: held(record.upsertedDuring),
    archivedByJobId: held(record.archivedByJobId),
    patchHash: held(record.patchHash),
    size: record.size,
    targeted: isTargeted(content),
    soldOut: isSoldOut(content.variants) ? true : undefined,
    searchKeys: toSearchKeys(content, record.updatedAt)
  }
}

/** Of the same, for an update that leaves the others. */
export const toRecordDocument = (record: ProductRecord): { [Field in keyof Required<RecordDocument>]: RecordDocument[Field] } => ({
  _id: record._id,
  vendorId: record.vendorId,
  externalId: record.externalId,
  revision: record.revision,
  writeId: record.writeId,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  createdBy: held(record.createdBy),
  writtenBy: held(record.writtenBy),
  upsertedDuring: held(record.upsertedDuring),
  archivedByJobId: held(record.archivedByJobId),
  patchHash: held(record.patchHash),
  size: record.size
})

const toSearchKeys = (content: ProductContent, at: Date): SearchKeyDocument[] | undefined => filledWith(searchKeysOf(content, at), (key) => ({ key }))

const toImageDocument = ({ externalId, url, position }: Image): ImageDocument => ({ externalId, url, position: held(position) })
const toPriceDocument = ({ price, compareAtPrice, currency }: Price): PriceDocument => ({ price, compareAtPrice: held(compareAtPrice), currency })

export const toVariantDocument = (variant: Variant): VariantDocument => ({
  id: variant.id,
  externalId: variant.externalId,
  name: held(variant.name),
  sku: held(variant.sku),
  upc: held(variant.upc),
  imageExternalId: held(variant.imageExternalId),
  inventory: held(variant.inventory),
  locationQuantities: toStoredStock(variant.locationQuantities),
  inventoryPolicy: held(variant.inventoryPolicy),
  prices: filledWith(variant.prices, toPriceDocument),
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
    size: document.size
  }
}

export const contentOf = (document: ProductDocument): ProductContent => ({
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

export const toVariant = (document: VariantDocument): Variant => ({
  id: document.id,
  externalId: document.externalId,
  name: document.name ?? null,
  sku: document.sku ?? null,
  upc: document.upc ?? null,
  imageExternalId: document.imageExternalId ?? null,
  inventory: document.inventory ?? null,
  locationQuantities: fromStoredStock(document.locationQuantities),
  inventoryPolicy: document.inventoryPolicy ?? null,
  prices: document.prices?.map(({ price, compareAtPrice = null, currency }) => ({ price, compareAtPrice, currency })) ?? [],
  fitmentTargetIds: document.fitmentTargetIds ?? [],
  sizeChartId: document.sizeChartId ?? null,
  metafields: document.metafields ?? []
})
