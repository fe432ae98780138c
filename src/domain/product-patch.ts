/**
 * A product line, read (interface.md: Product, Variant, Price, Image, Metafields; decisions.md, "Values"). What a line says
 * is a *patch*: a field that is absent was not sent and stays as it is (product-fold.ts), so absent, null and value are
 * three different things throughout.
 */
import { clip, maxFaults, type Fault, type Warning } from './issue.js'
import { productBounds } from './product-bounds.js'
import {
  amount, boolean, currency, dateTime, httpUrl, integer, isLongerThan, isRecord, list, oneOf, orNull, prefixFaults, text,
  textOrInteger, type Reader, type ValueOf
} from './reader.js'

export const maxIdLength = 255
const maxNameLength = 255
const maxImageUrlLength = 2_048
export const maxMetafieldKeyLength = 255
const metafieldPrefix = 'meta:'

/** A metafield as sent: its key without the prefix and its JSON value; coerced by stages/coerce-metafields. */
export type RawMetafield = [key: string, value: unknown]

const externalId = text({ nonBlank: true, max: maxIdLength })
/** Exports fill absent ids with empty strings; there is nothing else an empty reference could mean. */
const optionalId: Reader<string | null> = (value, faults) =>
  value === null || value === '' ? null : text({ max: maxIdLength })(value, faults)

const image = {
  url: httpUrl(maxImageUrlLength),
  externalId: optionalId,
  position: orNull(integer())
}

const price = {
  price: amount,
  compareAtPrice: orNull(amount),
  currency
}

const linkFields = {
  fitmentTargetExternalIds: list(text(), productBounds.fitmentTargets),
  sizeChartExternalId: orNull(text())
}

const variantFields = {
  externalId: orNull(externalId),
  name: orNull(text({ nonBlank: true })),
  sku: orNull(textOrInteger({})),
  upc: orNull(textOrInteger({})),
  imageExternalId: optionalId,
  inventory: orNull(integer()),
  quantity: orNull(integer()),
  inventoryByLocation: locationQuantities,
  inventoryPolicy: orNull(oneOf(['CONTINUE', 'DENY'])),
  prices: list(record(price, ['price', 'currency'])),
  ...linkFields
}

const productFields = {
  externalId,
  name: text({ nonBlank: true, max: maxNameLength }),
  brandName: text({ nonBlank: true }),
  externalUrl: httpUrl(),
  description: orNull(text()),
  publishedAt: orNull(dateTime),
  archived: boolean,
  images: list(record(image, ['url']), productBounds.images),
  variants: list(readVariant, productBounds.variants),
  categories: list(text()),
  tags: list(text(), productBounds.tags),
  ...linkFields
}

type Sent<Fields> = { [Name in keyof Fields]?: ValueOf<Fields[Name]> }

export type ImagePatch = ValueOf<Reader<Sent<typeof image>>> & { url: string }
export type PricePatch = Sent<typeof price> & { price: number, currency: string }

/** `variants[index]` is where it stood; a repeated variant keeps the place of its first occurrence. */
export type VariantPatch = Omit<Sent<typeof variantFields>, 'externalId' | 'quantity' | 'prices'> &
{ externalId: string, index: number, metafields: RawMetafield[], prices?: PricePatch[] }

export type ProductPatch = Omit<Sent<typeof productFields>, 'externalId' | 'images' | 'variants'> &
{ externalId: string, metafields: RawMetafield[], images?: ImagePatch[], variants?: VariantPatch[] }

/** Fields that a product cannot be without. */
export const requiredProductFields = ['name', 'brandName', 'externalUrl'] as const

/**
 * Patches in the making: one shape each, with room for every field, so that whoever reads or adds one finds it where it always is. A field that is
 * not sent is undefined. Each ends with what later stages add.
 */
class Draft {
  fitmentTargetExternalIds = undefined
  sizeChartExternalId = undefined
  readonly metafields: RawMetafield[] = []
  metafieldChanges = undefined
  fitmentTargetIds = undefined
  sizeChartId = undefined
}

class ProductDraft extends Draft implements Record<keyof typeof productFields | 'metafields', unknown> {
  externalId = undefined
  name = undefined
  brandName = undefined
  externalUrl = undefined
  description = undefined
  publishedAt = undefined
  archived = undefined
  images = undefined
  variants = undefined
  categories = undefined
  tags = undefined
  imageSet = undefined
}

