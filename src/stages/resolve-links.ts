/**
 * External ids and store codes to internal ids, one look-up per kind and batch (decisions.md, "Links" and "Inventory per
 * location"). What is unknown is skipped or cleared with a warning; it never rejects a line.
 */
import { clip, maxFaults } from '../domain/issue.js'
import type { StoreLocationRecord } from '../domain/links.js'
import { ActiveLocations, type SentStock } from '../domain/stock.js'
import type { Envelope } from '../engine/envelope.js'
import { changeRecords, inOrder, type Stage } from '../engine/stage.js'
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

type Resolving = Found & { onUnknownStoreCode: OnUnknownStoreCode }

export const resolveLinks = (lookup: LinkLookup, vendorId: string, onUnknownStoreCode: OnUnknownStoreCode): Stage<CoercedPatch, ResolvedPatch> =>
  (batch, turn) => {
    const wanted: Wanted = { fitmentTargets: new Set(), sizeCharts: new Set(), locations: false }
    let found = nothing
    const collect: Stage<CoercedPatch, CoercedPatch> = (batch, turn) => changeRecords(batch, turn, collectWanted, wanted)
    const lookUp: Stage<CoercedPatch, CoercedPatch> = (batch) => {
      // Most batches link to nothing: no round trip, no await.
      if (wanted.fitmentTargets.size === 0 && wanted.sizeCharts.size === 0 && !wanted.locations) return batch
      return findLinks(lookup, vendorId, wanted).then((links) => {
        found = links
        return batch
      })
    }
    const resolve: Stage<CoercedPatch, ResolvedPatch> = (batch, turn) => changeRecords(batch, turn, resolvePatch, { ...found, onUnknownStoreCode })
    return inOrder(collect, lookUp, resolve)(batch, turn)
  }

const nothing: Found = { fitmentTargets: new Map(), sizeCharts: new Map(), locations: new Map(), active: new ActiveLocations([], []) }

interface Wanted { fitmentTargets: Set<string>, sizeCharts: Set<string>, locations: boolean }

function collectWanted (patch: CoercedPatch, { rejected }: Envelope<unknown>, wanted: Wanted): CoercedPatch {
  if (rejected) return patch
  addWanted(patch, wanted)
  for (const variant of patch.variants ?? []) {
    addWanted(variant, wanted)
    if (variant.inventoryByLocation !== undefined) wanted.locations = true
  }
  return patch
}

function addWanted ({ fitmentTargetExternalIds, sizeChartExternalId }: CoercedPatch | CoercedVariant, wanted: Wanted): void {
  if (fitmentTargetExternalIds !== undefined) for (const id of fitmentTargetExternalIds) wanted.fitmentTargets.add(id)
  if (typeof sizeChartExternalId === 'string') wanted.sizeCharts.add(sizeChartExternalId)
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

function resolvePatch (sent: CoercedPatch, envelope: Envelope<unknown>, found: Resolving): ResolvedPatch {
  const patch: ResolvedPatch = sent
  if (envelope.rejected) return patch
  resolveIds(patch, null, found, envelope)
  for (const variant of patch.variants ?? []) {
    resolveIds(variant, variant, found, envelope)
    if (variant.inventoryByLocation !== undefined) variant.stock = resolveStock(variant.inventoryByLocation, variant.index, found, envelope)
  }
  return patch
}

/** `variant` is null for the product itself. */
function resolveIds (patch: ResolvedPatch | ResolvedVariant, variant: ResolvedVariant | null, found: Found, envelope: Envelope<unknown>): void {
  const { fitmentTargetExternalIds: targets, sizeChartExternalId: chart } = patch
  if (targets !== undefined) {
    const ids = new Set<string>()
    for (let index = 0; index < targets.length; index++) {
      const externalId = targets[index] ?? ''
      const id = found.fitmentTargets.get(externalId)
      if (id !== undefined) ids.add(id)
      // Of thousands of them a few are told: only for those the words are found.
      else if (envelope.warnings.length < maxFaults) envelope.warn({ code: 'unknown-fitment-target', path: pathIn(variant, `fitmentTargetExternalIds[${index}]`), detail: clip(externalId) })
    }
    patch.fitmentTargetIds = [...ids]
  }
  if (chart !== undefined) {
    patch.sizeChartId = chart === null ? null : found.sizeCharts.get(chart) ?? null
    if (chart !== null && patch.sizeChartId === null) {
      envelope.warn({ code: 'unknown-size-chart', path: pathIn(variant, 'sizeChartExternalId'), detail: clip(chart) })
    }
  }
}

const pathIn = (variant: ResolvedVariant | null, field: string): string => variant === null ? field : `variants[${variant.index}].${field}`

/** `index`: the variant's. */
function resolveStock (sent: Map<string, number>, index: number, { locations, active, onUnknownStoreCode }: Resolving, envelope: Envelope<unknown>): SentStock {
  const units = new Map<string, number>()
  for (const [code, count] of sent) {
    const id = locations.get(code)
    if (id === undefined) onUnknownStoreCode(code, envelope, `variants[${index}].inventoryByLocation`)
    else if (id !== null && count > 0) units.set(id, count)
  }
  return { active, units }
}
