/**
 * The words that a vendor's products are found by, each with the number of products that have it: what a search knows of the catalog before it asks for any
 * product. It is counted now and then (store/search/search-vocabularies), so a word may be missing here that a product has by now, or stand here that none has any more.
 *
 * Words are in order, so what begins alike is found by halving; for slips and endings all of them are looked at, 50,000 at most, of which a mask of
 * their letters spares nearly all a comparison. Each question looks at a bounded number, however the words are made.
 */
import { editDistance } from '../edit-distance.js'
import type { ProductVisibility } from '../product.js'
import { areAllKept, areAllProducts, describedBy } from './described-words.js'
import { stemsOf, type Language } from './languages.js'

export interface KnownWord {
  word: string
  /** Products that have it. */
  count: number
}

/** Of a word that many products have: the external id up to which, in order, so many have it. */
export interface Reach { products: number, externalId: string }

export interface VocabularyContent {
  /** Looked at when it was counted. */
  products: number
  /** Those are all live ones. */
  isComplete: boolean
  /** So were all archived ones, of which nothing but descriptions is looked at. */
  hasAllArchived: boolean
  languages: Language[]
  /** In order, each once. */
  words: string[]
  counts: number[]
  /** Of the words that are too common for all of their products to be looked at. */
  reaches: ReadonlyMap<string, readonly Reach[]>
  /** Words that stand in descriptions alone, in order (described-words). */
  described: readonly string[]
}

export const maxWords = 50_000
const lookedAtPerStart = 5_000
/** Of 50,000 words of English, 2,000 at most have letters so much alike. */
const comparedPerWord = 5_000
const stemmedPerWord = 250
/** Words with the same stem begin alike, but for their last letters; the longer one may have some more. */
const [commonStart, differing, ending] = [3, 2, 4]
/** Parts that are looked for in other forms, too. */
const formsPerPart = 2
const minPart = 3
/** What German and its neighbours put between two parts. */
const joints = ['', 's', 'n', 'en', 'es', 'e']

export class Vocabulary {
  readonly products: number
  readonly isComplete: boolean
  readonly languages: readonly Language[]
  readonly #words: readonly string[]
  readonly #counts: readonly number[]
  readonly #masks: Int32Array
  readonly #reaches: ReadonlyMap<string, readonly Reach[]>
  readonly #described: readonly string[]
  readonly #knowsAllDescribed: { ofLive: boolean, ofArchived: boolean }

  constructor ({ products, isComplete, hasAllArchived, languages, words, counts, reaches, described }: VocabularyContent) {
    this.products = products
    this.isComplete = isComplete
    this.languages = languages
    this.#words = words
    this.#counts = counts
    this.#masks = Int32Array.from(words, maskOf)
    this.#reaches = reaches
    this.#described = described
    this.#knowsAllDescribed = { ofLive: isComplete && areAllKept(described, 'PUBLISHED'), ofArchived: hasAllArchived && areAllKept(described, 'ARCHIVED') }
  }

