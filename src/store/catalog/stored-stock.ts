/**
 * How a variant's units by location are stored: as one text, `;location=units` for each. A list of documents takes twice the bytes and ten times the
 * time to encode, store and read where a vendor has thousands of locations, and a database finds a location in a text without parting it
 * (docs/adr/0011-stock-at-many-stores.md). Products of before hold such lists until they are migrated, or written again.
 */
import type { LocationQuantity } from '../../domain/product.js'

export type StoredStock = string | LocationQuantity[]

export function toStoredStock (quantities: readonly LocationQuantity[]): string | undefined {
  if (quantities.length === 0) return undefined
  let text = ''
  for (const { locationId, quantity } of quantities) text += `;${locationId}=${quantity}`
  return text
}

export function fromStoredStock (stored: StoredStock | undefined): LocationQuantity[] {
  if (stored === undefined) return []
  if (typeof stored !== 'string') return stored
  const quantities: LocationQuantity[] = []
  for (let from = 1; from < stored.length;) {
    const equals = stored.indexOf('=', from)
    const end = stored.indexOf(';', equals)
    const next = end === -1 ? stored.length : end
    quantities.push({ locationId: stored.slice(from, equals), quantity: unitsIn(stored, equals + 1, next) })
    from = next + 1
  }
  return quantities
}

/** A whole number, without a text of its own for it. */
function unitsIn (text: string, from: number, to: number): number {
  let units = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return Number(text.slice(from, to))
    units = units * 10 + digit
  }
  return units
}
