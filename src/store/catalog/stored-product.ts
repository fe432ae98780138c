/**
 * A product as the database gave it, decoded as far as it is looked at: what it has beside its content at once, its variants when they are asked for, and the rest when something of it
 * is. A line of a delta changes a quantity or a price; for those, decoding the whole would be most of the work. There is one kind of product all the same: nothing of it is missing, it
 * is only not decoded yet.
 */
import { BSON } from 'mongodb'
import type { FoldableContent } from '../../domain/product-content.js'
import type { Metafield } from '../../domain/product.js'
import { Elements, NameTable, type ElementRange } from '../database/bson-elements.js'
import { decodeElements } from '../database/decode-elements.js'
import { contentOf, toVariant, type PriceDocument, type ProductDocument, type RecordDocument, type VariantDocument } from './product-document.js'

/** What is decoded at once. */
export type StoredRecord = RecordDocument & Pick<ProductDocument, 'soldOut'>

type Part = 'record' | 'variants' | 'rest'

const recordFields: Readonly<Record<keyof StoredRecord, true>> = {
  _id: true,
  vendorId: true,
  externalId: true,
  revision: true,
  writeId: true,
  createdAt: true,
  updatedAt: true,
  createdBy: true,
  writtenBy: true,
  upsertedDuring: true,
  archivedByJobId: true,
  patchHash: true,
  size: true,
  soldOut: true
}

export class StoredProduct {
  readonly record: StoredRecord
  readonly #bytes: Uint8Array
  readonly #ranges: Readonly<Record<Part, ElementRange[]>>
  #variants: VariantDocument[] | null = null
  #document: ProductDocument | null = null

  /** Of one document. They are kept, and with them the answer that they came in. */
  constructor (bytes: Uint8Array) {
    this.#bytes = bytes
    this.#ranges = rangesOf(bytes)
    this.record = this.#decode('record') as StoredRecord
  }

  /** Of the whole document. */
  get byteLength (): number { return this.#bytes.byteLength }

  get variants (): VariantDocument[] {
    this.#variants ??= (this.#decode('variants') as Pick<ProductDocument, 'variants'>).variants ?? []
    return this.#variants
  }

  /** The whole. */
  get document (): ProductDocument {
    this.#document ??= { ...this.record, ...this.#decode('rest'), ...this.#ranges.variants.length === 0 ? {} : { variants: this.variants } } as ProductDocument
    return this.#document
  }

  /** Made anew each time. */
  toFoldable (): FoldableContent {
    return { variants: this.variants.map(toVariant), others: () => contentOf(this.document) }
  }

  #decode (part: Part): object {
    const ranges = this.#ranges[part]
    return decodeElements(this.#bytes, ranges, names) ?? BSON.deserialize(documentOf(this.#bytes, ranges))
  }
}

function rangesOf (bytes: Uint8Array): Record<Part, ElementRange[]> {
  const ranges: Record<Part, ElementRange[]> = { record: [], variants: [], rest: [] }
  for (const element = new Elements(bytes); element.next();) {
    const { from, nameFrom, nameTo, to } = element
    const some = ranges[parts.get(bytes, nameFrom, nameTo) ?? 'rest']
    const last = some.at(-1)
    if (last?.to === from) last.to = to
    else some.push({ from, to })
  }
  return ranges
}

type InVariant = keyof VariantDocument | keyof PriceDocument | keyof Metafield
const variantFields: Readonly<Record<InVariant, true>> = {
  id: true,
  externalId: true,
  name: true,
  sku: true,
  upc: true,
  imageExternalId: true,
  inventory: true,
  locationQuantities: true,
  inventoryPolicy: true,
  prices: true,
  fitmentTargetIds: true,
  sizeChartId: true,
  metafields: true,
  price: true,
  compareAtPrice: true,
  currency: true,
  key: true,
  value: true
}
const names = new NameTable<string>(Object.keys({ ...recordFields, variants: true, ...variantFields }).map((field) => [field, field]))
const parts = new NameTable<Part>([...Object.keys(recordFields).map((field): [string, Part] => [field, 'record']), ['variants', 'variants']])

const lengthBytes = 4
const endBytes = 1

/** A document of these elements of another one. */
function documentOf (bytes: Uint8Array, ranges: readonly ElementRange[]): Uint8Array {
  const length = ranges.reduce((sum, { from, to }) => sum + to - from, lengthBytes + endBytes)
  const document = Buffer.allocUnsafe(length)
  document.writeInt32LE(length)
  let at = lengthBytes
  for (const { from, to } of ranges) {
    document.set(bytes.subarray(from, to), at)
    at += to - from
  }
  document[at] = 0
  return document
}
