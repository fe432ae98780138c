/**
 * Works out which target a customer means (decisions.md, "Assistant behaviour"), from what is said now and what was known
 * before, and if something is open, what to ask.
 *
 * What is known is kept as *interpretations*: sets of values, one per facet, that at least one target has. "2500" may be two
 * models, "2018 or 2019" is two years: then there are several, and the first facet in which they differ is the one to ask
 * about. A facet with one possible value left is filled in without asking.
 *
 *  - Words that contradict each other: NO_MATCH, unless one of them is in doubt anyway (a typo, a part of a value, two letters).
 *  - What is said now contradicts what was known: what was known gives way, facet by facet.
 *  - Nothing of what is said is a value: NO_MATCH; what was known stays.
 */
import type { FitmentFacetRecord } from '../domain/fitment-facet.js'
import type { FacetValue } from '../domain/fitment-target.js'
import type { PagedTarget } from '../store/fitment-pages.js'
import type { KnownValue } from '../store/fitment-vocabulary.js'
import type { FitmentKnowledge } from './fitment-knowledge.js'
import { readPhrase, readValue, type Span } from './read-phrase.js'

export interface FitmentQuestion {
  text: string | null
  /** Values as they were given, not yet canonical. */
  given: FacetValue[]
  remembered: FacetValue[]
}

export type FitmentAnswer = { values: FacetValue[] } & (
  | { status: 'RESOLVED', target: PagedTarget }
  | { status: 'NEEDS_FACET', facet: FitmentFacetRecord, candidates: string[] }
  | { status: 'NO_MATCH' | 'NOT_CONFIGURED' }
)

/** Facet id to value. */
type Interpretation = ReadonlyMap<string, string>

const maxInterpretations = 8
const maxCandidates = 8
/** How many values of a facet are looked at for those that are still possible, and how many of all facets: there may be 50, none of whose values is. */
const maxChecked = 64
const maxChecks = 512
const naturally = new Intl.Collator('en', { numeric: true })

const valuesOf = (interpretation: Interpretation): FacetValue[] => Array.from(interpretation, ([facetId, value]) => ({ facetId, value }))

