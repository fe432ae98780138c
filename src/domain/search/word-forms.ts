/**
 * What a typed word may mean in a catalog: keys of products, and how close each is to what was typed. Exact before forgiving:
 *
 *   exact     the word, or its singular
 *   stem      another form of it: batteries, battery
 *   joined    with its neighbour one word: neck lace, necklace
 *   parted    two words: goldkette, gold kette; products have to have both
 *   made      part of a word whose other part the catalog knows as well: kette, goldkette
 *   begun     the word that is being typed: neckl, necklace
 *   slip      one letter off, from four letters on
 *   slips     two, from eight letters on
 */
import type { QueryWord } from './query-words.js'
import type { Vocabulary } from './vocabulary.js'

export const closeness = { exact: 15, stem: 14, joined: 13, parted: 12, made: 10, begun: 9, slip: 5, slips: 2 } as const

export interface WordForm {
  /** Of which a product has all. */
  keys: string[]
  closeness: number
  /** Products that have them, at most. */
  count: number
}

const slipFrom = 4
const twoSlipsFrom = 8
const minStart = 2
const minPart = 4
/** Of each kind; the words that most products have. */
const maxForms = 8

/** The closest first; the exact one always, also of a word that the vocabulary does not know (yet). */
export function formsOf (vocabulary: Vocabulary, word: QueryWord, { neighbours, isBegun }: { neighbours: Array<[string, string]>, isBegun: boolean }): WordForm[] {
  const { typed, key } = word
  const forms = new Map<string, WordForm>()
  const add = (keys: string[], of: number, count: number): void => {
    const name = keys.join(' ')
    if (!forms.has(name)) forms.set(name, { keys, closeness: of, count })
  }
  const addAll = (words: Array<{ word: string, count: number }>, of: number): void => { for (const { word, count } of words) add([word], of, count) }

  add([key], closeness.exact, vocabulary.countOf(key))
  if (typed !== key && vocabulary.countOf(typed) > 0) add([typed], closeness.exact, vocabulary.countOf(typed))
  for (const each of new Set([typed, key])) addAll(vocabulary.alike(each, maxForms), closeness.stem)
  for (const [before, after] of neighbours) {
    const joined = vocabulary.countOf(before + after)
    if (joined > 0) add([before + after], closeness.joined, joined)
  }
  const parts = vocabulary.partsOf(key)
  if (parts !== null) add(parts, closeness.parted, Math.min(...parts.map((part) => vocabulary.countOf(part))))
  if (key.length >= minPart) addAll(vocabulary.madeWith(key, maxForms), closeness.made)
  if (isBegun && typed.length >= minStart) addAll(vocabulary.startingWith(typed, maxForms), closeness.begun)
  const slips = typed.length >= twoSlipsFrom ? 2 : typed.length >= slipFrom ? 1 : 0
  for (const each of slips === 0 ? [] : new Set([typed, key])) {
    for (const { word, count, slips: made } of vocabulary.near(each, slips, maxForms)) add([word], made === 1 ? closeness.slip : closeness.slips, count)
  }
  return [...forms.values()].sort((a, b) => b.closeness - a.closeness || b.count - a.count)
}

/** The words of a query with their forms, one after the other; the last one is being typed when `isBegun`. */
export function * readQuery (vocabulary: Vocabulary, words: QueryWord[], isBegun: boolean): Generator<QueryWord & { forms: WordForm[] }> {
  for (const [at, word] of words.entries()) {
    const [before, after] = [words[at - 1], words[at + 1]]
    const neighbours: Array<[string, string]> = []
    if (before !== undefined) neighbours.push([before.key, word.key], [before.typed, word.key])
    if (after !== undefined) neighbours.push([word.key, after.key], [word.typed, after.key])
    yield { ...word, forms: formsOf(vocabulary, word, { neighbours, isBegun: isBegun && at === words.length - 1 }) }
  }
}
