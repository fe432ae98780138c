/**
 * How well a product answers a query, as one number that orders, page after page:
 *
 *   how much of the query it has   the telling words count more, and the one that says what is looked for twice: all before some
 *   how close its words are        exact before forgiving (word-forms)
 *   where they stand               name, brand, categories and tags, description
 *   made for the target
 *   in stock
 */
import type { ProductContent } from '../product.js'
import { addInPlaces, maxWordKeys } from '../search-keys.js'
import { describedWordsOf } from './described-words.js'
import type { QueryWord } from './query-words.js'
import type { Vocabulary } from './vocabulary.js'
import { closeness, type WordForm } from './word-forms.js'

export interface WeighedWord extends QueryWord {
  forms: WordForm[]
  weight: number
}

export interface RankedProduct {
  /** See placesOf. */
  places: ReadonlyMap<string, number>
  /** null: not read. */
  description: string | null
  isLinked: boolean
  isInStock: boolean
}

export interface Rank {
  /** 0: it has none of the words. */
  value: number
  hasAll: boolean
  /** The word that says what is looked for, or more than half of what the words weigh. */
  hasMost: boolean
}

const shares = 1_000
const steps = 256
/** Of 15, as closeness is. */
const places = { name: 15, brand: 10, label: 6, description: 2 } as const
/** Of a word that the catalog does not know, and that is a number or has one: it tells one product from the other, not what they are. */
const unknownNumber = 0.5

/** A word tells the more the fewer products have it; one that none has, as much as the best of the others. */
export function weigh (vocabulary: Vocabulary, words: Array<QueryWord & { forms: WordForm[] }>): WeighedWord[] {
  const countOf = ({ forms }: { forms: WordForm[] }): number => Math.max(0, ...forms.map(({ count }) => count))
  const telling = (count: number): number => Math.log(1 + Math.max(1, vocabulary.products) / count)
  const most = Math.max(0, ...words.filter((word) => countOf(word) > 0).map((word) => telling(countOf(word)))) || 1
  return words.map((word) => {
    const count = countOf(word)
    const weight = count > 0 ? telling(count) : /\d/.test(word.key) ? most * unknownNumber : most
    return { ...word, weight: word.isHead ? 2 * weight : weight }
  })
}

/** The words that a product is found by, as its keys are made (domain/search-keys), each with the best of its places. */
export function placesOf (product: Pick<ProductContent, 'name' | 'brandName' | 'categories' | 'tags'>): Map<string, number> {
  const found = new Map<string, number>()
  addInPlaces(product, (words, place) => {
    for (const word of words) if (found.size < maxWordKeys && !found.has(word)) found.set(word, places[place])
    return found.size
  })
  return found
}

/** Whether a description says it as well: "Goes well with a lamp" is no wood lamp. */
export const mayBeDescribed = ({ isHead }: WeighedWord, words: WeighedWord[]): boolean => !isHead || words.length === 1

export function rankOf (product: RankedProduct, words: WeighedWord[]): Rank {
  let described: Set<string> | undefined
  const isDescribed = (word: string): boolean =>
    product.description !== null && (described ??= describedWordsOf(product.description)).has(word)
  const placeOf = (keys: string[]): number => Math.min(...keys.map((key) => product.places.get(key) ?? places.label))
  let [weight, had, close, place, count] = [0, 0, 0, 0, 0]
  let hasHead = false
  for (const word of words) {
    weight += word.weight
    const form = word.forms.find(({ keys }) => keys.every((key) => product.places.has(key)))
    if (form === undefined && !(mayBeDescribed(word, words) && isDescribed(word.key))) continue
    had += word.weight
    hasHead ||= word.isHead
    close += form?.closeness ?? closeness.exact
    place += form === undefined ? places.description : placeOf(form.keys)
    count++
  }
  if (count === 0) return { value: 0, hasAll: false, hasMost: false }
  const share = count === words.length ? shares : Math.floor(had / weight * (shares - 1))
  const step = (sum: number): number => Math.floor(sum / count * (steps - 1) / 15)
  const value = ((share * steps + step(close)) * steps + step(place)) * 4 + (product.isLinked ? 2 : 0) + (product.isInStock ? 1 : 0)
  return { value, hasAll: count === words.length, hasMost: hasHead || 2 * had > weight }
}