class VariantDraft extends Draft implements Record<keyof typeof variantFields | 'metafields', unknown> {
  externalId = undefined
  name = undefined
  sku = undefined
  upc = undefined
  imageExternalId = undefined
  inventory = undefined
  quantity = undefined
  inventoryByLocation = undefined
  inventoryPolicy = undefined
  prices = undefined
  index = undefined
  stock = undefined
}

/** Reads a line's value. Faults and warnings are pushed; what is faulty is absent from the patch. */
export function readProduct (line: Record<string, unknown>, faults: Fault[], warnings: Warning[]): ProductPatch {
  const patch = new ProductDraft() as unknown as ProductPatch
  readFields(line, productFieldTable, patch, faults)
  if (line['externalId'] === undefined) faults.push({ code: 'required', path: 'externalId' })
  if (namesTooManyTargets(patch)) faults.push({ code: 'too-many', path: 'fitmentTargetExternalIds', detail: productBounds.fitmentTargets })
  if (patch.variants !== undefined) patch.variants = mergeRepeated(patch.variants, faults, warnings)
  return patch
}

/** Those of the product and its variants together, before any is looked up. */
function namesTooManyTargets ({ fitmentTargetExternalIds, variants }: ProductPatch): boolean {
  let count = fitmentTargetExternalIds?.length ?? 0
  if (variants !== undefined) for (const variant of variants) count += variant.fitmentTargetExternalIds?.length ?? 0
  return count > productBounds.fitmentTargets
}

/** The external id of a line, as far as it can be read, whatever else is wrong with it. */
export function readExternalId (line: Record<string, unknown>): string | null {
  const faults: Fault[] = []
  const id = externalId(line['externalId'], faults)
  return faults.length === 0 ? id : null
}

/** Maps, not objects: `constructor` and `__proto__` are no fields. */
const table = (fields: Record<string, Reader<unknown>>): ReadonlyMap<string, Reader<unknown>> => new Map(Object.entries(fields))
const productFieldTable = table(productFields)
const variantFieldTable = table(variantFields)

/** Reads the fields it knows, collects `meta:` keys, ignores every other key. */
function readFields (
  source: Record<string, unknown>, fields: ReadonlyMap<string, Reader<unknown>>,
  target: { metafields: RawMetafield[] }, faults: Fault[]
): void {
  let hasTooMany = false
  // What JSON.parse makes inherits no key that is gone through here; Object.keys would make a list of them for each variant.
  for (const key in source) {
    if (faults.length >= maxFaults) return
    const read = fields.get(key)
    if (read !== undefined) {
      const before = faults.length
      const value = read(source[key], faults)
      const isFaulty = faults.length > before
      if (isFaulty) prefixFaults(faults, before, key)
      // Faulty variants are kept as far as they could be read, so that what else is wrong with them is told as well.
      if (!isFaulty || (key === 'variants' && Array.isArray(value))) (target as unknown as Record<string, unknown>)[key] = value
    } else if (!hasTooMany && key.startsWith(metafieldPrefix) && key.length > metafieldPrefix.length) {
      hasTooMany = !takeMetafield(target.metafields, key.slice(metafieldPrefix.length), source[key], faults)
    }
  }
}

/** Gives whether there is room for it. */
function takeMetafield (metafields: RawMetafield[], name: string, value: unknown, faults: Fault[]): boolean {
  if (isLongerThan(name, maxMetafieldKeyLength)) {
    faults.push({ code: 'too-long', path: `${metafieldPrefix}${clip(name)}`, detail: maxMetafieldKeyLength })
    return true
  }
  const hasRoom = metafields.length < productBounds.metafields
  if (hasRoom) metafields.push([name, value])
  else faults.push({ code: 'too-many', path: 'metafields', detail: productBounds.metafields })
  return hasRoom
}

function readVariant (value: unknown, faults: Fault[]): VariantPatch {
  const patch = new VariantDraft() as unknown as VariantPatch & { quantity: number | null | undefined, externalId?: string | null }
  if (!isRecord(value)) {
    faults.push({ code: 'wrong-type', path: '', detail: 'an object' })
    return patch
  }
  readFields(value, variantFieldTable, patch, faults)
  const { quantity } = patch
  if (quantity !== undefined && patch.inventory === undefined) patch.inventory = quantity
  patch.quantity = undefined
  if (isAbsent(value['externalId'])) useSkuAsId(patch, value['sku'], faults)
  return patch
}

