/**
 * External ids and store codes to internal ids, one look-up per kind and batch (decisions.md, "Links" and "Inventory per
 * location"). What is unknown is skipped or cleared with a warning; it never rejects a line.
 */
import { clip, maxFaults } from '../domain/issue.js'
import type { StoreLocationRecord } from '../domain/links.js'
import { ActiveLocations, type SentStock } from '../domain/stock.js'
import type { Envelope } from '../engine/envelope.js'
import { inOrder, perRecord, type Stage } from '../engine/stage.js'
import type { CoercedPatch, CoercedVariant } from './coerce-metafields.js'

/** What the stage asks for; store/catalog/links answers it. Unknown external ids are absent from the maps. */
export interface LinkLookup {
  fitmentTargetIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  sizeChartIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  /** Of which stock may be written from now on. */
  stockLocations (vendorId: string): Promise<Array<Pick<StoreLocationRecord, '_id' | 'storeCode' | 'isActive'>>>
}

/** Told once per code and job, with a count: a wrong code stands in every line of a file. */
export type OnUnknownStoreCode = (code: string, envelope: Envelope<unknown>, path: string) => void

export interface ResolvedLinks {
  /** Absent: not sent. */
  fitmentTargetIds?: string[]
  /** Absent: not sent. null: cleared. */
  sizeChartId?: string | null
}

export type ResolvedVariant = CoercedVariant & ResolvedLinks & { /** Absent: not sent. */ stock?: SentStock }
export type ResolvedPatch = Omit<CoercedPatch, 'variants'> & ResolvedLinks & { variants?: ResolvedVariant[] }

interface Found {
  fitmentTargets: Map<string, string>
  sizeCharts: Map<string, string>
  /** By store code; null: not active. */
  locations: Map<string, string | null>
  active: ActiveLocations
}

export const resolveLinks = (lookup: LinkLookup, vendorId: string, onUnknownStoreCode: OnUnknownStoreCode): Stage<CoercedPatch, ResolvedPatch> =>
  (batch, turn) => {
    const wanted: Wanted = { fitmentTargets: new Set(), sizeCharts: new Set(), locations: false }
    let found = nothing
    const collect = perRecord<CoercedPatch, CoercedPatch>((patch, { rejected }) => {
      if (!rejected) collectWanted(patch, wanted)
      return patch
    })
    const lookUp: Stage<CoercedPatch, CoercedPatch> = (batch) => {
      // Most batches link to nothing: no round trip, no await.
      if (wanted.fitmentTargets.size === 0 && wanted.sizeCharts.size === 0 && !wanted.locations) return batch
      return findLinks(lookup, vendorId, wanted).then((links) => {
        found = links
        return batch
      })
    }
    const resolve = perRecord<CoercedPatch, ResolvedPatch>((patch, envelope) => {
      if (!envelope.rejected) resolvePatch(patch, envelope, found, onUnknownStoreCode)
      return patch
    })
    return inOrder(collect, lookUp, resolve)(batch, turn)
  }

const nothing: Found = { fitmentTargets: new Map(), sizeCharts: new Map(), locations: new Map(), active: new ActiveLocations([], []) }

interface Wanted { fitmentTargets: Set<string>, sizeCharts: Set<string>, locations: boolean }

function collectWanted (patch: CoercedPatch, wanted: Wanted): void {
  const add = ({ fitmentTargetExternalIds, sizeChartExternalId }: CoercedPatch | CoercedVariant): void => {
    if (fitmentTargetExternalIds !== undefined) for (const id of fitmentTargetExternalIds) wanted.fitmentTargets.add(id)
    if (typeof sizeChartExternalId === 'string') wanted.sizeCharts.add(sizeChartExternalId)
  }
  add(patch)
  for (const variant of patch.variants ?? []) {
    add(variant)
    if (variant.inventoryByLocation !== undefined) wanted.locations = true
  }
}

async function findLinks (lookup: LinkLookup, vendorId: string, wanted: Wanted): Promise<Found> {
  const [fitmentTargets, sizeCharts, locations] = await Promise.all([
    lookup.fitmentTargetIds(vendorId, [...wanted.fitmentTargets]),
    lookup.sizeChartIds(vendorId, [...wanted.sizeCharts]),
    wanted.locations ? lookup.stockLocations(vendorId) : []
  ])
  const active = locations.filter(({ isActive }) => isActive)
  return {
    fitmentTargets,
    sizeCharts,
    locations: new Map(locations.map(({ _id, storeCode, isActive }) => [storeCode, isActive ? _id : null])),
    active: new ActiveLocations(active.map(({ _id }) => _id), active.map(({ storeCode }) => storeCode))
  }
}

function resolvePatch (patch: ResolvedPatch, envelope: Envelope<unknown>, found: Found, onUnknownStoreCode: OnUnknownStoreCode): void {
  resolveIds(patch, null, found, envelope)
  if (patch.variants === undefined) return
  for (const variant of patch.variants) {
    resolveIds(variant, variant, found, envelope)
    if (variant.inventoryByLocation !== undefined) {
      const path = `variants[${variant.index}].inventoryByLocation`
      variant.stock = resolveStock(variant.inventoryByLocation, found, (code) => {
        onUnknownStoreCode(code, envelope, path)
      })
    }
  }
}

/** `variant` is null for the product itself. */
function resolveIds (patch: ResolvedPatch | ResolvedVariant, variant: ResolvedVariant | null, found: Found, envelope: Envelope<unknown>): void {
  const { fitmentTargetExternalIds: targets, sizeChartExternalId: chart } = patch
  const path = (field: string): string => variant === null ? field : `variants[${variant.index}].${field}`
  if (targets !== undefined) {
    const ids = new Set<string>()
    targets.forEach((externalId, index) => {
      const id = found.fitmentTargets.get(externalId)
      if (id !== undefined) ids.add(id)
      // Of thousands of them a few are told: only for those the words are found.
      else if (envelope.warnings.length < maxFaults) envelope.warn({ code: 'unknown-fitment-target', path: path(`fitmentTargetExternalIds[${index}]`), detail: clip(externalId) })
    })
    patch.fitmentTargetIds = [...ids]
  }
  if (chart !== undefined) {
    patch.sizeChartId = chart === null ? null : found.sizeCharts.get(chart) ?? null
    if (chart !== null && patch.sizeChartId === null) {
      envelope.warn({ code: 'unknown-size-chart', path: path('sizeChartExternalId'), detail: clip(chart) })
    }
  }
}

function resolveStock (sent: Map<string, number>, { locations, active }: Found, onUnknown: (code: string) => void): SentStock {
  const units = new Map<string, number>()
  for (const [code, count] of sent) {
    const id = locations.get(code)
    if (id === undefined) onUnknown(code)
    else if (id !== null && count > 0) units.set(id, count)
  }
  return { active, units }
}
