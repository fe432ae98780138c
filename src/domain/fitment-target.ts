/**
 * A fitment target: what products fit, such as one vehicle (interface.md, Fitment target).
 *
 * Values are kept by the facet's id, and an automatic label is made when it is read. So a facet that is renamed, moved or
 * deleted shows in every target at once, whatever crashes in between; what a deleted facet leaves behind in the
 * documents is invisible, and swept later.
 *
 *   label   omitted            null           a string
 *   create  automatic          automatic      custom
 *   update  as it was,         cleared        custom
 *           or automatic when
 *           the values change
 */
import { hash } from 'node:crypto'
import { badInput } from '../errors.js'
import type { FitmentFacetRecord } from './fitment-facet.js'
import { readInput, wellFormed } from './read-input.js'
import { isRecord, text } from './reader.js'

export interface FacetValue { facetId: string, value: string }

export interface FitmentTargetRecord {
  /** See targetId: ids of a vendor are in the order of creation. */
  _id: string
  vendorId: string
  externalId: string
  /** See externalKey. Unique. */
  externalKey: string
  /** The number in `_id`, for indexes that begin with something else. */
  order: number
  /** What `label: automatic` shows is made when it is read. */
  label: { kind: 'automatic' } | { kind: 'cleared' } | { kind: 'custom', text: string }
  facetValues: FacetValue[]
  /** See filterKeysOf. */
  keys: string[]
  /** +1 with every write; replacements are filtered by it. */
  revision: number
}

/** As the API shows it. */
export interface ShownTarget { id: string, externalId: string, label: string | null, facetValues: Record<string, string> }

/** Absent: not sent. */
export interface TargetPatch { externalId?: string, label?: string | null, facetValues?: FacetValue[] }
export type NewTarget = TargetPatch & { externalId: string, facetValues: FacetValue[] }

const maxTextLength = 255
const maxLabelLength = 1_000
/** Each pair of values is an index entry. */
export const maxFacetValues = 10

const externalId = wellFormed(text({ nonBlank: true, max: maxTextLength }))
const label = wellFormed(text({ nonBlank: true, max: maxLabelLength }))
const value = wellFormed(text({ nonBlank: true, max: maxTextLength }))

/** `path` stands before the fields in messages: `input`, `input.targets[3]`. Throws BAD_USER_INPUT. */
export function readTargetPatch (
  input: { externalId?: unknown, label?: unknown, facetValues?: unknown }, facets: FitmentFacetRecord[], path: string
): TargetPatch {
  return {
    ...(input.externalId === undefined ? {} : { externalId: readInput(externalId, input.externalId, `${path}.externalId`) }),
    ...(input.label === undefined ? {} : { label: input.label === null ? null : readInput(label, input.label, `${path}.label`) }),
    ...(input.facetValues === undefined ? {} : { facetValues: readFacetValues(input.facetValues, facets, `${path}.facetValues`) })
  }
}

/** Throws BAD_USER_INPUT. */
export function readNewTarget (
  input: { externalId: unknown, label?: unknown, facetValues: unknown }, facets: FitmentFacetRecord[], path: string
): NewTarget {
  const { externalId, facetValues, ...rest } = readTargetPatch(input, facets, path)
  if (externalId === undefined || facetValues === undefined) throw badInput(`${path} needs externalId and facetValues`, path)
  return { ...rest, externalId, facetValues }
}

function readFacetValues (input: unknown, facets: FitmentFacetRecord[], path: string): FacetValue[] {
  if (!isRecord(input)) throw badInput(`${path} must be an object of facet slugs and values`, path)
  const entries = Object.entries(input)
  if (entries.length === 0) throw badInput(`${path} must have at least one entry`, path)
  if (entries.length > maxFacetValues) throw badInput(`${path} must have at most ${maxFacetValues} entries`, path)
  const ids = new Map(facets.map(({ slug, _id }) => [slug, _id]))
  return sorted(entries.map(([slug, sent]) => {
    const facetId = ids.get(slug)
    if (facetId === undefined) throw badInput(`${path} names a facet that does not exist: ${JSON.stringify(slug.slice(0, maxTextLength))}`, path)
    return { facetId, value: readInput(value, sent, `${path}.${slug}`) }
  }))
}

/** The values that a target must have; null when no target can: a facet that does not exist has no values. Throws BAD_USER_INPUT. */
export function readTargetFilter (input: unknown, facets: FitmentFacetRecord[]): FacetValue[] | null {
  const path = 'input.facetValues'
  if (input === null) return []
  if (!isRecord(input)) throw badInput(`${path} must be an object of facet slugs and values`, path)
  const ids = new Map(facets.map(({ slug, _id }) => [slug, _id]))
  const values: FacetValue[] = []
  for (const [slug, sent] of Object.entries(input)) {
    if (typeof sent !== 'string') throw badInput(`${path} must hold strings`, path)
    const facetId = ids.get(slug)
    if (facetId === undefined) return null
    values.push({ facetId, value: sent })
  }
  return values.length > maxFacetValues ? null : values
}

