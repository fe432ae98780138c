/** Whether a product can be bought (interface.md, Variant): of a search's equals, those that can come first. */
import type { Variant } from './product.js'

type Stocked = { [Field in 'inventory' | 'inventoryPolicy']?: Variant[Field] | undefined }

/** Each of the variants is tracked, has nothing left, and is not sold beyond that. */
export function isSoldOut (variants: readonly Stocked[]): boolean {
  for (const { inventory, inventoryPolicy } of variants) {
    if (inventory === null || inventory === undefined || inventory > 0 || inventoryPolicy === 'CONTINUE') return false
  }
  return variants.length > 0
}
