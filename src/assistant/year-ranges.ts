/**
 * Ranges of years in what customers write, in English, German, French and Spanish: "2018-2020", "'18 to '20", "since 2018",
 * "2015 und älter". "A Civic from 2018" is one of 2018; from 2018 *on* is a range.
 */
import { phraseAt, phrases, type Gram, type Word } from './phrase-words.js'

export interface YearRange extends Gram {
  /** Both inclusive. */
  from: number
  to: number
  /** Of two digits each: they may be anything else ("15-20 dollars"). */
  isWeak: boolean
}

/** Nobody sells for others. */
export const years = { first: 1_900, last: 2_050 }

const openers = phrases({
  start: 'from, von, vom, de, del, du',
  between: 'between, zwischen, entre',
  since: 'since, seit, ab, depuis, desde, a partir de, a partir du, a partir del',
  until: 'until, till, til, up to, bis, bis zu, jusquen, jusqua, jusquau, hasta',
  after: 'after, newer than, later than, nach, apres, despues de, despues del',
  before: 'before, older than, earlier than, vor, antes de, antes del'
})
/** "Since model year 2018", "ab Baujahr 2018". */
const yearWords = new Set(['model', 'year', 'baujahr', 'bj', 'jahr', 'modelljahr', 'lannee', 'annee', 'lan', 'el', 'ano'])
const joiners = new Set(['to', 'til', 'till', 'until', 'thru', 'through', 'bis', 'a', 'au', 'al', 'hasta'])
const betweenJoiners = new Set(['and', 'und', 'et', 'y'])
const dashes = new Set(['-', '‐', '‑', '‒', '–', '—', '―', '−', '~', '--'])
const closers = phrases({
  since: 'onward, onwards, and onwards, and up, or up, and above, and newer, or newer, and later, or later, to present, present, to now, to today, ' +
    'aufwarts, und neuer, oder neuer, und spater, oder spater, bis heute, et plus, et plus recent, ou plus recent, et apres, en adelante, y posteriores, o posterior, y mas nuevo, o mas nuevo, hasta hoy',
  until: 'and older, or older, and earlier, or earlier, and below, and before, und alter, oder alter, und fruher, oder fruher, et avant, ou avant, et plus ancien, ou plus ancien, y anteriores, o anterior'
})
/** These only where the range has been opened ("from 2018 on"). */
const closingWords = new Set(['on', 'an', 'onwards'])

export function findYearRanges (words: Word[]): YearRange[] {
  const found: YearRange[] = []
  for (let at = 0; at < words.length; at++) {
    const range = rangeAt(words, at)
    if (range === null) continue
    found.push(range)
    at = range.end - 1
  }
  return found
}

function rangeAt (words: Word[], start: number): YearRange | null {
  const opener = phraseAt(words, start, openers)
  let at = opener?.end ?? start
  if (opener !== null) while (yearWords.has(words[at]?.text ?? '')) at++
  const first = yearAt(words, at)
  const word = words[at]
  if (first === null || word === undefined || words.slice(start, at).some(({ after }) => !/^[\s.]*$/.test(after))) return null
  const second = secondYear(words, at, opener?.meaning === 'between')
  if (second !== null) {
    const [from, to] = bothEnds(first, second.text)
    return { start, end: second.end, from: Math.min(from, to), to: Math.max(from, to), isWeak: first.length + second.text.length === 4 }
  }
  const closer = isDash(word.after) || word.after.trim() === '' ? phraseAt(words, at + 1, closers) : null
  const isClosed = opener !== null && word.after.trim() === '' && closingWords.has(words[at + 1]?.text ?? '')
  const meaning = closer?.meaning ?? (isClosed || /^\+(?:\s|$)/.test(word.after) ? 'since' : opener?.meaning)
  const end = closer?.end ?? at + (isClosed ? 2 : 1)
  const year = fullYear(first)
  const isWeak = first.length === 2
  switch (meaning) {
    case 'since': return { start, end, from: year, to: years.last, isWeak }
    case 'after': return { start, end, from: year + 1, to: years.last, isWeak }
    case 'until': return { start, end, from: years.first, to: year, isWeak }
    case 'before': return { start, end, from: years.first, to: year - 1, isWeak }
    case 'start':
    case 'between':
    case undefined: return null
  }
}

function secondYear (words: Word[], first: number, isBetween: boolean): { text: string, end: number } | null {
  const [word, next] = [words[first], words[first + 1]]
  const isJoined = word !== undefined && isDash(word.after)
  const isSpoken = word?.after.trim() === '' && next?.after.trim().replace(/['‘’]/g, '') === '' && (joiners.has(next.text) || (isBetween && betweenJoiners.has(next.text)))
  const at = isJoined ? first + 1 : first + 2
  const text = isJoined || isSpoken ? yearAt(words, at) : null
  return text === null ? null : { text, end: at + 1 }
}

const isDash = (text: string): boolean => dashes.has(text.replace(/[\s'‘’]/g, ''))

const yearAt = (words: Word[], at: number): string | null => /^(?:19|20)?\d\d$/.exec(words[at]?.text ?? '')?.[0] ?? null

/** Of the century that a car of today can be of. */
const fullYear = (text: string): number => text.length === 4 ? Number(text) : Number(text) + (Number(text) < 40 ? 2_000 : 1_900)

/** A short end is the next year that ends so, a short start before a full end the last one. */
function bothEnds (first: string, second: string): [from: number, to: number] {
  if (first.length === 2 && second.length === 4) {
    const from = Math.floor(Number(second) / 100) * 100 + Number(first)
    return [from > Number(second) ? from - 100 : from, Number(second)]
  }
  const from = fullYear(first)
  if (second.length === 4) return [from, Number(second)]
  const to = Math.floor(from / 100) * 100 + Number(second)
  return [from, to < from ? to + 100 : to]
}
