/**
 * What an edit of stock sends, of the variants alone that were changed. A list of levels replaces all levels of a variant at active stores, so those that were not edited go
 * with it as they are by now; stores that are closed keep theirs by themselves.
 */
import type { VariantInput } from '../api/operations.js'
import type { Product } from './product.js'

type Variant = Pick<Product['variants'][number], 'externalId' | 'inventory' | 'inventoryByLocation'>

/** Instead of a store's code. */
export const everywhere = ''
/** What was typed, by place and by the variant's id. */
export type Edits = ReadonlyMap<string, ReadonlyMap<string, string>>

export const withEdit = (edits: Edits, place: string, externalId: string, text: string): Edits =>
  new Map(edits).set(place, new Map(edits.get(place)).set(externalId, text))

/** As a field shows it: an empty total is not tracked, and where nothing is said of a store it has nothing. */
export function unitsAt ({ inventory, inventoryByLocation }: Variant, place: string): string {
  if (place === everywhere) return inventory === null ? '' : String(inventory)
  return String(inventoryByLocation.find(({ storeLocation }) => storeLocation.storeCode === place)?.quantity ?? 0)
}

/** `shown`: what was edited; `stored`: what there is by now. */
export function stockChanges (shown: readonly Variant[], stored: readonly Variant[], edits: Edits): VariantInput[] {
  return shown.flatMap((variant) => {
    const { externalId } = variant
    const typed = Array.from(edits, ([place, texts]) => [place, texts.get(externalId) ?? unitsAt(variant, place)] as const)
    const edited = new Map(typed.filter(([place, text]) => text !== unitsAt(variant, place)))
    const total = edited.get(everywhere)
    edited.delete(everywhere)
    if (total === undefined && edited.size === 0) return []
    const levels = stored.find((each) => each.externalId === externalId)?.inventoryByLocation.filter(({ storeLocation }) => storeLocation.isActive) ?? []
    const units = new Map(levels.map(({ storeLocation, quantity }) => [storeLocation.storeCode, quantity]))
    for (const [place, text] of edited) units.set(place, Number(text))
    return [{
      externalId,
      ...total === undefined ? {} : { inventory: total === '' ? null : Number(total) },
      ...edited.size === 0 ? {} : { inventoryByLocation: Object.fromEntries(units) }
    }]
  })
}
