/**
 * Counts the words of a catalog that is walked through in order, in bounded memory: where more words have been seen than twice those that are kept, the rarest
 * are forgotten. What is left then are those that most products have, but for words that began late.
 */
import { languagesIn } from './languages.js'
import { maxWords, type Reach, type VocabularyContent } from './vocabulary.js'

/** Of a word that more products have, a search looks at a part: this many, or a multiple of it. */
export const reachStep = 56
const maxReaches = 10
/** Words of which it is known how far to look. Any more would be common ones of a catalog of millions. */
const maxReachingWords = 2_000

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
    if (this.#counts.size > 2 * this.#maxWords) this.#forget()
  }

  content (): VocabularyContent {
    if (this.#counts.size > this.#maxWords) this.#forget()
    const words = [...this.#counts.keys()].sort()
    return {
      products: this.#products,
      languages: languagesIn(this.#products, (word) => this.#counts.get(word)?.products ?? 0),
      words,
      counts: words.map((word) => this.#counts.get(word)?.products ?? 0),
      reaches: this.#reaches()
    }
  }

  #reaches (): Map<string, Reach[]> {
    const common = [...this.#counts].filter(([, { products }]) => products > reachStep)
    if (common.length > maxReachingWords) common.sort(([, a], [, b]) => b.products - a.products).length = maxReachingWords
    return new Map(common.map(([word, { reaches }]) => [word, reaches.map((externalId, at) => ({ products: (at + 1) * reachStep, externalId }))]))
  }

  #forget (): void {
    const counts = Array.from(this.#counts.values(), ({ products }) => products).sort((a, b) => b - a)
    const least = counts[this.#maxWords] ?? 0
    for (const [word, { products }] of this.#counts) if (products <= least && this.#counts.size > this.#maxWords) this.#counts.delete(word)
  }
}
