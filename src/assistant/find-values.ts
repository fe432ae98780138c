/**
 * Finds the values of facets in what a customer writes: "my 2019 honda civc" names a year, a make and, with a slip, a model.
 *
 * First whole values, the longest first, word by word or written together ("F 150", "f-150", "F150"). Then, among the words
 * that are left, nicknames, short years, typos and parts of values. What cannot be told apart (a word that is a value of
 * two facets) is left to whoever knows the targets.
 *
 * What a vocabulary can make of this is bounded: each value that was found is worked out once, each text looks only at the values that
 * share one of its forms, at most `maxOptions` of them, and between any two lots others go first.
 */
import { setImmediate } from 'node:timers/promises'
import type { FacetValue } from '../domain/fitment-target.js'
import { mayBeMistyped, partForm, spellingsOf, splitAtNumbers, squash, typoFormsOf, typosBetween, wholeForm } from '../domain/fitment-spelling.js'
import { splitWords } from '../domain/words.js'
import { isNegator } from './negations.js'
import type { Gram as Place } from './phrase-words.js'

/** What names a value. */
export interface Span {
  /** Without spaces. */
  text: string
  /** What they can mean, all as likely. */
  options: FacetValue[]
  /** May be nothing of the kind: it gives way to what contradicts it. */
  isWeak: boolean
}

/** Words of a text that name a value. */
export interface PlacedSpan extends Span, Place {}

export type Lookup = (spellings: string[]) => Promise<FacetValue[]>

const maxWordsPerValue = 6
const maxWordsPerSlip = 3
/** Of one text. Nobody means so many values by it. */
const maxOptions = 200
/** Some 10 µs each to work out; and some 2 ms for a text with as many options as it may have. */
const valuesPerTurn = 250
const textsPerTurn = 8

/** Never values by themselves, though they may be part of one ("Town and Country"). */
const fillers = new Set((
  'a about am an and any are be buy can car cars did do does drive driving for from get got had has have help hello hey hi how i if im in is it ' +
  'its ive just like looking make me mine model my need of on one or our own part parts please show some something thanks that the their there ' +
  'these this to trim truck us vehicle want was we what which will with work works would year you your'
).split(' '))
/** Values as often as not ("does it fit?"). */
const doubtful = new Set(['fit', 'go', 'up', 'new', 'old', 'size'])

const nicknames: Record<string, string> = {
  chevy: 'chevrolet', chev: 'chevrolet', vw: 'volkswagen', merc: 'mercedesbenz', mercedes: 'mercedesbenz', benz: 'mercedesbenz', beemer: 'bmw', bimmer: 'bmw', caddy: 'cadillac', landy: 'landrover'
}

/** The values of one facet that a text can mean; none: it is no value of it. */
export async function readValue (text: string, facetId: string, lookup: Lookup): Promise<FacetValue[]> {
  const exact = (await lookup([wholeForm(squashed(text))])).filter((known) => known.facetId === facetId)
  if (exact.length > 0) return exact.slice(0, maxOptions)
  const forms = slipForms(squashed(text))
  const known = (await lookup(forms)).filter((known) => known.facetId === facetId)
  return bestMeanings(squashed(text), forms, await bySpelling(known, new Set(forms)))?.options ?? []
}

/** A text of signs alone stands for itself. */
const squashed = (text: string): string => squash(text) === '' ? text : squash(text)

interface Gram extends Place { text: string }

function gramsOf (words: string[], taken: boolean[], maxLength: number): Gram[] {
  const grams: Gram[] = []
  for (let start = 0; start < words.length; start++) {
    for (let end = start + 1; end <= Math.min(start + maxLength, words.length) && taken[end - 1] === false; end++) {
      if (end - start === 1 && fillers.has(words[start] ?? '')) continue
      grams.push({ start, end, text: words.slice(start, end).join('') })
    }
  }
  return grams
}

/** Takes the words of a gram, unless one of them is taken. */
function take (taken: boolean[], { start, end }: Gram): boolean {
  if (taken.slice(start, end).includes(true)) return false
  taken.fill(true, start, end)
  return true
}

/** Whole values, and takes their words. */
export async function wholeValues (words: string[], taken: boolean[], lookup: Lookup): Promise<PlacedSpan[]> {
  const grams = gramsOf(words, taken, maxWordsPerValue)
  const meanings = groupBySquash(await lookup(grams.map(({ text }) => wholeForm(text))))
  return grams
    .filter((gram) => meanings.has(gram.text) && (!isNegated(words, gram) || meanings.get(gram.text)?.some(({ value }) => isWrittenSo(words, gram, value)) === true))
    .sort((a, b) => b.text.length - a.text.length || a.start - b.start)
    .filter((gram) => take(taken, gram))
    .map((gram) => ({ ...gram, options: meanings.get(gram.text)?.slice(0, maxOptions) ?? [], isWeak: isShort(gram.text) || doubtful.has(gram.text) }))
}

