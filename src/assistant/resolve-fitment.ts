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
/** How many values are looked at for those that are still possible. */
const maxChecked = 64
const naturally = new Intl.Collator('en', { numeric: true })

const valuesOf = (interpretation: Interpretation): FacetValue[] => Array.from(interpretation, ([facetId, value]) => ({ facetId, value }))

export async function resolveFitment (knowledge: FitmentKnowledge, { text, given, remembered }: FitmentQuestion): Promise<FitmentAnswer> {
  const { facets } = knowledge
  const words = new Map<string, KnownValue>()
  const nameOf = ({ facetId, value }: FacetValue): string => `${facetId}:${value}`

  /** null: some given value is none. */
  async function readQuestion (): Promise<Span[] | null> {
    const lookup = async (spellings: string[]): Promise<KnownValue[]> => (await knowledge.findBySpellings(spellings))
      .filter(({ facetId }) => facets.some(({ _id }) => _id === facetId))
    const spans: Span[] = []
    for (const { facetId, value } of given) {
      const options = await readValue(value, facetId, lookup)
      if (options.length === 0) return null
      spans.push({ text: value, options, isWeak: false })
    }
    if (text !== null) spans.push(...await readPhrase(text, lookup))
    for (const { options } of spans) for (const option of options) words.set(nameOf(option), option)
    return spans
  }

  const isPossible = async (interpretation: Interpretation): Promise<boolean> =>
    interpretation.size === 0 || await knowledge.firstWith(valuesOf(interpretation)) !== null

  async function possibleOf (interpretations: Interpretation[]): Promise<Interpretation[]> {
    const distinct = [...new Map(interpretations.map((each) => [JSON.stringify([...each].sort()), each])).values()].slice(0, maxInterpretations)
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
    return (await possibleOf(options.map(({ facetId, value }) => new Map([[facetId, value]])))).length > 0
  }

  /** Adds what was known before, as far as it does not contradict what is said now. */
  async function recall (interpretations: Interpretation[]): Promise<Interpretation[]> {
    const known = facets.flatMap(({ _id }) => remembered.filter(({ facetId }) => facetId === _id))
    if (known.length === 0) return interpretations
    const all = await possibleOf(interpretations.map((each) => new Map([...known.map(({ facetId, value }): [string, string] => [facetId, value]), ...each])))
    if (all.length === interpretations.length) return all
    let current = interpretations
    for (const { facetId, value } of known) {
      const possible = await possibleOf(current.map((each) => each.has(facetId) ? each : new Map([...each, [facetId, value]])))
      if (possible.length > 0) current = possible
    }
    return current
  }

  /** Values of a facet that a target has together with these; one more than anyone is told, at most. */
  async function stillPossible (interpretation: Interpretation, facetId: string): Promise<string[]> {
    const unread = valuesOf(interpretation).filter((value) => !words.has(nameOf(value)))
    for (const value of await knowledge.find(unread)) words.set(nameOf(value), value)
    const lists = valuesOf(interpretation).map((value) => words.get(nameOf(value))?.neighboursAt(facetId) ?? null).filter((list) => list !== null)
    const [first = await knowledge.valuesOf(facetId), ...others] = lists
    const seen = first.filter((value) => others.every((list) => list.includes(value))).sort(naturally.compare).slice(0, maxChecked)
    const possible: string[] = []
    for (let from = 0; from < seen.length && possible.length <= maxCandidates; from += maxCandidates + 1) {
      const chunk = seen.slice(from, from + maxCandidates + 1)
      const checks = await Promise.all(chunk.map(async (value) => await isPossible(new Map([...interpretation, [facetId, value]]))))
      possible.push(...chunk.filter((_, index) => checks[index]))
    }
    return possible.slice(0, maxCandidates + 1)
  }

  async function answer (possible: Interpretation[]): Promise<FitmentAnswer> {
    let interpretations = possible
    for (const facet of facets) {
      const open = await Promise.all(interpretations.map(async (each) => {
        const value = each.get(facet._id)
        return value === undefined ? await stillPossible(each, facet._id) : [value]
      }))
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

/** Each interpretation with each meaning of the span. Two strong words for one facet: either may be meant. */
function extend (interpretations: Interpretation[], { options, isWeak }: Span): Interpretation[] {
  const extended: Interpretation[] = []
  for (const each of interpretations) {
    for (const { facetId, value } of options) {
      const known = each.get(facetId)
      if (known === undefined || known === value) extended.push(new Map([...each, [facetId, value]]))
    }
  }
  if (extended.length > 0 || isWeak) return extended
  return [...interpretations, ...interpretations.flatMap((each) => options.map(({ facetId, value }) => new Map([...each, [facetId, value]])))]
}

/** What all interpretations have in common. */
function agreed (interpretations: Interpretation[]): FacetValue[] {
  const [first, ...others] = interpretations
  return first === undefined ? [] : valuesOf(first).filter(({ facetId, value }) => others.every((each) => each.get(facetId) === value))
}
