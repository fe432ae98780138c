/**
 * The words that stand in descriptions alone. No key is made of them: each would be an entry that every import has to write. So a vocabulary knows, of each, the first
 * products that have it: the least that a search can answer with, and some are enough. A search wants published products, or drafts, …: it knows as many of each, or
 * twenty drafts would hide what is published.
 */
import type { ProductVisibility } from '../product.js'
import { wordsOf } from '../words.js'
import { isFiller } from './query-words.js'

/** Characters of a description that are looked at, and words. */
export const describedLength = 4_000
const maxDescriptionWords = 200
/** Behind a word: no word has them. */
const signs = { PUBLISHED: '', SCHEDULED: '+', DRAFT: '?', ARCHIVED: '-' } as const satisfies Record<ProductVisibility, string>
/** Of each word, in each visibility. */
const maxProducts = 20
/** Of all words and ids together; what comes later than that is not known. */
const maxCharacters = 1_500_000

/** Without the tags and entities of HTML, nor what is no word of its own. */
export const describedWordsOf = (html: string): Set<string> =>
  new Set(wordsOf(html.replace(/<[^<>]*>|&#?\w{1,8};/g, ' '), maxDescriptionWords).filter((word) => !isFiller(word)))

export class DescribedWords {
  readonly #lines = new Map<string, { line: string, products: number }>()
  #characters = 0

  /** Of a product that is found by `known` anyway. Archived ones after all others. */
  add (id: string, description: string, known: ReadonlySet<string>, visibility: ProductVisibility): void {
    if (description === '' || this.#characters >= maxCharacters) return
    for (const word of describedWordsOf(description)) {
      if (known.has(word)) continue
      const name = word + signs[visibility]
      const found = this.#lines.get(name) ?? { line: name, products: 0 }
      if (found.products === maxProducts) continue
      this.#characters += id.length + 1 + (found.products === 0 ? name.length : 0)
      this.#lines.set(name, { line: `${found.line} ${id}`, products: found.products + 1 })
    }
  }

  /** With the signs of their visibilities, in no order. */
  words (): string[] { return [...this.#lines.keys()] }

  /** A word and its products' ids; of its `words`, in order. */
  lines (words: string[]): string[] { return words.map((word) => this.#lines.get(word)?.line ?? word) }
}

/** Whether nothing came too late to be known; archived products come after all others. */
export const areAllKept = (lines: readonly string[], visibility: ProductVisibility): boolean =>
  lines.reduce((sum, line) => sum + (visibility === 'ARCHIVED' || !nameOf(line).endsWith(signs.ARCHIVED) ? line.length : 0), 0) < maxCharacters

/** Whether those are all products that have a word: of more, some are kept. */
export const areAllProducts = (ids: string[]): boolean => ids.length < maxProducts

/** Ids, of lines in order. */
export function describedBy (lines: readonly string[], word: string, visibility: ProductVisibility): string[] {
  const name = word + signs[visibility]
  let [from, to] = [0, lines.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (nameOf(lines[middle] ?? '') < name) from = middle + 1
    else to = middle
  }
  const [found, ...ids] = lines[from]?.split(' ') ?? []
  return found === name ? ids : []
}

const nameOf = (line: string): string => line.slice(0, line.indexOf(' '))
