/**
 * By which keys the products are looked for that may have a word, and how far: those of the closest forms first, until they are as many products as may be looked
 * at. Of a key that more products have, the first so many by external id are looked at.
 */
import type { Vocabulary } from './vocabulary.js'
import type { WordForm } from './word-forms.js'

export interface LookUp {
  key: string
  /** An external id, up to which so many products have it; null: to the end, few have it. */
  reach: { upTo: string, products: number } | null
}

export interface LookUps {
  lookUps: LookUp[]
  /** Products, about. */
  lookedAt: number
}

/** `seen`: keys that the same text has been looked for by, which the new ones join. */
export function lookUpsOf (vocabulary: Vocabulary, forms: WordForm[], most: { products: number, lookUps: number }, seen: Set<string>): LookUps {
  const lookUps: LookUp[] = []
  let lookedAt = 0
  for (const { keys } of forms) {
    const left = most.products - lookedAt
    if (left <= 0 || lookUps.length === most.lookUps) break
    // Of a product that has to have both, the rarer one finds it.
    const key = keys.reduce((rarest, each) => vocabulary.countOf(each) < vocabulary.countOf(rarest) ? each : rarest)
    if (seen.has(key)) continue
    seen.add(key)
    const count = vocabulary.countOf(key)
    const reaches = vocabulary.reachesOf(key)
    const reach = count <= left ? undefined : reaches.findLast(({ products }) => products <= left) ?? reaches[0]
    lookUps.push({ key, reach: reach === undefined ? null : { upTo: reach.externalId, products: reach.products } })
    lookedAt += reach?.products ?? count
  }
  return { lookUps, lookedAt }
}