function useSkuAsId (patch: { externalId?: string | null, sku?: string | null }, sent: unknown, faults: Fault[]): void {
  const { sku } = patch
  if (typeof sku === 'string' && sku.trim() !== '') {
    if (isLongerThan(sku, maxIdLength)) faults.push({ code: 'too-long', path: 'sku', detail: maxIdLength })
    patch.externalId = sku
  } else if (sku !== undefined || isAbsent(sent)) {
    faults.push({ code: 'variant-without-id', path: '' })
  }
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

/** The same variant twice in one line: the later fields win (decisions.md, Merging), also of its metafields. */
function mergeRepeated (variants: VariantPatch[], faults: Fault[], warnings: Warning[]): VariantPatch[] {
  const byId = new Map<string, VariantPatch>()
  /** Of those that are repeated. */
  let metafieldsOf: Map<VariantPatch, Map<string, unknown>> | undefined
  for (let index = 0; index < variants.length; index++) {
    const variant = variants[index] as VariantPatch
    // Only of a line that is rejected anyway.
    if (typeof variant.externalId !== 'string') continue
    const first = byId.get(variant.externalId)
    if (first === undefined) {
      variant.index = index
      byId.set(variant.externalId, variant)
    } else {
      warnings.push({ code: 'duplicate-variant', path: `variants[${index}]`, detail: clip(variant.externalId) })
      metafieldsOf ??= new Map()
      const metafields = metafieldsOf.get(first) ?? new Map(first.metafields)
      metafieldsOf.set(first, metafields)
      for (const [key, value] of variant.metafields) metafields.set(key, value)
      takeOver(first, variant)
    }
  }
  if (byId.size === variants.length) return variants
  for (const [variant, metafields] of metafieldsOf ?? []) {
    if (metafields.size <= productBounds.metafields) variant.metafields = [...metafields]
    else if (faults.length < maxFaults) faults.push({ code: 'too-many', path: `variants[${variant.index}].metafields`, detail: productBounds.metafields })
  }
  return [...byId.values()]
}

/** All that the later one sent, but for its metafields. */
function takeOver (first: VariantPatch, later: VariantPatch): void {
  const sent = Object.entries(later).filter(([field, value]) => value !== undefined && field !== 'index' && field !== 'metafields')
  Object.assign(first, Object.fromEntries(sent))
}

/** An object with these fields and nothing else that counts. */
function record<Fields extends Record<string, Reader<unknown>>, Required extends keyof Fields & string> (
  fields: Fields, required: readonly Required[]
): Reader<Sent<Fields> & { [Name in Required]: ValueOf<Fields[Name]> }> {
  const known = Object.entries(fields).map(([name, read]) => ({ name, read, isRequired: (required as readonly string[]).includes(name) }))
  return (value, faults) => {
    const result: Record<string, unknown> = {}
    if (!isRecord(value)) faults.push({ code: 'wrong-type', path: '', detail: 'an object' })
    else {
      for (let at = 0; at < known.length; at++) {
        const { name, read, isRequired } = known[at] as (typeof known)[number]
        const sent = value[name]
        if (sent === undefined) {
          if (isRequired) faults.push({ code: 'required', path: name })
          continue
        }
        const before = faults.length
        result[name] = read(sent, faults)
        if (faults.length > before) prefixFaults(faults, before, name)
      }
    }
    return result as Sent<Fields> & { [Name in Required]: ValueOf<Fields[Name]> }
  }
}

/** Store codes and their units; null = none sent, which means 0 at every active location. */
function locationQuantities (value: unknown, faults: Fault[]): Map<string, number> {
  const quantities = new Map<string, number>()
  if (value === null) return quantities
  if (!isRecord(value)) {
    faults.push({ code: 'wrong-type', path: '', detail: 'an object of store codes and quantities' })
    return quantities
  }
  const codes = Object.keys(value)
  if (codes.length > productBounds.locations) {
    faults.push({ code: 'too-many', path: '', detail: productBounds.locations })
    return quantities
  }
  const read = integer({ min: 0 })
  for (const code of codes) {
    if (faults.length >= maxFaults) break
    const before = faults.length
    quantities.set(code, read(value[code], faults))
    if (faults.length > before) prefixFaults(faults, before, clip(code))
  }
  return quantities
}
