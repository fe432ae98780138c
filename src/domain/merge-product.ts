/**
 * How a patch changes a product (decisions.md, "Merging"), for both modes. Pure: same product, same patch, same result, and
 * merging the result with the same patch again changes nothing. That idempotence is what `patchHash` relies on.
 *
 *  - A field that was not sent stays; a field that was sent replaces the old value; null clears it.
 *  - Metafields merge key by key. Variants merge by external id; in REPLACE a list that was sent is the complete list.
 *  - Presence in a REPLACE brings an archived product back, unless its line says otherwise.
 */
import type { ImportMode } from './import-job.js'
import { clip, maxFaults, type Fault, type Warning } from './issue.js'
import { requiredProductFields } from './product-patch.js'
import {
  variantId, type Image, type ImageAlias, type LocationQuantity, type Metafield, type Price, type ProductContent, type Variant
} from './product.js'

/** A patch after all stages: links resolved, images deduplicated, metafields coerced. Absent = not sent. */
export interface MergeablePatch {
  externalId: string
  name?: string
  brandName?: string
  externalUrl?: string
  description?: string | null
  publishedAt?: Date | null
  archived?: boolean
  imageSet?: { list: Image[], aliases: ImageAlias[] }
  /** Each once. */
  variants?: MergeableVariant[]
  categories?: string[]
  tags?: string[]
  fitmentTargetIds?: string[]
  sizeChartId?: string | null
  metafieldChanges: ReadonlyMap<string, string | null>
}

export interface MergeableVariant {
  externalId: string
  /** Its place in the line, for messages. */
  index: number
  name?: string | null
  sku?: string | null
  upc?: string | null
  imageExternalId?: string | null
  inventory?: number | null
  /** One entry per active location; the others keep theirs. */
  locationQuantities?: LocationQuantity[]
  inventoryPolicy?: 'CONTINUE' | 'DENY' | null
  prices?: Array<{ price: number, compareAtPrice?: number | null, currency: string }>
  fitmentTargetIds?: string[]
  sizeChartId?: string | null
  metafieldChanges: ReadonlyMap<string, string | null>
}

/** What a new product or variant lacks (interface.md, Errors 4). A variant exists among `variants`, or where `imaginesVariant` says so. */
export function missingFields (
  patch: MergeablePatch, exists: boolean, variants: readonly Variant[], imaginesVariant: (externalId: string) => boolean
): Fault[] {
  const faults: Fault[] = []
  if (!exists) {
    for (const field of requiredProductFields) {
      if (patch[field] === undefined) faults.push({ code: 'required', path: field })
    }
  }
  // Made for the first nameless variant: by scanning the list for each, a line of many would cost their square.
  let stored: Set<string> | null = null
  for (const variant of patch.variants ?? []) {
    if (faults.length >= maxFaults) break
    if (variant.name !== undefined && variant.name !== null) continue
    stored ??= new Set(variants.map(({ externalId }) => externalId))
    if (!stored.has(variant.externalId) && !imaginesVariant(variant.externalId)) {
      faults.push({ code: 'required', path: `variants[${variant.index}].name` })
    }
  }
  return faults
}

/** Expects a patch without missing fields. `existing` is left untouched; parts that do not change are shared with it. */
export function mergeProduct (
  existing: ProductContent | null, patch: MergeablePatch, mode: ImportMode, productId: string, warnings: Warning[]
): ProductContent {
  const old = existing ?? emptyContent
  const images = patch.imageSet?.list ?? old.images
  const imageAliases = patch.imageSet === undefined ? old.imageAliases : mergeAliases(old.imageAliases, patch.imageSet)
  const resolveImage = imageResolver(images, imageAliases)
  return {
    name: patch.name ?? old.name,
    brandName: patch.brandName ?? old.brandName,
    externalUrl: patch.externalUrl ?? old.externalUrl,
    description: sentOr(patch.description, old.description),
    publishedAt: sentOr(patch.publishedAt, old.publishedAt),
    archived: patch.archived ?? (mode === 'REPLACE' ? false : old.archived),
    images,
    imageAliases,
    variants: mergeVariants(patch.imageSet === undefined ? old.variants : relinkImages(old.variants, resolveImage), patch.variants, mode, productId, resolveImage, warnings),
    categories: patch.categories ?? old.categories,
    tags: patch.tags ?? old.tags,
    fitmentTargetIds: patch.fitmentTargetIds ?? old.fitmentTargetIds,
    sizeChartId: sentOr(patch.sizeChartId, old.sizeChartId),
    metafields: mergeMetafields(old.metafields, patch.metafieldChanges)
  }
}

const emptyContent: ProductContent = {
  name: '',
  brandName: '',
  externalUrl: '',
  description: null,
  publishedAt: null,
  archived: false,
  images: [],
  imageAliases: [],
  variants: [],
  categories: [],
  tags: [],
  fitmentTargetIds: [],
  sizeChartId: null,
  metafields: []
}

const sentOr = <T>(sent: T | undefined, old: T): T => sent === undefined ? old : sent

/**
 * Aliases of before stay as long as the image that they mean does, so that a delta naming a dropped id still resolves. When
 * that image's id has itself become an alias, they follow it.
 */
