/** A line as the writer takes it (store/product-writer). */
import type { Fault, Warning } from '../domain/issue.js'
import type { MergeablePatch } from '../domain/merge-product.js'
import { productId, type LinePosition } from '../domain/product.js'
import type { Envelope } from '../engine/envelope.js'
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
  /** Of the line as JSON, in place of its text, which would keep the whole piece of the file that it was cut from. */
  digest: string
  /** Of the same. */
  characters: number
  faults: readonly Fault[]
  warnings: readonly Warning[]
}

export const toWritableLine = ({ position, externalId, value, text, faults, warnings }: Envelope<MergeablePatch>, vendorId: string): WritableLine => ({
  position,
  externalId: externalId ?? '',
  productId: externalId === null ? '' : productId(vendorId, externalId),
  patch: externalId === null ? null : value,
  digest: value === null ? '' : lineDigestOf(text),
  characters: text.length,
  faults,
  warnings
})
