/**
 * Bounds on the GraphQL document itself, checked before it is validated: validation, the caches and execution all cost
 * more than a document's sender does. Throws BAD_USER_INPUT.
 */
import { Kind, parse, type DocumentNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql'
import { badInput } from '../../../errors.js'

/** UTF-16 units of the document's text. Values belong into variables, which may be larger. */
const maxDocumentLength = 64 * 1_024
/** About 1 MB of syntax tree: measured, a token with its node takes 0.25 KB. */
export const maxTokens = 4_000
/** Levels of fields. The introspection query that tools send has 15; MaxIntrospectionDepthRule of graphql-js bounds its cycles. */
const maxDepth = 16
const maxRootFields = 50
/** Fields of one operation, those of a fragment counted wherever it is spread. */
const maxFields = 1_000
/**
 * Fields and fragments of one place that have the same name there, in all operations of a document: graphql-js compares each with each, arguments as text and what is below them
 * included, which takes up to 10 µs. As many as a hundred of one name have, or six of each of three hundred.
 */
const maxPairs = 5_000

export function checkDocumentText (source: string): void {
  if (source.length > maxDocumentLength) {
    throw badInput(`The query must be at most ${maxDocumentLength} characters; send values as variables`)
  }
  // Mercurius takes JSON for a ready-made syntax tree, which would pass by the parser and its limits.
  if (looksLikeJson.test(source)) throw badInput('Syntax Error: the query must be a GraphQL document')
}

/** How every JSON text begins, and no executable document does. */
const looksLikeJson = /^\s*(?:\{\s*["}]|[["\d-]|(?:true|false|null)\s*$)/

/** Parses what Mercurius would parse without our limits: the text of a subscription. Throws what its sender is to be told. */
export function parseWithinLimits (source: unknown): DocumentNode {
  if (typeof source !== 'string') throw badInput('The query must be a GraphQL document in text form')
  checkDocumentText(source)
  const document = parse(source, { maxTokens })
  checkDocument(document)
  return document
}

export function checkDocument (document: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const spread = new Set<string>()
  // Each operation is validated, whichever is asked for.
  let pairsOfAll = 0
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const { fields, rootFields, depth, pairs } = measure(definition.selectionSet, fragments, spread)
    if (depth > maxDepth) throw badInput(`An operation may be nested at most ${maxDepth} levels deep`)
    if (rootFields > maxRootFields) throw badInput(`An operation may select at most ${maxRootFields} root fields`)
    if (fields > maxFields) throw badInput(`An operation may select at most ${maxFields} fields`)
    pairsOfAll += pairs
    if (pairsOfAll > maxPairs) throw badInput('An operation selects the same fields or fragments too often at one place')
  }
  // Validation says so as well, but only after it has compared all that is in them.
  for (const name of fragments.keys()) if (!spread.has(name)) throw badInput(`Fragment "${name}" is never used.`)
}

/** Stops soon after the limits, so that fragments nested in fragments cost no more than they allow. Adds the names of those that it has met to `spread`. */
function measure (
  root: SelectionSetNode, fragments: Map<string, FragmentDefinitionNode>, spread: Set<string>
): { fields: number, rootFields: number, depth: number, pairs: number } {
  let fields = 0
  let depth = 0
  let rootFields = 0
  // Spreads count as well: a chain of empty fragments must come to an end, too.
  let steps = 0
  let pairs = 0
  const pending: Array<{ set: SelectionSetNode, level: number, place: Place }> = [{ set: root, level: 1, place: newPlace() }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { set, level, place } = next
    depth = Math.max(depth, level)
    if (depth > maxDepth) break
    for (const selection of set.selections) {
      if (++steps > 4 * maxFields) return { fields: Infinity, rootFields, depth, pairs }
      if (selection.kind === Kind.FIELD) {
        fields++
        if (level === 1) rootFields++
        const below = placeBelow(place, (selection.alias ?? selection.name).value)
        pairs += below.before++
        if (selection.selectionSet !== undefined) pending.push({ set: selection.selectionSet, level: level + 1, place: below })
      } else {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
        // An unknown fragment is for validation to report.
        if (fragment !== undefined) pending.push({ set: fragment.selectionSet, level, place })
        if (selection.kind === Kind.INLINE_FRAGMENT) continue
        spread.add(selection.name.value)
        pairs += place.spreads++
      }
    }
  }
  return { fields, rootFields, depth, pairs }
}

/** Where fields are merged: a path of names in the answer. */
interface Place {
  /** Selected so often until now. */
  before: number
  /** Fragments that are spread here until now. */
  spreads: number
  below: Map<string, Place>
}

const newPlace = (): Place => ({ before: 0, spreads: 0, below: new Map() })

function placeBelow ({ below }: Place, name: string): Place {
  const known = below.get(name)
  if (known !== undefined) return known
  const place = newPlace()
  below.set(name, place)
  return place
}
