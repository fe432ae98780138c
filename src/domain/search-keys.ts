/**
 * The keys under which a product is found and its links are removed again: one array, one index over it.
 *
 *   w:brake      a word of its name, brand, categories or tags
 *   t:<id>       linked to this fitment target, itself or one of its variants
 *   v:draft      it has no date of publication
 *   v:scheduled  it had not been published yet when its keys were made
 *
 * Archiving a product or the passing of time changes none of them: what has one of the last two may have been archived or published since, and what is a draft, or scheduled,
 * has its own. A published product has neither. What would multiply the entries that every import has to write is left out: descriptions, and the stores that have a product
 * in stock, of which a retailer has thousands and most have most products (docs/adr/0011-stock-at-many-stores.md).
 */
import { visibilityOf, type ProductContent, type ProductVisibility, type Variant } from './product.js'
import { wordsOf } from './words.js'

/** Words per product. They are the first of its keys. */
export const maxWordKeys = 32
/** Of those, kept free for the brand's: by them it is filtered. */
export const maxBrandKeys = 8

export const wordKey = (word: string): string => `w:${word}`
/** null: a key of another kind. */
export const wordIn = (key: string): string | null => key.startsWith('w:') ? key.slice(2) : null
export const targetKey = (targetId: string): string => `t:${targetId}`

/** Of products that shoppers do not see yet. */
const keysByVisibility: Partial<Record<ProductVisibility, string>> = { DRAFT: 'v:draft', SCHEDULED: 'v:scheduled' }

/** What all live products of a visibility have, and few others. null: there is no such key. */
export const visibilityKey = (visibility: ProductVisibility): string | null => keysByVisibility[visibility] ?? null

/** Of variants nothing else is looked at: a product of which only those have changed keeps its keys unless their targets did. */
type Linkable = Pick<ProductContent, 'fitmentTargetIds'> & { variants: ReadonlyArray<Pick<Variant, 'fitmentTargetIds'>> }
type Searchable = Linkable & Pick<ProductContent, 'name' | 'brandName' | 'categories' | 'tags' | 'publishedAt'>

/** Linked to a fitment target, itself or one of its variants; what is not fits everything. */
export const isTargeted = ({ fitmentTargetIds, variants }: Linkable): boolean =>
  fitmentTargetIds.length > 0 || variants.some((variant) => variant.fitmentTargetIds.length > 0)

/** `at`: when the product is written. */
export function searchKeysOf (product: Searchable, at: Date): string[] {
  const keys: string[] = []
  for (const word of searchWordsOf(product)) keys.push(wordKey(word))
  // Most products are linked to nothing: no set for them.
  let targets: Set<string> | null = product.fitmentTargetIds.length === 0 ? null : new Set(product.fitmentTargetIds)
  for (const { fitmentTargetIds } of product.variants) {
    for (const id of fitmentTargetIds) {
      targets ??= new Set()
      targets.add(id)
    }
  }
  if (targets !== null) for (const id of targets) keys.push(targetKey(id))
  const unpublished = visibilityKey(visibilityOf({ archived: false, publishedAt: product.publishedAt }, at))
  if (unpublished !== null) keys.push(unpublished)
  return keys
}

function searchWordsOf (product: Searchable): string[] {
  const words: string[] = []
  addInPlaces(product, (more) => {
    addWords(words, more)
    return words.length
  })
  return words
}

export type WordPlace = 'name' | 'brand' | 'label'

/** A product's words in the order in which they become keys, with where they stand. `add` takes those of one text, and gives how many there are by now. */
export function addInPlaces (
  { name, brandName, categories, tags }: Pick<Searchable, 'name' | 'brandName' | 'categories' | 'tags'>, add: (words: readonly string[], place: WordPlace) => number
): void {
  const brand = wordsOfLabel(brandName)
  add(wordsOf(name, maxNameKeys(brand)), 'name')
  let count = add(brand, 'brand')
  for (const list of [categories, tags]) {
    for (const text of list) {
      if (count >= maxWordKeys) return
      count = add(wordsOfLabel(text), 'label')
    }
  }
}

/** Names of more words than that are hardly read to their end. */
const maxNameKeys = (brand: readonly string[]): number => maxWordKeys - Math.min(brand.length, maxBrandKeys)

/** Of so few, looking through them beats a set. */
function addWords (words: string[], more: readonly string[]): void {
  for (const word of more) if (words.length < maxWordKeys && !words.includes(word)) words.push(word)
}

/** Bounds what is remembered to some hundred kilobytes. */
const maxLabels = 1_000
const maxLabelLength = 100
const labels = new Map<string, readonly string[]>()

/** The same for a text that many products share: a brand, a category, a tag. */
function wordsOfLabel (text: string): readonly string[] {
  const known = labels.get(text)
  if (known !== undefined) return known
  const words = wordsOf(text, maxWordKeys)
  if (text.length > maxLabelLength) return words
  if (labels.size === maxLabels) labels.clear()
  labels.set(text, words)
  return words
}
