/**
 * By which keys the products are looked for that may have a word, and how far: those of the closest forms first, until they are as many products as may be looked
 * at. Of a key that more products have, the first so many by external id are looked at.
 *
 * Words are looked for one after the other, the rarest first, until enough products have all of them. Where that is not to be expected of the words so far, the next is looked
 * for at the same time: what is waited for is mostly the way to the database.
 */
import type { Vocabulary } from './vocabulary.js'
import type { WordForm } from './word-forms.js'

export interface LookUp {
  key: string
  /** An external id, up to which so many products have it; `upTo` null: to the end, so few have it. null: how far is not known. */
  reach: { upTo: string | null, products: number } | null
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
    const reach = reachOf(vocabulary, key, count, left)
    lookUps.push({ key, reach })
    // Where only a part is counted, as many again at least are expected behind it.
    lookedAt += reach?.products ?? Math.min(left, 2 * count)
  }
  return { lookUps, lookedAt }
}

/** Of a catalog that is counted in part, any number of products may have what few of the counted ones have. */
function reachOf (vocabulary: Vocabulary, key: string, count: number, left: number): LookUp['reach'] {
  if (count <= left) return vocabulary.isComplete ? { upTo: null, products: count } : null
  const reaches = vocabulary.reachesOf(key)
  const reach = reaches.findLast(({ products }) => products <= left) ?? reaches[0]
  return reach === undefined ? null : { upTo: reach.externalId, products: reach.products }
}

export interface WordLookUps {
  lookUps: LookUp[]
  /** Products, at most for each. */
  most: number
  /** Products that are looked at for the words before, as far as is known. */
  before: number
}

export interface TextLookUps {
  /** Products with all words that are wanted. */
  enough: number
  /** Products that are looked at: as long as something is found, for a word whose turn comes when that is used up, and in all. */
  perText: number
  perWord: number
  inAll: number
  lookUps: number
}

/** Of words in this order; those in one list are looked for side by side. */
export function lookUpsInTurns (vocabulary: Vocabulary, words: ReadonlyArray<{ forms: WordForm[] }>, { enough, perText, perWord, inAll, lookUps }: TextLookUps): WordLookUps[][] {
  const turns: WordLookUps[][] = []
  const seen = new Set<string>()
  let [before, lookUpsLeft] = [0, lookUps]
  for (const [at, { forms }] of words.entries()) {
    if (before >= inAll) break
    const most = Math.max(perText - before, perWord)
    const looks = lookUpsOf(vocabulary, forms, { products: most, lookUps: Math.floor(lookUpsLeft / (words.length - at)) }, seen)
    const word = { lookUps: looks.lookUps, most, before }
    const turn = turns.at(-1)
    if (turn !== undefined && before < perText && before * shareWithAll(vocabulary, words.slice(at)) < enough) turn.push(word)
    else turns.push([word])
    before += looks.lookedAt
    lookUpsLeft -= looks.lookUps.length
  }
  return turns
}

/** Of the products, if words had nothing to do with each other. */
const shareWithAll = ({ products }: Vocabulary, words: ReadonlyArray<{ forms: WordForm[] }>): number =>
  words.reduce((share, { forms }) => share * Math.min(1, forms.reduce((sum, { count }) => sum + count, 0) / Math.max(1, products)), 1)
