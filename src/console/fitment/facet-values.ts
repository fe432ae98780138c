/** A target's values by the slugs of their facets. */
import type { TargetFragment } from '../api/operations.js'

export const valuesOf = ({ facetValues }: Pick<TargetFragment, 'facetValues'>): Record<string, string> => (facetValues ?? {}) as Record<string, string>
