/**
 * What is sent for a stored product that is to be another one. It says what differs, where that is less than the whole: a field of a variant by its
 * place (`variants.3.inventory`), which the revision that it is guarded by makes sure of. The server then logs the difference alone and touches no
 * index whose fields stay. Nothing has to know which fields an index or a link rests on: what is made from others (search keys,
 * whether it is sold out) is part of both documents, and so of their difference.
 *
 * The guard stands in the filter. Within a pipeline update MongoDB could go by `_id` alone, but there is no place in a list to be named in one: all of the
 * variants would be written anew (docs/adr/0010).
 *
 * Of a product of which only the variants were looked at the others are as they were, and so is what is made of them; they are neither decoded nor compared.
 */
import type { AnyBulkWriteOperation, Filter } from 'mongodb'
import type { Variant } from '../../domain/product.js'
import { isSoldOut } from '../../domain/sold-out.js'
import { toRecordDocument, toVariant, toVariantDocument, type ProductDocument, type UnsizedRecord, type VariantDocument } from './product-document.js'
import { charactersIn } from './product-size.js'
import type { StoredProduct, StoredRecord } from './stored-product.js'

/** `before` as it was read. Does nothing when the product has another revision by now. */
export function productUpdate (before: ProductDocument, after: ProductDocument): AnyBulkWriteOperation<ProductDocument> {
  const filter = { _id: before._id, revision: before.revision }
  const found = differences(before, after)
  return charactersIn(found.set) >= after.size ? { replaceOne: { filter, replacement: after } } : toUpdate(filter, found)
}

/**
 * The same where nothing has changed but the record and the variants; `record` is given the product's size. null: it takes the whole after all, since there are other
 * variants, since they are linked to other targets, of which search keys are made, or since as much has changed as there is.
 */
export function variantsUpdate (before: StoredProduct, variants: readonly Variant[], record: UnsizedRecord): AnyBulkWriteOperation<ProductDocument> | null {
  const after = variants.map(toVariantDocument)
  const found: Differences = { set: {}, unset: [] }
  const changed: number[] = []
  if (!compareVariants(before.variants, after, found, changed)) return null
  for (const index of changed) if (!isSameStored(before.variants[index]?.fitmentTargetIds, after[index]?.fitmentTargetIds)) return null
  const size = sizeWith(before, variants, changed)
  if (charactersIn(found.set) >= size) return null
  compare<StoredRecord>(before.record, Object.assign(toRecordDocument(Object.assign(record, { size })), { soldOut: isSoldOut(after) ? true as const : undefined }), null, found)
  return toUpdate({ _id: before.record._id, revision: before.record.revision }, found)
}

/** As the sum would be, by what the changed variants have grown. What a new product's line said of it may have been less than they are. */
function sizeWith (before: StoredProduct, variants: readonly Variant[], changed: readonly number[]): number {
  let { size } = before.record
  for (const index of changed) {
    const stored = before.variants[index]
    if (stored !== undefined) size += charactersIn(variants[index]) - charactersIn(toVariant(stored))
  }
  return Math.max(size, charactersIn(variants))
}

function toUpdate (filter: Filter<ProductDocument>, { set, unset }: Differences): AnyBulkWriteOperation<ProductDocument> {
  const $unset = Object.fromEntries(unset.map((path) => [path, true as const]))
  return { updateOne: { filter, update: unset.length === 0 ? { $set: set } : { $set: set, $unset } } }
}

interface Differences { set: Record<string, unknown>, unset: string[] }

function differences (before: ProductDocument, after: ProductDocument): Differences {
  const found: Differences = { set: {}, unset: [] }
  // A field of an older version that this one does not know goes, as it would with a replacement.
  compare(before, after, null, found, (field) => field === 'variants' && compareVariants(before.variants, after.variants, found))
  return found
}

/** false: another number of variants, or others; then the list is written as a whole. `changed` takes the places of those that differ. */
function compareVariants (before: VariantDocument[] = [], after: VariantDocument[] = [], found: Differences, changed: number[] = []): boolean {
  if (before.length !== after.length) return false
  for (let index = 0; index < before.length; index++) if (before[index]?.id !== after[index]?.id) return false
  for (let index = 0; index < before.length; index++) {
    const variant = before[index] as VariantDocument
    if (compare(variant, after[index] ?? variant, index, found)) changed.push(index)
  }
  return true
}

/** Of the product, or of the variant at a place. Whether anything differs. Every changed product comes through here with all of its variants: nothing is made for what is equal. */
function compare<T extends object> (before: T, after: T, variant: number | null, found: Differences, isCompared = isNotCompared): boolean {
  let differs = false
  for (const field in after) {
    const value = after[field]
    if (isSameStored(before[field], value) || isCompared(field)) continue
    differs = true
    const path = pathOf(field, variant)
    if (value === undefined) found.unset.push(path)
    else found.set[path] = value
  }
  for (const field in before) {
    if (Object.hasOwn(after, field)) continue
    differs = true
    found.unset.push(pathOf(field, variant))
  }
  return differs
}

const pathOf = (field: string, variant: number | null): string => variant === null ? field : `variants.${variant}.${field}`
const isNotCompared = (_field: string): boolean => false

/** What is undefined is not stored. */
function isSameStored (a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime()
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameStored(item, b[index]))
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  for (const key in left) if (!isSameStored(left[key], right[key])) return false
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false
  return true
}
