/**
 * External ids and store codes to internal ids, one look-up per kind and batch (decisions.md, "Links" and "Inventory per
 * location"). What is unknown is skipped or cleared with a warning; it never rejects a line.
 */
import { clip, type Warning } from '../domain/issue.js'
import type { StoreLocationRecord } from '../domain/links.js'
import type { LocationQuantity } from '../domain/product.js'
import type { Batch, Envelope } from '../engine/envelope.js'
import type { Stage } from '../engine/stage.js'
import type { CoercedPatch, CoercedVariant } from './coerce-metafields.js'

/** What the stage asks for; store/links answers it. Unknown external ids are absent from the maps. */
export interface LinkLookup {
  fitmentTargetIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  sizeChartIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  storeLocations (vendorId: string): Promise<Array<Pick<StoreLocationRecord, '_id' | 'storeCode' | 'isActive'>>>
}

/** Told once per code and job, with a count: a wrong code stands in every line of a file. */
export type OnUnknownStoreCode = (code: string, envelope: Envelope<unknown>, path: string) => void

export interface ResolvedLinks {
  /** Absent: not sent. */
  fitmentTargetIds?: string[]
  /** Absent: not sent. null: cleared. */
  sizeChartId?: string | null
}

type Unresolved = 'fitmentTargetExternalIds' | 'sizeChartExternalId'
export type ResolvedVariant = Omit<CoercedVariant, Unresolved | 'inventoryByLocation'> & ResolvedLinks &
{ /** One entry per active location. Absent: not sent. */ locationQuantities?: LocationQuantity[] }
export type ResolvedPatch = Omit<CoercedPatch, Unresolved | 'variants'> & ResolvedLinks & { variants?: ResolvedVariant[] }

interface Found {
  fitmentTargets: Map<string, string>
  sizeCharts: Map<string, string>
  locations: Array<Pick<StoreLocationRecord, '_id' | 'storeCode' | 'isActive'>>
  storeCodes: Set<string>
}

export const resolveLinks = (lookup: LinkLookup, vendorId: string, onUnknownStoreCode: OnUnknownStoreCode): Stage<CoercedPatch, ResolvedPatch> =>
  (batch) => {
    const wanted = collectWanted(batch)
    const finish = (found: Found): Batch<ResolvedPatch> => resolveBatch(batch, found, onUnknownStoreCode)
    // Most batches link to nothing: no round trip, no await.
    if (wanted.fitmentTargets.size === 0 && wanted.sizeCharts.size === 0 && !wanted.locations) return finish(nothing)
    return lookUp(lookup, vendorId, wanted).then(finish)
  }

const nothing: Found = { fitmentTargets: new Map(), sizeCharts: new Map(), locations: [], storeCodes: new Set() }

interface Wanted { fitmentTargets: Set<string>, sizeCharts: Set<string>, locations: boolean }

function collectWanted (batch: Batch<CoercedPatch>): Wanted {
  const wanted: Wanted = { fitmentTargets: new Set(), sizeCharts: new Set(), locations: false }
  const add = ({ fitmentTargetExternalIds, sizeChartExternalId }: Pick<CoercedPatch, Unresolved>): void => {
    if (fitmentTargetExternalIds !== undefined) for (const id of fitmentTargetExternalIds) wanted.fitmentTargets.add(id)
    if (typeof sizeChartExternalId === 'string') wanted.sizeCharts.add(sizeChartExternalId)
  }
  for (const { value, rejected } of batch) {
    if (value === null || rejected) continue
    add(value)
    for (const variant of value.variants ?? []) {
      add(variant)
      if (variant.inventoryByLocation !== undefined) wanted.locations = true
    }
  }
  return wanted
}

async function lookUp (lookup: LinkLookup, vendorId: string, wanted: Wanted): Promise<Found> {
  const [fitmentTargets, sizeCharts, locations] = await Promise.all([
    lookup.fitmentTargetIds(vendorId, [...wanted.fitmentTargets]),
    lookup.sizeChartIds(vendorId, [...wanted.sizeCharts]),
    wanted.locations ? lookup.storeLocations(vendorId) : []
  ])
  return { fitmentTargets, sizeCharts, locations, storeCodes: new Set(locations.map(({ storeCode }) => storeCode)) }
}

function resolveBatch (batch: Batch<CoercedPatch>, found: Found, onUnknownStoreCode: OnUnknownStoreCode): Batch<ResolvedPatch> {
  for (const envelope of batch as Batch<unknown>) {
    if (envelope.value !== null && !envelope.rejected) {
      envelope.value = resolvePatch(envelope.value as CoercedPatch, envelope, found, onUnknownStoreCode)
    }
  }
  return batch
}

function resolvePatch (
  patch: CoercedPatch, envelope: Envelope<unknown>, found: Found, onUnknownStoreCode: OnUnknownStoreCode
): ResolvedPatch {
  const warn = (warning: Warning): void => { envelope.warn(warning) }
  const { fitmentTargetExternalIds, sizeChartExternalId, variants, ...rest } = patch
  const resolved: ResolvedPatch = { ...rest, ...resolveIds(fitmentTargetExternalIds, sizeChartExternalId, '', found, warn) }
  if (variants !== undefined) {
    resolved.variants = variants.map(({ fitmentTargetExternalIds, sizeChartExternalId, inventoryByLocation, ...variant }) => {
      const at = `variants[${variant.index}].`
      return {
        ...variant,
        ...resolveIds(fitmentTargetExternalIds, sizeChartExternalId, at, found, warn),
        ...(inventoryByLocation === undefined
          ? {}
          : {
              locationQuantities: resolveQuantities(inventoryByLocation, found, (code) => {
                onUnknownStoreCode(code, envelope, `${at}inventoryByLocation`)
              })
            })
      }
    })
  }
  return resolved
}

function resolveIds (
  targets: string[] | undefined, chart: string | null | undefined, at: string, found: Found, warn: (warning: Warning) => void
): ResolvedLinks {
  const links: ResolvedLinks = {}
  if (targets !== undefined) {
    const ids = new Set<string>()
    targets.forEach((externalId, index) => {
      const id = found.fitmentTargets.get(externalId)
      if (id !== undefined) ids.add(id)
      else warn({ code: 'unknown-fitment-target', path: `${at}fitmentTargetExternalIds[${index}]`, detail: clip(externalId) })
    })
    links.fitmentTargetIds = [...ids]
  }
  if (chart !== undefined) {
    links.sizeChartId = chart === null ? null : found.sizeCharts.get(chart) ?? null
    if (chart !== null && links.sizeChartId === null) {
      warn({ code: 'unknown-size-chart', path: `${at}sizeChartExternalId`, detail: clip(chart) })
    }
  }
  return links
}

function resolveQuantities (sent: Map<string, number>, found: Found, onUnknown: (code: string) => void): LocationQuantity[] {
  for (const code of sent.keys()) if (!found.storeCodes.has(code)) onUnknown(code)
  return found.locations
    .filter(({ isActive }) => isActive)
    .map(({ _id, storeCode }) => ({ locationId: _id, quantity: sent.get(storeCode) ?? 0 }))
}