export async function resolveFitment (knowledge: FitmentKnowledge, { text, given, remembered }: FitmentQuestion): Promise<FitmentAnswer> {
  const { facets } = knowledge
  const known = new Map<string, KnownValue>()
  const facetIds = new Set(facets.map(({ _id }) => _id))
  let checksLeft = maxChecks
  const nameOf = ({ facetId, value }: FacetValue): string => `${facetId}:${value}`

  /** null: some given value is none. */
  async function readQuestion (): Promise<Span[] | null> {
    const lookup = async (spellings: string[]): Promise<FacetValue[]> => (await knowledge.findBySpellings(spellings)).filter(({ facetId }) => facetIds.has(facetId))
    const spans: Span[] = []
    for (const { facetId, value } of given) {
      const options = await readValue(value, facetId, lookup)
      if (options.length === 0) return null
      spans.push({ text: value, options, isWeak: false })
    }
    if (text !== null) spans.push(...await readPhrase(text, lookup))
    return spans
  }

  const isPossible = async (interpretation: Interpretation): Promise<boolean> =>
    interpretation.size === 0 || await knowledge.firstWith(valuesOf(interpretation)) !== null

  async function possibleOf (interpretations: Iterable<Interpretation>): Promise<Interpretation[]> {
    const distinct = firstDistinct(interpretations)
    const possible = await Promise.all(distinct.map(isPossible))
    return distinct.filter((_, index) => possible[index])
  }

  /** null: what is said contradicts itself. */
  async function interpret (spans: Span[]): Promise<Interpretation[] | null> {
    const plain = plainReading(spans)
    if (plain !== null && await isPossible(plain)) return [plain]
    let interpretations: Interpretation[] = [new Map()]
    for (const span of [...spans].sort((a, b) => Number(a.isWeak) - Number(b.isWeak))) {
      const possible = await possibleOf(extend(interpretations, span))
      if (possible.length > 0) interpretations = possible
      else if (!span.isWeak && await isValueOfAnyTarget(span)) return null
    }
    return interpretations
  }

  async function isValueOfAnyTarget ({ options }: Span): Promise<boolean> {
    return (await possibleOf(options.slice(0, maxInterpretations).map(({ facetId, value }) => new Map([[facetId, value]])))).length > 0
  }

  /** Adds what was known before, as far as it does not contradict what is said now. */
  async function recall (interpretations: Interpretation[]): Promise<Interpretation[]> {
    const before = facets.flatMap(({ _id }) => remembered.filter(({ facetId }) => facetId === _id))
    if (before.length === 0) return interpretations
    const all = await possibleOf(interpretations.map((each) => new Map([...before.map(({ facetId, value }): [string, string] => [facetId, value]), ...each])))
    if (all.length === interpretations.length) return all
    let current = interpretations
    for (const { facetId, value } of before) {
      const possible = await possibleOf(current.map((each) => each.has(facetId) ? each : new Map([...each, [facetId, value]])))
      if (possible.length > 0) current = possible
    }
    return current
  }

  /** Values of a facet that a target has together with these; one more than anyone is told, at most. */
  async function stillPossible (interpretation: Interpretation, facetId: string): Promise<string[]> {
    const unread = valuesOf(interpretation).filter((value) => !known.has(nameOf(value)))
    for (const value of await knowledge.find(unread)) known.set(nameOf(value), value)
    const sets = valuesOf(interpretation).map((value) => known.get(nameOf(value))?.neighboursAt(facetId) ?? null).filter((set) => set !== null)
    const [fewest = await knowledge.valuesOf(facetId), ...others] = sets.sort((a, b) => a.size - b.size)
    const seen = [...fewest].filter((value) => others.every((set) => set.has(value))).sort(naturally.compare).slice(0, Math.min(maxChecked, checksLeft))
    const possible: string[] = []
    for (let from = 0; from < seen.length && possible.length <= maxCandidates; from += maxCandidates + 1) {
      const chunk = seen.slice(from, from + maxCandidates + 1)
      checksLeft -= chunk.length
      const checks = await Promise.all(chunk.map(async (value) => await isPossible(new Map([...interpretation, [facetId, value]]))))
      possible.push(...chunk.filter((_, index) => checks[index]))
    }
    return possible.slice(0, maxCandidates + 1)
  }

  async function answer (possible: Interpretation[]): Promise<FitmentAnswer> {
    let interpretations = possible
    for (const facet of facets) {
      const open: string[][] = []
      // One after another: they share most of their values, and each is read once.
      for (const each of interpretations) {
        const value = each.get(facet._id)
        open.push(value === undefined ? await stillPossible(each, facet._id) : [value])
      }
      const candidates = [...new Set(open.flat())].sort(naturally.compare)
      const [only] = candidates
      if (candidates.length > 1) {
        return { status: 'NEEDS_FACET', facet, candidates: candidates.slice(0, maxCandidates), values: agreed(interpretations) }
      }
      if (only !== undefined) interpretations = interpretations.map((each, index) => open[index]?.length === 1 ? new Map([...each, [facet._id, only]]) : each)
    }
    const [values = []] = interpretations.map(valuesOf)
    const target = values.length === 0 ? null : await knowledge.firstOf(values) ?? await knowledge.firstWith(values)
    return target === null ? await nothing() : { status: 'RESOLVED', target, values: agreed(interpretations) }
  }

  async function nothing (): Promise<FitmentAnswer> {
    return { status: await knowledge.hasTargets() ? 'NO_MATCH' : 'NOT_CONFIGURED', values: remembered }
  }

  const spans = await readQuestion()
  if (spans === null) return await nothing()
  const isAnswered = text !== null || given.length > 0
  if (spans.length === 0 && isAnswered) return await nothing()
  const interpretations = await interpret(spans)
  if (interpretations === null || (isAnswered && interpretations.every(({ size }) => size === 0))) return await nothing()
  return await answer(await recall(interpretations))
}

/** All spans together, when each means one thing and no two the same facet. */
function plainReading (spans: Span[]): Interpretation | null {
  const values = new Map<string, string>()
  for (const { options: [option, second] } of spans) {
    if (option === undefined || second !== undefined || (values.has(option.facetId) && values.get(option.facetId) !== option.value)) return null
    values.set(option.facetId, option.value)
  }
  return values
}

/** Each interpretation with each meaning of the span. Two strong words for one facet: either may be meant. Made as they are asked for: nobody asks for all. */
function * extend (interpretations: Interpretation[], { options, isWeak }: Span): Generator<Interpretation> {
  let isExtended = false
  for (const each of interpretations) {
    for (const { facetId, value } of options) {
      const known = each.get(facetId)
      if (known !== undefined && known !== value) continue
      isExtended = true
      yield new Map([...each, [facetId, value]])
    }
  }
  if (isExtended || isWeak) return
  yield * interpretations
  for (const each of interpretations) for (const { facetId, value } of options) yield new Map([...each, [facetId, value]])
}

/** The first that differ, as many as are considered. */
function firstDistinct (interpretations: Iterable<Interpretation>): Interpretation[] {
  const distinct = new Map<string, Interpretation>()
  for (const each of interpretations) {
    distinct.set(JSON.stringify([...each].sort()), each)
    if (distinct.size === maxInterpretations) break
  }
  return [...distinct.values()]
}

/** What all interpretations have in common. */
function agreed (interpretations: Interpretation[]): FacetValue[] {
  const [first, ...others] = interpretations
  return first === undefined ? [] : valuesOf(first).filter(({ facetId, value }) => others.every((each) => each.get(facetId) === value))
}
