/** Metafield values as strings (interface.md, Metafields): null and "" clear the field, objects and lists become compact JSON. */
import type { Fault } from '../domain/issue.js'
import type { RawMetafield, VariantPatch } from '../domain/product-patch.js'
import { isLongerThan } from '../domain/reader.js'
import type { Envelope } from '../engine/envelope.js'
import { perRecord, type Stage } from '../engine/stage.js'
import type { WithImages } from './dedupe-images.js'

/** Value null: the field is cleared. The last of a repeated key wins. */
export type MetafieldPatch = Map<string, string | null>
export type CoercedVariant = VariantPatch & { metafieldChanges: MetafieldPatch }
export type CoercedPatch = Omit<WithImages, 'variants'> & { metafieldChanges: MetafieldPatch, variants?: CoercedVariant[] }

const maxValueLength = 65_536

export const coerceMetafields: Stage<WithImages, CoercedPatch> = perRecord((sent, envelope) => {
  const patch = sent as CoercedPatch
  patch.metafieldChanges = coerceAll(patch.metafields, null, envelope)
  if (patch.variants !== undefined) {
    for (const variant of patch.variants) variant.metafieldChanges = coerceAll(variant.metafields, variant, envelope)
  }
  return patch
})

const none: MetafieldPatch = new Map()

function coerceAll (metafields: RawMetafield[], variant: VariantPatch | null, envelope: Envelope<unknown>): MetafieldPatch {
  if (metafields.length === 0) return none
  const coerced: MetafieldPatch = new Map()
  for (const [key, value] of metafields) {
    const result = coerce(value)
    if (typeof result === 'string' || result === null) coerced.set(key, result)
    else envelope.reject({ ...result, path: `${variant === null ? '' : `variants[${variant.index}].`}meta:${key}` })
  }
  return coerced
}

function coerce (value: unknown): string | null | Omit<Fault, 'path'> {
  const text = asText(value)
  if (text === null || text === '') return null
  if (isLongerThan(text, maxValueLength)) return { code: 'too-long', detail: maxValueLength }
  return text
}

/** The first stage has bounded how deep a value is, which is the stack that JSON.stringify takes. */
function asText (value: unknown): string | null {
  if (typeof value === 'string' || value === null) return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}
