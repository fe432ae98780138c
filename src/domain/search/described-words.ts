/**
 * The words that stand in descriptions alone. No key is made of them: each would be an entry that every import has to write. So a vocabulary knows, of each, the first
 * products that have it: the least that a search can answer with, and some are enough.
 */
import { wordsOf } from '../words.js'
import { isFiller } from './query-words.js'

/** Characters of a description that are looked at, and words. */
export const describedLength = 4_000
const maxDescriptionWords = 200
/** Of each word. */
const maxProducts = 20
/** Of all words and ids together; what comes later than that is not known. */
const maxCharacters = 1_500_000

/** Without the tags and entities of HTML, nor what is no word of its own. */
export const describedWordsOf = (html: string): Set<string> =>
  new Set(wordsOf(html.replace(/<[^<>]*>|&#?\w{1,8};/g, ' '), maxDescriptionWords).filter((word) => !isFiller(word)))

export class DescribedWords {
  readonly #lines = new Map<string, { line: string, products: number }>()
  #characters = 0

  /** Of a product that is found by `known` anyway. */
  add (id: string, description: string, known: ReadonlySet<string>): void {
    if (description === '' || this.#characters >= maxCharacters) return
    for (const word of describedWordsOf(description)) {
      if (known.has(word)) continue
      const found = this.#lines.get(word) ?? { line: word, products: 0 }
      if (found.products === maxProducts) continue
      this.#characters += id.length + 1 + (found.products === 0 ? word.length : 0)
      this.#lines.set(word, { line: `${found.line} ${id}`, products: found.products + 1 })
    }
  }

  /** In no order. */
  words (): string[] { return [...this.#lines.keys()] }

  /** A word and its products' ids; of its `words`, in order. */
  lines (words: string[]): string[] { return words.map((word) => this.#lines.get(word)?.line ?? word) }
}

/** Whether nothing came too late to be known. */
export const areAllKept = (lines: readonly string[]): boolean => lines.reduce((sum, { length }) => sum + length, 0) < maxCharacters

/** Whether those are all products that have a word: of more, some are kept. */
export const areAllProducts = (ids: string[]): boolean => ids.length < maxProducts

/** Ids, of lines in order. */
export function describedBy (lines: readonly string[], word: string): string[] {
  let [from, to] = [0, lines.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (wordOf(lines[middle] ?? '') < word) from = middle + 1
    else to = middle
  }
  const [found, ...ids] = lines[from]?.split(' ') ?? []
  return found === word ? ids : []
}

const wordOf = (line: string): string => line.slice(0, line.indexOf(' '))
