/**
 * How many bytes a value takes in a product's document, so that a product's size can be kept as a sum that a change adjusts
 * (domain/product-fold). As BSON has it, and as store/catalog/product-document leaves out what is null or an empty list.
 */
import type { LocationQuantity, ProductContent, Variant } from './product.js'

const documentBytes = 5
const dateBytes = 8
const int32 = 2 ** 31

export const textBytes = (text: string): number => 4 + Buffer.byteLength(text) + 1

/** A field of a document, with its type and name; nothing for what is left out. Names of fields are ASCII. */
export const fieldBytes = (name: string, value: unknown): number =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)
    ? 0
    : name === stockField
      ? stockBytes((value as LocationQuantity[]).length, levelsBytes(value as LocationQuantity[]))
      : 1 + name.length + 1 + valueBytes(value)

export function valueBytes (value: unknown): number {
  if (typeof value === 'string') return textBytes(value)
  if (typeof value === 'number') return Number.isInteger(value) && value >= -int32 && value < int32 ? 4 : 8
  if (typeof value === 'boolean') return 1
  if (value instanceof Date) return dateBytes
  if (Array.isArray(value)) {
    let bytes = documentBytes + indexBytes(value.length)
    for (const item of value) bytes += valueBytes(item)
    return bytes
  }
  let bytes = documentBytes
  for (const name in value as Record<string, unknown>) bytes += fieldBytes(name, (value as Record<string, unknown>)[name])
  return bytes
}

/** A list as a field, apart from its items. */
export const listBytes = (name: string, length: number): number =>
  length === 0 ? 0 : 1 + name.length + 1 + documentBytes + indexBytes(length)

/** The items of a list stand under their index as text, each with a type and an end: in all two bytes and their digits. */
function indexBytes (length: number): number {
  let bytes = 2 * length
  // Each power of ten adds a digit to the indexes from it on.
  for (let from = 1; from < length || from === 1; from *= 10) bytes += length - (from === 1 ? 0 : from)
  return bytes
}

const stockField: keyof Variant = 'locationQuantities'

/** Units by location as a field, which are one text (store/catalog/stored-stock). */
export const stockBytes = (locations: number, bytesOfLevels: number): number => locations === 0 ? 0 : 1 + stockField.length + 1 + textBytes('') + bytesOfLevels

/** Its entries. */
export function levelsBytes (quantities: readonly LocationQuantity[]): number {
  let bytes = 0
  for (const { locationId, quantity } of quantities) bytes += 1 + Buffer.byteLength(locationId) + 1 + digitsOf(quantity)
  return bytes
}

export const digitsOf = (units: number): number => String(units).length

/** Of a product, without what is not its content. */
export const contentBytes = (content: ProductContent): number => valueBytes(content)
