/** How many products of a result each brand and tag has. */

export interface FacetCount { value: string, count: number }
export interface SearchFacets { brands: FacetCount[], tags: FacetCount[] }

/** Of each; nobody chooses among more. */
const maxValues = 20

export function countFacets (products: ReadonlyArray<{ brandName: string, tags?: string[] | undefined }>): SearchFacets {
  const [brands, tags] = [new Map<string, number>(), new Map<string, number>()]
  for (const product of products) {
    countOne(brands, product.brandName)
    for (const tag of new Set(product.tags)) countOne(tags, tag)
  }
  return { brands: mostOf(brands), tags: mostOf(tags) }
}

function countOne (counts: Map<string, number>, value: string): void { counts.set(value, (counts.get(value) ?? 0) + 1) }

const mostOf = (counts: Map<string, number>): FacetCount[] =>
  Array.from(counts, ([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, maxValues)
