/**
 * Works out which target a customer means (decisions.md, "Assistant behaviour"), from what is said now and what was known
 * before, and if something is open, what to ask.
 *
 * What is known is kept as *interpretations*: sets of values, one per facet, that at least one target has. "2500" may be two
 * models, "2018 or 2019" is two years: then there are several, and the first facet in which they differ is the one to ask
 * about. A facet with one possible value left is filled in without asking. What a range of years says, and a "not", are conditions
 * on all of them.
 *
 *  - Words that contradict each other: NO_MATCH, unless one of them is in doubt anyway (a typo, a part of a value, two letters), or
 *    they name several vehicles (two models, or two values with an "or" between them): then it is asked which.
 *  - What is said now contradicts what was known: what was known gives way, facet by facet.
 *  - Nothing of what is said is a value: NO_MATCH; what was known stays.
 */
import type { FitmentFacetRecord } from '../domain/fitment-facet.js'
import type { FacetValue } from '../domain/fitment-target.js'
import type { PagedTarget } from '../store/fitment/fitment-pages.js'
import type { KnownValue } from '../store/fitment/fitment-vocabulary.js'
import { createConditions } from './conditions.js'
import { readValue, type Span } from './find-values.js'
import type { FitmentKnowledge } from './fitment-knowledge.js'
import {
  agreed, extend, firstDistinct, hasOneOf, interpretationOf, isNaming, isNumber, joins, maxInterpretations, mayNameSeveral, nameOf, plainReading, valuesOf, type Interpretation
} from './interpretations.js'
import { readPhrase, type Reading, type SaidSpan } from './read-phrase.js'

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

const maxCandidates = 8
const maxVehicles = 4
/** Of a span to what is known of a vehicle: each costs as many look-ups as there are interpretations. */
const maxJoins = 64
/** How many values of a facet are looked at for those that are still possible, and how many of all facets: there may be 50, none of whose values is. */
const maxChecked = 64
const maxChecks = 512
const naturally = new Intl.Collator('en', { numeric: true })

