/** The words of what a customer writes, each with what stands behind it: a dash makes a range of two years, a comma ends what a "not" is about. */
import { splitAtNumbers } from '../domain/fitment-spelling.js'
import { foldText, splitWords } from '../domain/words.js'

export interface Word {
  text: string
  /** What there is between it and the next. */
  after: string
}

/** Some words of a phrase: from `start`, up to before `end`. */
export interface Gram { start: number, end: number }

const maxWords = 24
const maxPhrase = 4

export function wordsOf (phrase: string): Word[] {
  const folded = foldText(phrase)
  const texts = splitAtNumbers(splitWords(phrase, maxWords)).slice(0, maxWords)
  let at = 0
  const ends = texts.map((text) => (at = folded.indexOf(text, at) + text.length))
  return texts.map((text, index) => ({ text, after: folded.slice(ends[index], index + 1 < texts.length ? (ends[index + 1] ?? 0) - (texts[index + 1] ?? '').length : undefined) }))
}

/** Another thought begins. A hyphen within a name, as in "F-150", is none. */
export const isBreak = ({ after }: Word): boolean => /[^\s"'‘’“”«»-]|[\n\r]|\s-+\s/.test(after)

/** Fixed phrases of a few words, by what they mean. */
export type Phrases<Meaning> = ReadonlyMap<string, Meaning>

/** Each list is separated by commas. */
export const phrases = <Meaning extends string>(lists: Record<Meaning, string>): Phrases<Meaning> =>
  new Map(Object.entries<string>(lists).flatMap(([meaning, list]) => list.split(',').map((phrase): [string, Meaning] => [phrase.trim(), meaning as Meaning])))

/** The longest of these phrases that begins at a word, with nothing but spaces between its words. */
export function phraseAt<Meaning> (words: Word[], start: number, known: Phrases<Meaning>): Gram & { meaning: Meaning } | null {
  for (let end = Math.min(start + maxPhrase, words.length); end > start; end--) {
    const meaning = known.get(words.slice(start, end).map(({ text }) => text).join(' '))
    if (meaning !== undefined && words.slice(start, end - 1).every(({ after }) => after.trim() === '')) return { start, end, meaning }
  }
  return null
}
