/** What a text asks of every interpretation of it: that its year is in a range, and that it holds nothing that the customer does not have. */
import type { FacetValue } from '../domain/fitment-target.js'
import type { Span } from './find-values.js'
import { nameOf, valuesOf, type Interpretation } from './interpretations.js'
import type { Reading } from './read-phrase.js'

export interface Conditions {
  /** None at all: nothing was heard of that kind. */
  isEmpty: boolean
  /** The years of a range, and their facet. */
  years: { facetId: string, options: FacetValue[], values: ReadonlySet<string> } | null
  isOfOtherYear (interpretation: Interpretation): boolean
  isDenied (interpretation: Interpretation): boolean
}

export function createConditions ({ said, denied, years: range }: Pick<Reading, 'said' | 'denied' | 'years'>): Conditions {
  const names = ({ options }: Span): string[] => options.map(nameOf)
  const meant = new Set(said.flatMap(names))
  // "A civic, not the civic type r": it is a Civic all the same.
  const lots = denied.filter((lot) => !lot.every((span) => names(span).every((name) => meant.has(name)))).map((lot) => lot.map((span) => new Set(names(span))))
  const years = range === null ? null : { facetId: range.options[0]?.facetId ?? '', options: range.options, values: new Set(range.options.map(({ value }) => value)) }
  return {
    isEmpty: lots.length === 0 && years === null,
    years,
    isOfOtherYear (interpretation) {
      const year = years === null ? undefined : interpretation.get(years.facetId)
      return year !== undefined && years?.values.has(year) !== true
    },
    isDenied (interpretation) {
      const has = valuesOf(interpretation).map(nameOf)
      return lots.some((lot) => lot.every((denied) => has.some((name) => denied.has(name))))
    }
  }
}
