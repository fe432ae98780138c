/**
 * A product as it is stored. Everything that a merchant names freely (metafield keys, image ids, locations) is a value
 * in an array, never a key, so no name can turn into a path, a `$` operator or `__proto__`.
 */
import { hash } from 'node:crypto'

export interface Metafield { key: string, value: string }
export interface Image { externalId: string, url: string, position: number | null }
/** `externalId` of a dropped duplicate, and the external id of the image that was kept in its place. */
export interface ImageAlias { externalId: string, imageExternalId: string }
export interface Price { price: number, compareAtPrice: number | null, currency: string }
export interface LocationQuantity { locationId: string, quantity: number }
export type InventoryPolicy = 'CONTINUE' | 'DENY'

export interface Variant {
  /** Deterministic, see variantId. */
  id: string
  externalId: string
  name: string | null
  sku: string | null
  upc: string | null
  imageExternalId: string | null
  /** Total units over all locations; negative = oversold; null = not tracked. */
  inventory: number | null
  locationQuantities: LocationQuantity[]
  inventoryPolicy: InventoryPolicy | null
  prices: Price[]
  /** Its own links only; those of the product are inherited at read time. */
  fitmentTargetIds: string[]
  sizeChartId: string | null
  metafields: Metafield[]
}

/** What merging decides. */
export interface ProductContent {
  name: string
  brandName: string
  externalUrl: string
  description: string | null
  publishedAt: Date | null
  archived: boolean
  images: Image[]
  imageAliases: ImageAlias[]
  variants: Variant[]
  categories: string[]
  tags: string[]
  fitmentTargetIds: string[]
  sizeChartId: string | null
  metafields: Metafield[]
}

/** The place of a line in a job: files are numbered in the order in which the job names them, lines from 1. */
export interface LinePosition { file: number, line: number }
/** A line of a job as one string, `jobId:file:line`: a product carries two of them, and text decodes faster than a document. */
export type LineMark = string

export const markLine = (jobId: string, { file, line }: LinePosition): LineMark => `${jobId}:${file}:${line}`

/** The place that a mark names in this job; null when it is another job's, or none. */
export function positionIn (jobId: string, mark: LineMark | null): LinePosition | null {
  if (mark?.startsWith(`${jobId}:`) !== true) return null
  const { file, line } = readLineMark(mark)
  return { file, line }
}

/** The job that a mark names, and the place there. */
export function readLineMark (mark: LineMark): LinePosition & { jobId: string } {
  const [jobId = '', file = '', line = ''] = mark.split(':')
  return { jobId, file: Number(file), line: Number(line) }
}

/** The document in `products`. */
export interface Product extends ProductContent {
  /** Deterministic, see productId: a replayed insert meets itself. */
  _id: string
  vendorId: string
  externalId: string
  /** +1 with every write; replacements are filtered by it (optimistic concurrency). */
  revision: number
  /** Unique to the last write: tells after a lost acknowledgement or a conflict whose write it was. */
  writeId: string
  createdAt: Date
  updatedAt: Date
  /** The line that created it, so that a re-run still counts it as created. null: upsertProducts did. */
  createdBy: LineMark | null
  /** The last line that wrote it, so that a re-run never applies a line twice. null: no job did since it was archived as absent. */
  writtenBy: LineMark | null
  /** The vendor's job that upsertProducts has seen running when it last wrote it; null: none was. */
  upsertedDuring: string | null
  /** The REPLACE that archived it because it was absent; kept so that a re-run counts it. */
  archivedByJobId: string | null
  /** Digest of the patch that gave this content, when the same patch again is known to change and to warn of nothing. */
  patchHash: string | null
  /** About how large the document is, in characters of text. */
  size: number
}

export type ProductVisibility = 'PUBLISHED' | 'SCHEDULED' | 'DRAFT' | 'ARCHIVED'

export function visibilityOf (product: Pick<ProductContent, 'archived' | 'publishedAt'>, now: Date): ProductVisibility {
  if (product.archived) return 'ARCHIVED'
  if (product.publishedAt === null) return 'DRAFT'
  return product.publishedAt > now ? 'SCHEDULED' : 'PUBLISHED'
}

/** 128 bits of SHA-256, 22 characters. Vendor ids hold no NUL, so the parts cannot run into each other. */
const digestOf = (owner: string, name: string): string => hash('sha256', `${owner}\0${name}`, 'base64url').slice(0, 22)

export const productId = (vendorId: string, externalId: string): string => digestOf(vendorId, externalId)

export const variantId = (productId: string, externalId: string): string => digestOf(productId, externalId)

/** An image's external id when the merchant gives none (interface.md, Image). */
export const defaultImageExternalId = (url: string): string => hash('md5', url, 'hex')