function mergeAliases (old: ImageAlias[], { list, aliases }: { list: Image[], aliases: ImageAlias[] }): ImageAlias[] {
  if (old.length === 0) return aliases
  const images = new Set(list.map(({ externalId }) => externalId))
  const targets = new Map(aliases.map(({ externalId, imageExternalId }) => [externalId, imageExternalId]))
  const kept = old
    .map(({ externalId, imageExternalId }) => ({ externalId, imageExternalId: targets.get(imageExternalId) ?? imageExternalId }))
    .filter(({ externalId, imageExternalId }) => images.has(imageExternalId) && !images.has(externalId) && !targets.has(externalId))
  return [...aliases, ...kept]
}

/** The image's own external id for an id or alias; null when it means no image. */
function imageResolver (images: Image[], aliases: ImageAlias[]): (externalId: string) => string | null {
  let known: Map<string, string> | null = null
  return (externalId) => {
    if (known === null) {
      known = new Map(aliases.map((alias) => [alias.externalId, alias.imageExternalId]))
      for (const image of images) known.set(image.externalId, image.externalId)
    }
    return known.get(externalId) ?? null
  }
}

/** New images may keep a stored variant's image under another id; a link that resolves to none is left as it was sent. */
function relinkImages (variants: Variant[], resolveImage: (externalId: string) => string | null): Variant[] {
  return variants.map((variant) => {
    const linked = variant.imageExternalId === null ? null : resolveImage(variant.imageExternalId)
    return linked === null || linked === variant.imageExternalId ? variant : { ...variant, imageExternalId: linked }
  })
}

function mergeVariants (
  old: Variant[], sent: MergeableVariant[] | undefined, mode: ImportMode, productId: string,
  resolveImage: (externalId: string) => string | null, warnings: Warning[]
): Variant[] {
  if (sent === undefined) return old
  const merge = (patch: MergeableVariant, before: Variant | undefined): Variant =>
    mergeVariant(before?.id ?? variantId(productId, patch.externalId), before ?? emptyVariant, patch, resolveImage, warnings)
  if (old.length === 0) return sent.map((patch) => merge(patch, undefined))
  const existing = new Map(old.map((variant) => [variant.externalId, variant]))
  if (mode === 'REPLACE') return sent.map((patch) => merge(patch, existing.get(patch.externalId)))
  const merged = new Map(existing)
  for (const patch of sent) merged.set(patch.externalId, merge(patch, existing.get(patch.externalId)))
  return [...merged.values()]
}

const emptyVariant: Omit<Variant, 'id' | 'externalId'> = {
  name: null,
  sku: null,
  upc: null,
  imageExternalId: null,
  inventory: null,
  locationQuantities: [],
  inventoryPolicy: null,
  prices: [],
  fitmentTargetIds: [],
  sizeChartId: null,
  metafields: []
}

function mergeVariant (
  id: string, old: Omit<Variant, 'id' | 'externalId'>, patch: MergeableVariant, resolveImage: (externalId: string) => string | null, warnings: Warning[]
): Variant {
  return {
    id,
    externalId: patch.externalId,
    name: sentOr(patch.name, old.name),
    sku: sentOr(patch.sku, old.sku),
    upc: sentOr(patch.upc, old.upc),
    imageExternalId: mergeImageLink(old, patch, resolveImage, warnings),
    inventory: sentOr(patch.inventory, old.inventory),
    locationQuantities: mergeQuantities(old.locationQuantities, patch.locationQuantities),
    inventoryPolicy: sentOr(patch.inventoryPolicy, old.inventoryPolicy),
    prices: patch.prices?.map(toPrice) ?? old.prices,
    fitmentTargetIds: patch.fitmentTargetIds ?? old.fitmentTargetIds,
    sizeChartId: sentOr(patch.sizeChartId, old.sizeChartId),
    metafields: mergeMetafields(old.metafields, patch.metafieldChanges)
  }
}

function mergeImageLink (
  old: Pick<Variant, 'imageExternalId'>, patch: MergeableVariant, resolveImage: (externalId: string) => string | null, warnings: Warning[]
): string | null {
  const sent = patch.imageExternalId
  if (sent === undefined) return old.imageExternalId
  if (sent === null) return null
  const resolved = resolveImage(sent)
  if (resolved === null) {
    warnings.push({ code: 'unknown-image', path: `variants[${patch.index}].imageExternalId`, detail: clip(sent) })
  }
  return resolved
}

const toPrice = ({ price, compareAtPrice, currency }: { price: number, compareAtPrice?: number | null, currency: string }): Price =>
  ({ price, compareAtPrice: compareAtPrice ?? null, currency })

/** What was sent covers the active locations; inactive ones keep theirs (decisions.md, "Inventory per location"). */
function mergeQuantities (old: LocationQuantity[], sent: LocationQuantity[] | undefined): LocationQuantity[] {
  if (sent === undefined) return old
  if (old.length === 0) return sent
  const covered = new Set(sent.map(({ locationId }) => locationId))
  return [...sent, ...old.filter(({ locationId }) => !covered.has(locationId))]
}

function mergeMetafields (old: Metafield[], sent: ReadonlyMap<string, string | null>): Metafield[] {
  if (sent.size === 0) return old
  if (old.length === 0) {
    const added: Metafield[] = []
    for (const [key, value] of sent) if (value !== null) added.push({ key, value })
    return added
  }
  const merged = new Map(old.map(({ key, value }) => [key, value]))
  for (const [key, value] of sent) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  return Array.from(merged, ([key, value]) => ({ key, value }))
}

/** Whether two values of stored products are equal, deeply; parts shared by merging are told at once. */
export function sameContent (a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime()
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameContent(item, b[index]))
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => sameContent(left[key], right[key]))
}