  get size (): number { return this.#words.length }

  /** 0: unknown. */
  countOf (word: string): number {
    const at = this.#indexOf(word)
    return this.#words[at] === word ? this.#counts[at] ?? 0 : 0
  }

  reachesOf (word: string): readonly Reach[] { return this.#reaches.get(word) ?? [] }

  /** Ids of products that had it in their descriptions alone, and this visibility: of some, and whether those are all. */
  describedBy (word: string, visibility: ProductVisibility): { ids: string[], areAll: boolean } {
    const ids = describedBy(this.#described, word, visibility)
    return { ids, areAll: (visibility === 'ARCHIVED' ? this.#knowsAllDescribed.ofArchived : this.#knowsAllDescribed.ofLive) && areAllProducts(ids) }
  }

  /** Other words that begin with it, those that most products have first. */
  startingWith (start: string, most: number): KnownWord[] {
    return mostCommon(this.#from(start).filter(({ word }) => word !== start), most)
  }

  /** Other words with the same stem in one of the languages. */
  alike (word: string, most: number): KnownWord[] {
    if (word.length < commonStart || /\d/.test(word)) return []
    const stems = writtenOf(word).map((each) => stemsOf(each, this.languages))
    const isAlike = (other: string): boolean => writtenOf(other).some((each) => stemsOf(each, this.languages).some((stem, language) => stems.some((of) => of[language] === stem)))
    const beginsAlike = (other: string): boolean => other !== word && commonLength(word, other) >= Math.max(commonStart, Math.min(word.length, other.length) - differing)
    const candidates = this.#from(word.slice(0, Math.max(commonStart, word.length - ending))).filter(({ word: other }) => beginsAlike(other))
    return mostCommon(mostCommon(candidates, stemmedPerWord).filter(({ word: other }) => isAlike(other)), most)
  }

  /** Other words within so many slips, with the same digits. */
  near (word: string, slips: number, most: number): Array<KnownWord & { slips: number }> {
    const mask = maskOf(word)
    const digits = digitsOf(word)
    const found: Array<KnownWord & { slips: number }> = []
    let compared = 0
    for (let at = 0; at < this.#words.length && compared < comparedPerWord; at++) {
      // A slip changes two letters at most: one is no longer there, and another is.
      if (bitsOf((this.#masks[at] ?? 0) ^ mask) > 2 * slips) continue
      const other = this.#words[at] ?? ''
      if (Math.abs(other.length - word.length) > slips || other === word) continue
      compared++
      const distance = editDistance(word, other, slips)
      if (distance !== null && digitsOf(other) === digits) found.push({ word: other, count: this.#counts[at] ?? 0, slips: distance })
    }
    return found.sort((a, b) => a.slips - b.slips || b.count - a.count).slice(0, most)
  }

  /** The two known words that it is made of, the second one in whatever form; those that the most products have. */
  partsOf (word: string): [string, string] | null {
    let best: [string, string] | null = null
    let [most, forms] = [0, 0]
    for (let at = minPart; at <= word.length - minPart; at++) {
      const left = this.#knownPart(word.slice(0, at))
      if (left === null) continue
      const right = this.countOf(word.slice(at)) > 0 ? word.slice(at) : forms++ < formsPerPart ? this.alike(word.slice(at), 1)[0]?.word : undefined
      if (right === undefined) continue
      const count = Math.min(this.countOf(left), this.countOf(right))
      if (count > most) [best, most] = [[left, right], count]
    }
    return best
  }

  /** Words that are made of this one and another known one. */
  madeWith (part: string, most: number): KnownWord[] {
    const found: KnownWord[] = []
    for (const known of this.#from(part)) {
      const rest = known.word.slice(part.length)
      if (joints.some((joint) => rest.startsWith(joint) && this.#isPart(rest.slice(joint.length)))) found.push(known)
    }
    const mask = maskOf(part)
    for (let at = 0; at < this.#words.length; at++) {
      if (((this.#masks[at] ?? 0) & mask) !== mask) continue
      const word = this.#words[at] ?? ''
      if (word.length >= part.length + minPart && word.endsWith(part) && this.#knownPart(word.slice(0, -part.length)) !== null) found.push({ word, count: this.#counts[at] ?? 0 })
    }
    return mostCommon(found, most)
  }

  #isPart (word: string): boolean { return word.length >= minPart && this.countOf(word) > 0 }

  /** The word, with or without what joins it to the next. */
  #knownPart (left: string): string | null {
    for (const joint of joints) {
      const bare = left.slice(0, left.length - joint.length)
      if (left.endsWith(joint) && this.#isPart(bare)) return bare
    }
    return null
  }

  #from (start: string, lookedAt = lookedAtPerStart): KnownWord[] {
    const found: KnownWord[] = []
    for (let at = this.#indexOf(start); at < this.#words.length && found.length < lookedAt; at++) {
      const word = this.#words[at] ?? ''
      if (!word.startsWith(start)) break
      found.push({ word, count: this.#counts[at] ?? 0 })
    }
    return found
  }

  /** Where it stands, or would. */
  #indexOf (word: string): number {
    let [from, to] = [0, this.#words.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#words[middle] ?? '') < word) from = middle + 1
      else to = middle
    }
    return from
  }
}

const mostCommon = (words: KnownWord[], most: number): KnownWord[] => words.sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1)).slice(0, most)

/** As it stands in the catalog, and with the s that domain/words takes: Glas stands there without. */
const writtenOf = (word: string): string[] => word.endsWith('s') ? [word] : [word, `${word}s`]

function commonLength (a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}

const digitsOf = (word: string): string => word.replace(/\D/g, '')

/** A bit for each letter that is in it, of any script. */
function maskOf (word: string): number {
  let mask = 0
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31)
  return mask
}

function bitsOf (mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
