/**
 * By which keys the products are looked for that may have a word, and how far: those of the closest forms first, until they are as many products as may be looked
 * at. Of a key that more products have, the first so many by external id are looked at.
 */
import type { Vocabulary } from './vocabulary.js'
import type { WordForm } from './word-forms.js'

export interface LookUps {
  /** Keys with few products each. */
  rare: string[]
  /** Each up to an external id, up to which so many products have it. */
  common: Array<{ key: string, upTo: string, products: number }>
  /** Products, about. */
  lookedAt: number
}

export function lookUpsOf (vocabulary: Vocabulary, forms: WordForm[], most: number): LookUps {
  const looks: LookUps = { rare: [], common: [], lookedAt: 0 }
  const seen = new Set<string>()
  for (const { keys } of forms) {
    const left = most - looks.lookedAt
    if (left <= 0) break
    // Of a product that has to have both, the rarer one finds it.
    const key = keys.reduce((rarest, each) => vocabulary.countOf(each) < vocabulary.countOf(rarest) ? each : rarest)
    if (seen.has(key)) continue
    seen.add(key)
    const count = vocabulary.countOf(key)
    const reaches = vocabulary.reachesOf(key)
    const reach = count <= left ? undefined : reaches.findLast(({ products }) => products <= left) ?? reaches[0]
    if (reach === undefined) {
      looks.rare.push(key)
      looks.lookedAt += count
    } else {
      looks.common.push({ key, upTo: reach.externalId, products: reach.products })
      looks.lookedAt += reach.products
    }
  }
  return looks
}