/** "Not a civic" names no Nota, "no limit" a No Limit. */
const isNegated = (words: string[], { start, end }: Gram): boolean => end - start > 1 && words.slice(start, end).some(isNegator)
const isWrittenSo = (words: string[], { start, end }: Gram, value: string): boolean =>
  splitAtNumbers(splitWords(value, end - start)).join(' ') === words.slice(start, end).join(' ')

const isShort = (text: string): boolean => text.length === 1 || (text.length === 2 && !/\d/.test(text))

function groupBySquash (values: FacetValue[]): Map<string, FacetValue[]> {
  const groups = new Map<string, FacetValue[]>()
  for (const value of values) addTo(groups, squash(value.value), value)
  return groups
}

function addTo<T> (groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

/** A value with its whole text squashed. */
interface Meaning { known: FacetValue, meant: string }

/** Values by those of their spellings that were asked for. */
async function bySpelling (values: FacetValue[], asked: ReadonlySet<string>): Promise<Map<string, Meaning[]>> {
  const meanings = new Map<string, Meaning[]>()
  for (const [index, known] of values.entries()) {
    if (index % valuesPerTurn === valuesPerTurn - 1) await setImmediate()
    const meaning = { known, meant: squash(known.value) }
    for (const spelling of spellingsOf(known.value)) if (asked.has(spelling)) addTo(meanings, spelling, meaning)
  }
  return meanings
}

/** Of the words that are not taken, those that name values with a slip or by a part. */
export async function slips (words: string[], taken: boolean[], lookup: Lookup): Promise<PlacedSpan[]> {
  const grams = gramsOf(words, taken, maxWordsPerSlip)
  if (grams.length === 0) return []
  const forms = new Map<string, string[]>()
  for (const { text } of grams) {
    if (forms.size % textsPerTurn === textsPerTurn - 1) await setImmediate()
    forms.set(text, slipForms(text))
  }
  const asked = new Set([...forms.values()].flat())
  const meanings = await bySpelling(await lookup([...asked]), asked)
  const best = new Map<string, Best>()
  let texts = 0
  for (const [text, formsOfText] of forms) {
    if (++texts % textsPerTurn === 0) await setImmediate()
    const found = bestMeanings(text, formsOfText, meanings)
    if (found !== null) best.set(text, found)
  }
  return grams
    .flatMap((gram) => {
      const found = best.get(gram.text)
      return found === undefined || isOthersNumber(words, taken, gram) ? [] : [{ gram, ...found }]
    })
    .sort((a, b) => a.doubt - b.doubt || b.gram.text.length - a.gram.text.length || a.gram.start - b.gram.start)
    .filter(({ gram }) => take(taken, gram))
    .map(({ gram, doubt, options }) => ({ ...gram, options, isWeak: doubt > 0 }))
}

/** In "F-350" the number belongs to the word before it, which is nothing that is known: it is no part of an "RX 350". */
function isOthersNumber (words: string[], taken: boolean[], { start, text }: Gram): boolean {
  const before = words[start - 1]
  return /^\d{3,}$/.test(text) && before !== undefined && taken[start - 1] === false && !fillers.has(before)
}

const isShortYear = (text: string): boolean => /^\d\d$/.test(text)

/** Parts last: a word may be part of more values than are looked at, and a typo is likelier. */
function slipForms (text: string): string[] {
  const nickname = nicknames[text]
  return [
    ...(nickname === undefined ? [] : [wholeForm(nickname)]),
    ...(isShortYear(text) ? [wholeForm(`20${text}`), wholeForm(`19${text}`)] : []),
    ...(mayBeMistyped(text) ? typoFormsOf(text) : []),
    partForm(text)
  ]
}

interface Best { doubt: number, options: FacetValue[] }

/** The likeliest of what a text can mean: nickname, one typo, part of a value, two typos or a short year. null: nothing. */
function bestMeanings (text: string, forms: string[], meanings: ReadonlyMap<string, Meaning[]>): Best | null {
  const parts = new Set(meanings.get(partForm(text)))
  let best: Best | null = null
  for (const meaning of candidatesFor(forms, meanings)) {
    const doubt = doubtOf(text, meaning.meant, parts.has(meaning))
    if (doubt === null || (best !== null && doubt > best.doubt)) continue
    if (best === null || doubt < best.doubt) best = { doubt, options: [] }
    best.options.push(meaning.known)
  }
  return best
}

/** As many as are looked at of the values that have one of these forms. */
function candidatesFor (forms: string[], meanings: ReadonlyMap<string, Meaning[]>): Set<Meaning> {
  const found = new Set<Meaning>()
  for (const form of forms) {
    for (const meaning of meanings.get(form) ?? []) {
      found.add(meaning)
      if (found.size === maxOptions) return found
    }
  }
  return found
}

function doubtOf (text: string, meant: string, isPart: boolean): number | null {
  if (nicknames[text] === meant) return 0
  if (isShortYear(text)) return meant === `20${text}` ? 1 : meant === `19${text}` ? 2 : isPart ? 3 : null
  const typos = mayBeMistyped(text) ? typosBetween(text, meant) : null
  if (typos === 1) return 1
  if (isPart) return 2
  return typos === null ? null : 3
}
