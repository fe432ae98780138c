/**
 * Bytes of variants, and of single fields, as they stand in a document (domain/stored-size). Each is measured once for what it holds, and a
 * variant's are a sum from then on, as the product's are: lists and texts are replaced, never changed in place. So a line that is refused,
 * and leaves what it found, does not make the next one measure it again.
 */
import type { Variant } from './product.js'
import { fieldBytes, valueBytes } from './stored-size.js'

interface Measured { value: unknown, bytes: number }

export class MeasuredRecords {
  /** null: none so far, which is how it stays for nearly all products. */
  #fields: WeakMap<object, Map<string, Measured>> | null = null
  #variants: WeakMap<object, number> | null = null

  bytesOfField<Field extends string>(record: { readonly [Name in Field]: unknown }, field: Field): number {
    this.#fields ??= new WeakMap()
    const fields = this.#fields.get(record) ?? new Map<string, Measured>()
    this.#fields.set(record, fields)
    const value = record[field]
    const known = fields.get(field)
    if (known !== undefined && known.value === value) return known.bytes
    const bytes = fieldBytes(field, value)
    fields.set(field, { value, bytes })
    return bytes
  }

  /** Without its image and its stock. `settle` is called before it is measured. */
  bytesOfVariant (variant: Variant, settle: () => void): number {
    this.#variants ??= new WeakMap()
    let bytes = this.#variants.get(variant)
    if (bytes === undefined) {
      settle()
      const { locationQuantities: _, imageExternalId: __, ...others } = variant
      bytes = valueBytes(others)
      this.#variants.set(variant, bytes)
    }
    return bytes
  }

  /** To be told of every change, of what is no variant as well. */
  grow (record: object, bytes: number): void {
    const known = this.#variants?.get(record)
    if (known !== undefined) this.#variants?.set(record, known + bytes)
  }
}
