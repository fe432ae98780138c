/**
 * Counts the words of a catalog that is walked through in order, in bounded memory: where a fifth more words have been seen than are kept, the rarest are forgotten.
 * What is left then are those that most products have, but for words that began late. No step takes more than some ten milliseconds, but for putting the words in
 * order, which is left to who has the time (`words`).
 */
import { languagesIn } from './languages.js'
import { maxWords, type Reach, type VocabularyContent } from './vocabulary.js'

/** Of a word that more products have, a search looks at a part: this many, or a multiple of it. */
export const reachStep = 56
const maxReaches = 10
/** Words of which it is known how far to look. Any more would be common ones of a catalog of millions. */
const maxReachingWords = 2_000
/** Of all their external ids together, which may be 255 each. */
const maxReachingCharacters = 1_000_000

/** Words that are counted, for each that is kept. */
const slack = 1.2

interface Count { products: number, reaches: string[] }

export class WordCounts {
  readonly #counts = new Map<string, Count>()
  readonly #maxWords: number
  #products = 0

  constructor (most = maxWords) { this.#maxWords = most }

  get products (): number { return this.#products }

  /** Of the next product, by external id. */
  add (externalId: string, words: Iterable<string>): void {
    this.#products++
    for (const word of words) {
      const count = this.#counts.get(word)
      if (count === undefined) {
        this.#counts.set(word, { products: 1, reaches: [] })
        continue
      }
      count.products++
      if (count.products % reachStep === 0 && count.reaches.length < maxReaches) count.reaches.push(externalId)
    }
    if (this.#counts.size > slack * this.#maxWords) this.#forget()
  }

  /** Those that are kept, in no order. */
  words (): string[] {
    if (this.#counts.size > this.#maxWords) this.#forget()
    return [...this.#counts.keys()]
  }

  /** Of its `words`, in order. */
  content (words: string[]): Omit<VocabularyContent, 'described' | 'isComplete' | 'hasAllArchived'> {
    return {
      products: this.#products,
      languages: languagesIn(this.#products, (word) => this.#counts.get(word)?.products ?? 0),
      words,
      counts: words.map((word) => this.#counts.get(word)?.products ?? 0),
      reaches: this.#reaches()
    }
  }

  #reaches (): Map<string, Reach[]> {
    const common = [...this.#counts].filter(([, { products }]) => products > reachStep).sort(([, a], [, b]) => b.products - a.products)
    let characters = 0
    const kept = common.slice(0, maxReachingWords).filter(([, { reaches }]) => (characters += reaches.reduce((sum, { length }) => sum + length, 0)) <= maxReachingCharacters)
    return new Map(kept.map(([word, { reaches }]) => [word, reaches.map((externalId, at) => ({ products: (at + 1) * reachStep, externalId }))]))
  }

  #forget (): void {
    const counts = Uint32Array.from(this.#counts.values(), ({ products }) => products).sort()
    let tooMany = this.#counts.size - this.#maxWords
    const most = counts[tooMany - 1] ?? 0
    for (const [word, { products }] of this.#counts) if (products < most && this.#counts.delete(word)) tooMany--
    for (const [word, { products }] of this.#counts) {
      if (tooMany === 0) return
      if (products === most && this.#counts.delete(word)) tooMany--
    }
  }
}