export async function resolveFitment (knowledge: FitmentKnowledge, { text, given, remembered }: FitmentQuestion): Promise<FitmentAnswer> {
  const { facets } = knowledge
  const known = new Map<string, KnownValue>()
  const facetIds = new Set(facets.map(({ _id }) => _id))
  let checksLeft = maxChecks
  let joinsLeft = maxJoins
  let conditions = createConditions({ said: [], denied: [], years: null })

  /** null: some given value is none. */
  async function readQuestion (): Promise<Reading | null> {
    const lookup = async (spellings: string[]): Promise<FacetValue[]> => (await knowledge.findBySpellings(spellings)).filter(({ facetId }) => facetIds.has(facetId))
    const spans: SaidSpan[] = []
    for (const { facetId, value } of given) {
      const options = await readValue(value, facetId, lookup)
      if (options.length === 0) return null
      spans.push({ text: value, options, isWeak: false, start: -1, end: -1, among: null })
    }
    if (text === null) return { said: spans, denied: [], years: null }
    const reading = await readPhrase(text, lookup)
    // Years that no target has any more are as good as unknown.
    const years = reading.years === null || await knowledge.firstWith([], reading.years.options) === null ? null : reading.years
    return { ...reading, said: [...spans, ...reading.said], years }
  }

  async function isPossible (interpretation: Interpretation): Promise<boolean> {
    if (conditions.isOfOtherYear(interpretation)) return false
    const { years } = conditions
    return interpretation.size === 0 || await knowledge.firstWith(valuesOf(interpretation), years === null || interpretation.has(years.facetId) ? [] : years.options) !== null
  }

  async function possibleOf (interpretations: Iterable<Interpretation>): Promise<Interpretation[]> {
    const distinct = firstDistinct(interpretations, (each) => !conditions.isDenied(each) && !conditions.isOfOtherYear(each))
    const possible = await Promise.all(distinct.map(isPossible))
    return distinct.filter((_, index) => possible[index])
  }

  /** null: what is said contradicts itself. */
  async function interpret (spans: SaidSpan[]): Promise<Interpretation[] | null> {
    const plain = plainReading(spans)
    if (plain !== null && (await possibleOf([plain])).length > 0) return [plain]
    const vehicles = mayNameSeveral(spans) ? await vehiclesOf(spans) : []
    if (vehicles.length > 1) return await possibleOf(vehicles.flatMap((each) => each.slice(0, maxInterpretations / vehicles.length)))
    let interpretations: Interpretation[] = [new Map()]
    for (const span of [...spans].sort((a, b) => Number(a.isWeak) - Number(b.isWeak))) {
      const possible = await possibleOf(extend(interpretations, span))
      if (possible.length > 0) interpretations = possible
      else if (!span.isWeak && await isValueOfAnyTarget(span)) return null
    }
    return interpretations
  }

  async function isValueOfAnyTarget ({ options }: Span): Promise<boolean> {
    return (await Promise.all(options.slice(0, maxInterpretations).map(async (option) => await knowledge.firstWith([option])))).some((target) => target !== null)
  }

  /**
   * The interpretations of each vehicle that is named. In the order of the text, a value that cannot belong to the vehicle before begins another;
   * then each has whatever else is said that can be true of it ("a civic or an accord of 2019").
   */
  async function vehiclesOf (spans: SaidSpan[]): Promise<Interpretation[][]> {
    const vehicles: Interpretation[][] = []
    const ordered = [...spans].sort((a, b) => Number(isNaming(b)) - Number(isNaming(a)) || a.start - b.start)
    for (const span of ordered.filter(isNaming)) {
      const last = vehicles.at(-1)
      const joined = last === undefined || span.among === 'others' ? [] : await join(last, span)
      if (joined.length > 0) vehicles[vehicles.length - 1] = joined
      else if (vehicles.length < maxVehicles && (last === undefined || span.among === 'others' || !isNumber(span))) {
        const another = await join([new Map()], span)
        if (another.length > 0) vehicles.push(another)
      }
    }
    for (const span of ordered) {
      for (const [index, vehicle] of vehicles.entries()) {
        const joined = await join(vehicle, span)
        if (joined.length > 0) vehicles[index] = joined
      }
    }
    return vehicles
  }

  async function join (interpretations: Interpretation[], span: Span): Promise<Interpretation[]> {
    if (interpretations.every((each) => hasOneOf(each, span.options))) return interpretations
    return joinsLeft-- > 0 ? await possibleOf(joins(interpretations, span)) : []
  }

  /** Adds what was known before, as far as it does not contradict what is said now. */
  async function recall (interpretations: Interpretation[]): Promise<Interpretation[]> {
    const before = facets.flatMap(({ _id }) => remembered.filter(({ facetId }) => facetId === _id && facetId !== conditions.years?.facetId))
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

  /** Values of a facet that a target has together with these; one more than anyone is told, at most. null: there are, but each is denied. */
  async function stillPossible (interpretation: Interpretation, facetId: string): Promise<string[] | null> {
    const unread = valuesOf(interpretation).filter((value) => !known.has(nameOf(value)))
    for (const value of await knowledge.find(unread)) known.set(nameOf(value), value)
    const sets = valuesOf(interpretation).map((value) => known.get(nameOf(value))?.neighboursAt(facetId) ?? null).filter((set) => set !== null)
    if (conditions.years?.facetId === facetId) sets.push(conditions.years.values)
    const [fewest = await knowledge.valuesOf(facetId), ...others] = sets.sort((a, b) => a.size - b.size)
    const seen = [...fewest].filter((value) => others.every((set) => set.has(value))).sort(naturally.compare).map((value) => new Map([...interpretation, [facetId, value]]))
    const allowed = await firstPossible(seen.filter((each) => !conditions.isDenied(each)))
    const isDenied = allowed.length === 0 && (await firstPossible(seen.filter(conditions.isDenied))).length > 0
    return isDenied ? null : allowed.map((each) => each.get(facetId) ?? '')
  }

  async function firstPossible (interpretations: Interpretation[]): Promise<Interpretation[]> {
    const seen = interpretations.slice(0, Math.min(maxChecked, checksLeft))
    const possible: Interpretation[] = []
    for (let from = 0; from < seen.length && possible.length <= maxCandidates; from += maxCandidates + 1) {
      const chunk = seen.slice(from, from + maxCandidates + 1)
      checksLeft -= chunk.length
      const checks = await Promise.all(chunk.map(isPossible))
      possible.push(...chunk.filter((_, index) => checks[index]))
    }
    return possible.slice(0, maxCandidates + 1)
  }

  /** null: whatever is possible is denied. */
  async function answer (possible: Interpretation[]): Promise<FitmentAnswer | null> {
    let interpretations = possible
    for (const facet of facets) {
      const open: string[][] = []
      const left: Interpretation[] = []
      // One after another: they share most of their values, and each is read once.
      for (const each of interpretations) {
        const value = each.get(facet._id)
        const values = value === undefined ? await stillPossible(each, facet._id) : [value]
        if (values === null) continue
        open.push(values)
        left.push(each)
      }
      if (left.length === 0) return null
      interpretations = left
      const candidates = [...new Set(open.flat())].sort(naturally.compare)
      const [only] = candidates
      if (candidates.length > 1) {
        return { status: 'NEEDS_FACET', facet, candidates: candidates.slice(0, maxCandidates), values: agreed(interpretations) }
      }
      if (only !== undefined) interpretations = interpretations.map((each, index) => open[index]?.length === 1 ? new Map([...each, [facet._id, only]]) : each)
    }
    const [values = []] = interpretations.map(valuesOf)
    const target = values.length === 0 ? null : await knowledge.firstOf(values) ?? await knowledge.firstWith(values)
    if (target === null) return await nothing()
    return conditions.isDenied(interpretationOf(target.facetValues)) ? null : { status: 'RESOLVED', target, values: agreed(interpretations) }
  }

  async function nothing (): Promise<FitmentAnswer> {
    return { status: await knowledge.hasTargets() ? 'NO_MATCH' : 'NOT_CONFIGURED', values: remembered }
  }

  const reading = await readQuestion()
  if (reading === null) return await nothing()
  conditions = createConditions(reading)
  const isAnswered = text !== null || given.length > 0
  if (isAnswered && reading.said.length === 0 && conditions.isEmpty) return await nothing()
  let interpretations = await interpret(reading.said)
  if (interpretations === null && reading.years?.isWeak === true) {
    conditions = createConditions({ ...reading, years: null })
    interpretations = await interpret(reading.said)
  }
  if (interpretations === null || (isAnswered && conditions.isEmpty && interpretations.every(({ size }) => size === 0))) return await nothing()
  // What is denied may follow from what is remembered, which gives way.
  return await answer(await recall(interpretations)) ?? await answer(interpretations) ?? await nothing()
}
