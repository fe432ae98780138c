/** A fitment facet: one question of the cascade, such as make, model or year (interface.md, Fitment facet). */
import { badInput } from '../errors.js'
import { readInput, wellFormed } from './read-input.js'
import { integer, text, type Reader } from './reader.js'

/** The document in `fitment_facets`. */
export interface FitmentFacetRecord {
  _id: string
  vendorId: string
  name: string
  /** Unique within the vendor. Targets know a facet by its `_id`, so that renaming it touches none of them. */
  slug: string
  /** From 0. Facets of one position are ordered by slug. */
  position: number
  /** About how many values targets have ever had here: which of two facets narrows a search down more. */
  valueCount: number
}

export type FitmentFacetFields = Pick<FitmentFacetRecord, 'name' | 'slug' | 'position'>

/** A cascade of more questions than this is none, and each costs the targets index entries. */
export const maxFitmentFacets = 50
const maxTextLength = 255
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const slug: Reader<string> = (value, faults) => {
  const read = text({ nonBlank: true, max: maxTextLength })(value, faults)
  if (typeof read === 'string' && !slugPattern.test(read)) {
    faults.push({ code: 'wrong-type', path: '', detail: 'lower-case letters and digits, with single hyphens between them' })
  }
  return read
}

const readers = { name: wellFormed(text({ nonBlank: true, max: maxTextLength })), slug, position: integer({ min: 0 }) }

/** The fields that were sent; none of them can be cleared. Throws BAD_USER_INPUT. */
export function readFacetChange (input: { name?: unknown, slug?: unknown, position?: unknown }): Partial<FitmentFacetFields> {
  return {
    ...(input.name === undefined ? {} : { name: readInput(readers.name, input.name, 'input.name') }),
    ...(input.slug === undefined ? {} : { slug: readInput(readers.slug, input.slug, 'input.slug') }),
    ...(input.position === undefined ? {} : { position: readInput(readers.position, input.position, 'input.position') })
  }
}

/** Throws BAD_USER_INPUT. */
export function readNewFacet (input: { name: unknown, slug: unknown, position: unknown }): FitmentFacetFields {
  const { name, slug, position } = readFacetChange(input)
  if (name === undefined || slug === undefined || position === undefined) throw badInput('name, slug and position are required', 'input')
  return { name, slug, position }
}

export const byPosition = (a: FitmentFacetFields, b: FitmentFacetFields): number =>
  a.position - b.position || (a.slug < b.slug ? -1 : 1)
