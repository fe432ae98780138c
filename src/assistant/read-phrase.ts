/**
 * Reads what a customer writes: the values that are meant (find-values), those that are said not to be meant (negations), and
 * ranges of years (year-ranges). Words that belong to a value that was found whole say nothing else: a catalog may sell a
 * "No Limit", and "2015-2018" may be a value.
 */
import { squash, wholeForm } from '../domain/fitment-spelling.js'
import type { FacetValue } from '../domain/fitment-target.js'
import { slips, wholeValues, type Lookup, type PlacedSpan, type Span } from './find-values.js'
import { findNegations, isLinking, reachOf } from './negations.js'
import { isBreak, wordsOf, type Gram, type Word } from './phrase-words.js'
import { findYearRanges, type YearRange } from './year-ranges.js'

export interface SaidSpan extends PlacedSpan {
  /** Whether it is one of several, with an "or" or "and" between them. */
  among: 'first' | 'others' | null
}

export interface Reading {
  /** The likeliest first. */
  said: SaidSpan[]
  /** What is not meant, each lot of values as a whole. */
  denied: Span[][]
  /** The years that are meant, where a range is said: all of one facet. */
  years: Pick<Span, 'options' | 'isWeak'> | null
}

const connectors = new Set(['or', 'and', 'oder', 'und', 'ou', 'et', 'o', 'y'])

export async function readPhrase (phrase: string, lookup: Lookup): Promise<Reading> {
  const words = wordsOf(phrase)
  const texts = words.map(({ text }) => text)
  const taken = new Array<boolean>(words.length).fill(false)
  const whole = await wholeValues(texts, taken, lookup)
  const unnamed = withoutNames(words, whole)
  const ranges = await findValuesOf(findYearRanges(unnamed), lookup)
  const negations = findNegations(unnamed)
  const understood: Gram[] = [...ranges, ...negations]
  for (const { start, end } of understood) taken.fill(true, start, end)
  const values = [...whole.filter((span) => !understood.some((other) => overlap(span, other))), ...ranges, ...await slips(texts, taken, lookup)]
  const byStart = new Map(values.map((span) => [span.start, span]))
  const reaches = negations.map((negation) => reachOf(words, negation, byStart))
  const denied = reaches.flatMap(({ denied }) => denied)
  const unsaid = new Set<Span>([...denied.flat(), ...reaches.flatMap(({ passed }) => passed)])
  const meant = values.filter((span) => !unsaid.has(span))
  return { ...withYears(amongOthers(words, meant.filter((span) => !ranges.includes(span))), ranges.filter((span) => !unsaid.has(span))), denied }
}

const overlap = (a: Gram, b: Gram): boolean => a.start < b.end && b.start < a.end

/** Without what belongs to values, but for short ones (a "no" may be the value of a facet) and years. */
function withoutNames (words: Word[], whole: PlacedSpan[]): Word[] {
  const names = whole.filter(({ text, isWeak, start, end }) => !isWeak && !(end - start === 1 && /^\d{4}$/.test(text)))
  return words.map((word, at) => names.some(({ start, end }) => start <= at && at < end) ? { ...word, text: '' } : word)
}

/** Ranges in which there are values. */
async function findValuesOf (ranges: YearRange[], lookup: Lookup): Promise<PlacedSpan[]> {
  const years = new Set(ranges.flatMap(({ from, to }) => Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)))
  if (years.size === 0) return []
  const known = (await lookup([...years].map((year) => wholeForm(String(year))))).map((option) => ({ option, year: Number(squash(option.value)) }))
  return ranges
    .map(({ from, to, ...range }) => ({ ...range, text: `${from}-${to}`, options: known.filter(({ year }) => from <= year && year <= to).map(({ option }) => option) }))
    .filter(({ options }) => options.length > 0)
}

function amongOthers (words: Word[], spans: PlacedSpan[]): SaidSpan[] {
  const among = new Map<PlacedSpan, 'first' | 'others'>()
  words.forEach((word, at) => {
    const first = spans.find(({ end }) => end === at)
    if (first === undefined || !connectors.has(word.text)) return
    let next = at + 1
    while (isLinking(words[next]?.text ?? '') && !spans.some(({ start }) => start === next)) next++
    const other = spans.find(({ start }) => start === next)
    if (other === undefined || words.slice(at, next).some(isBreak)) return
    if (!among.has(first)) among.set(first, 'first')
    among.set(other, 'others')
  })
  return spans.map((span) => ({ ...span, among: among.get(span) ?? null }))
}

/** Years said one by one belong to a range that is said beside them, unless that may be anything else ("15-20 dollars"). */
function withYears (said: SaidSpan[], ranges: PlacedSpan[]): Pick<Reading, 'said' | 'years'> {
  const facetId = commonFacet(ranges.flatMap(({ options }) => options))
  if (facetId === null) return { said, years: null }
  const isYear = (span: Span): boolean => !span.isWeak && span.options.every((option) => option.facetId === facetId)
  const isWeak = ranges.every((range) => range.isWeak)
  const single = said.filter(isYear)
  if (isWeak && single.length > 0) return { said, years: null }
  const options = [...ranges, ...single].flatMap(({ options }) => options).filter((option) => option.facetId === facetId)
  return { said: said.filter((span) => !isYear(span)), years: { options, isWeak } }
}

/** A year may be the name of a model, too; a range of them is of the facet that has the most. */
function commonFacet (options: FacetValue[]): string | null {
  const counts = new Map<string, number>()
  for (const { facetId } of options) counts.set(facetId, (counts.get(facetId) ?? 0) + 1)
  const [first] = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
  return first?.[0] ?? null
}
