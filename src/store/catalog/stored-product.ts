/**
 * A product as the database gave it, decoded as far as it is looked at: what it has beside its content at once, its variants when they are asked for, and the rest when something of it
 * is. A line of a delta changes a quantity or a price; for those, decoding the whole would be most of the work. There is one kind of product all the same: nothing of it is missing, it
 * is only not decoded yet.
 */
import { BSON } from 'mongodb'
import type { FoldableContent } from '../../domain/product-content.js'
import { contentOf, toVariant, type ProductDocument, type RecordDocument, type VariantDocument } from './product-document.js'

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
  readonly #ranges: Readonly<Record<Part, Range[]>>
  #variants: VariantDocument[] | null = null
  #document: ProductDocument | null = null

  /** Of one document. They are kept, and with them the answer that they came in. */
  constructor (bytes: Uint8Array) {
    this.#bytes = bytes
    this.#ranges = rangesOf(bytes)
    this.record = this.#decode('record') as StoredRecord
  }

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
    return BSON.deserialize(documentOf(this.#bytes, this.#ranges[part]))
  }
}

/** Of elements of a document: their types, names and values. */
interface Range { from: number, to: number }

function rangesOf (bytes: Uint8Array): Record<Part, Range[]> {
  const ranges: Record<Part, Range[]> = { record: [], variants: [], rest: [] }
  for (const [, nameOffset, nameLength, valueOffset, valueLength] of BSON.onDemand.parseToElements(bytes)) {
    const some = ranges[partOf(BSON.onDemand.ByteUtils.toUTF8(bytes, nameOffset, nameOffset + nameLength, true))]
    const from = nameOffset - typeBytes
    const to = valueOffset + valueLength
    const last = some.at(-1)
    if (last?.to === from) last.to = to
    else some.push({ from, to })
  }
  return ranges
}

const partOf = (name: string): Part => name === 'variants' ? 'variants' : Object.hasOwn(recordFields, name) ? 'record' : 'rest'

const typeBytes = 1
const lengthBytes = 4
const endBytes = 1

/** A document of these elements of another one. */
function documentOf (bytes: Uint8Array, ranges: Range[]): Uint8Array {
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
