/** Interpretations of what a customer says: sets of values, one per facet. Here is what can be told of them without asking for targets. */
import type { FacetValue } from '../domain/fitment-target.js'
import type { Span } from './find-values.js'
import type { SaidSpan } from './read-phrase.js'

/** Facet id to value. */
export type Interpretation = ReadonlyMap<string, string>

export const maxInterpretations = 8

export const nameOf = ({ facetId, value }: FacetValue): string => `${facetId}:${value}`
export const valuesOf = (interpretation: Interpretation): FacetValue[] => Array.from(interpretation, ([facetId, value]) => ({ facetId, value }))
export const interpretationOf = (values: FacetValue[]): Interpretation => new Map(values.map(({ facetId, value }) => [facetId, value]))
export const hasOneOf = (interpretation: Interpretation, options: FacetValue[]): boolean => options.some(({ facetId, value }) => interpretation.get(facetId) === value)

/** All spans together, when each means one thing and no two the same facet. */
export function plainReading (spans: Span[]): Interpretation | null {
  const values = new Map<string, string>()
  for (const { options: [option, second] } of spans) {
    if (option === undefined || second !== undefined || (values.has(option.facetId) && values.get(option.facetId) !== option.value)) return null
    values.set(option.facetId, option.value)
  }
  return values
}

/** Each interpretation with each meaning of the span that it has room for. Made as they are asked for: nobody asks for all. */
export function * joins (interpretations: Interpretation[], { options }: Span): Generator<Interpretation> {
  for (const each of interpretations) {
    for (const { facetId, value } of options) {
      const known = each.get(facetId)
      if (known === undefined || known === value) yield new Map([...each, [facetId, value]])
    }
  }
}

/** The same; and of two strong words for one facet either may be meant. */
export function * extend (interpretations: Interpretation[], span: Span): Generator<Interpretation> {
  let isExtended = false
  for (const joined of joins(interpretations, span)) {
    isExtended = true
    yield joined
  }
  if (isExtended || span.isWeak) return
  yield * interpretations
  for (const each of interpretations) for (const { facetId, value } of span.options) yield new Map([...each, [facetId, value]])
}

/** The first that differ and are allowed, as many as are considered. */
export function firstDistinct (interpretations: Iterable<Interpretation>, isAllowed: (interpretation: Interpretation) => boolean): Interpretation[] {
  const distinct = new Map<string, Interpretation>()
  for (const each of interpretations) {
    if (!isAllowed(each)) continue
    distinct.set(JSON.stringify([...each].sort()), each)
    if (distinct.size === maxInterpretations) break
  }
  return [...distinct.values()]
}

/** What all interpretations have in common. */
export function agreed (interpretations: Interpretation[]): FacetValue[] {
  const [first, ...others] = interpretations
  return first === undefined ? [] : valuesOf(first).filter(({ facetId, value }) => others.every((each) => each.get(facetId) === value))
}

export const isNumber = ({ text }: Span): boolean => /^\d+$/.test(text)

/** It can name a vehicle. What is in doubt does where there is an "or" beside it ("a toyta or a civic"), but no short year ("12 or 13 inch"). */
export const isNaming = (span: SaidSpan): boolean => !span.isWeak || (span.among !== null && !/^\d\d?$/.test(span.text))

/** Whether more than one vehicle may be meant: two values of one facet, or an "or" between two values. Of years the interpretations tell as much. */
export function mayNameSeveral (spans: SaidSpan[]): boolean {
  const values = new Map<string, string>()
  return spans.filter(isNaming).some((span) => {
    const [option, second] = span.options
    if (span.among === 'others') return true
    if (option === undefined || second !== undefined || isNumber(span)) return false
    const known = values.get(option.facetId)
    values.set(option.facetId, option.value)
    return known !== undefined && known !== option.value
  })
}
