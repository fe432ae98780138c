/** A line as the writer takes it (store/catalog/product-writer). */
import type { Fault, Warning } from '../../domain/issue.js'
import type { MergeablePatch } from '../../domain/mergeable-patch.js'
import { productId, type LinePosition } from '../../domain/product.js'
import type { Envelope } from '../../engine/envelope.js'
import { lineDigestOf } from './patch-hash.js'

/** One line with an external id that could be read; the writer adds what it finds to `faults` and `warnings`. */
export interface WritableLine {
  position: LinePosition
  /** Empty: it could not be read. */
  externalId: string
  /** The product's id, see domain/product. */
  productId: string
  /** null for a line that must not be applied, whatever else is known of it. */
  patch: MergeablePatch | null
  /** Of the line as JSON, in place of its text, which would keep the whole piece of the file that it was cut from. Empty: it has faults. */
  digest: string
  /** Of the same, and as many as it stands for: an entry for each location where a variant may be in stock. */
  characters: number
  faults: readonly Fault[]
  warnings: readonly Warning[]
}

export const toWritableLine = ({ position, externalId, value, text, faults, warnings }: Envelope<MergeablePatch>, vendorId: string): WritableLine => ({
  position,
  externalId: externalId ?? '',
  productId: externalId === null ? '' : productId(vendorId, externalId),
  patch: externalId === null ? null : value,
  digest: value === null || faults.length > 0 ? '' : lineDigestOf(text),
  characters: text.length + charactersOfStock(value),
  faults,
  warnings
})

const charactersPerQuantity = 64

function charactersOfStock (patch: MergeablePatch | null): number {
  let characters = 0
  for (const { stock } of patch?.variants ?? []) if (stock !== undefined) characters += stock.active.ids.length * charactersPerQuantity
  return characters
}