/** By facet id, so that the same values are always the same list. */
const sorted = (values: FacetValue[]): FacetValue[] => values.sort((a, b) => a.facetId < b.facetId ? -1 : 1)

export const sameValues = (a: FacetValue[], b: FacetValue[]): boolean =>
  a.length === b.length && a.every(({ facetId, value }, index) => facetId === b[index]?.facetId && value === b[index]?.value)

export function newTarget (vendorId: string, order: number, { externalId, label, facetValues }: NewTarget): FitmentTargetRecord {
  return {
    _id: targetId(vendorId, order),
    vendorId,
    externalId,
    externalKey: externalKey(vendorId, externalId),
    order,
    label: typeof label === 'string' ? { kind: 'custom', text: label } : { kind: 'automatic' },
    facetValues,
    keys: filterKeysOf(vendorId, facetValues),
    revision: 1
  }
}

/** The target after a change; the very same object when nothing changes. */
export function changeTarget (target: FitmentTargetRecord, patch: TargetPatch): FitmentTargetRecord {
  const externalId = patch.externalId ?? target.externalId
  const valuesChange = patch.facetValues !== undefined && !sameValues(patch.facetValues, target.facetValues)
  const facetValues = valuesChange ? patch.facetValues ?? [] : target.facetValues
  const label = changeLabel(target.label, patch.label, valuesChange)
  const labelChanges = label.kind !== target.label.kind || (label.kind === 'custom' && target.label.kind === 'custom' && label.text !== target.label.text)
  if (externalId === target.externalId && !valuesChange && !labelChanges) return target
  return {
    ...target,
    externalId,
    externalKey: externalKey(target.vendorId, externalId),
    label,
    facetValues,
    keys: filterKeysOf(target.vendorId, facetValues),
    revision: target.revision + 1
  }
}

function changeLabel (old: FitmentTargetRecord['label'], sent: string | null | undefined, valuesChange: boolean): FitmentTargetRecord['label'] {
  if (typeof sent === 'string') return { kind: 'custom', text: sent }
  if (sent === null) return { kind: 'cleared' }
  return valuesChange ? { kind: 'automatic' } : old
}

/** `facets` are the vendor's, by position. Values of a facet that is gone are left out. */
export function showTarget (
  { _id, externalId, label, facetValues }: Pick<FitmentTargetRecord, '_id' | 'externalId' | 'label' | 'facetValues'>, facets: FitmentFacetRecord[]
): ShownTarget {
  const known = new Map(facetValues.map(({ facetId, value }) => [facetId, value]))
  const shown = facets.flatMap(({ _id, slug }): Array<[string, string]> => {
    const value = known.get(_id)
    return value === undefined ? [] : [[slug, value]]
  })
  const automatic = shown.length === 0 ? null : shown.map(([, value]) => value).join(' ')
  return {
    id: _id,
    externalId,
    label: label.kind === 'automatic' ? automatic : label.kind === 'custom' ? label.text : null,
    facetValues: Object.fromEntries(shown)
  }
}

const digest = (...parts: string[]): string => hash('sha256', parts.join('\0'), 'base64url')

/** 66 bits of the vendor, so that the ids of one vendor are a range of `_id`. */
const idPrefix = (vendorId: string): string => digest(vendorId).slice(0, 11)
const orderDigits = 8

export const targetId = (vendorId: string, order: number): string => `${idPrefix(vendorId)}${order.toString(36).padStart(orderDigits, '0')}`

/** The number of an id that this vendor's targets can have; null for any other text. */
export function orderOf (vendorId: string, id: string): number | null {
  const match = id.length === 11 + orderDigits && id.startsWith(idPrefix(vendorId)) ? /^[0-9a-z]+$/.exec(id.slice(11)) : null
  return match === null ? null : Number.parseInt(match[0], 36)
}

/** One field that stands for vendor and external id: one index entry to look up, many at a time. */
export const externalKey = (vendorId: string, externalId: string): string => digest(vendorId, externalId).slice(0, 22)

/**
 * Stands for one or two values that a target has; with more, two find candidates and the rest is compared. 96 bits, the
 * vendor's id among them: a key reaches no other vendor's target.
 */
export function filterKey (vendorId: string, values: FacetValue[]): string {
  return digest(vendorId, JSON.stringify(sorted([...values]).map(({ facetId, value }) => [facetId, value]))).slice(0, 16)
}

/** Every value alone and every pair of values: a filter by any facets begins with one equality in an index. */
export function filterKeysOf (vendorId: string, values: FacetValue[]): string[] {
  return values.flatMap((first, index) => [
    filterKey(vendorId, [first]),
    ...values.slice(index + 1).map((second) => filterKey(vendorId, [first, second]))
  ])
}
