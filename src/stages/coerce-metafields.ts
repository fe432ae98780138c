/** Metafield values as strings (interface.md, Metafields): null and "" clear the field, objects and lists become compact JSON. */
import type { Fault } from '../domain/issue.js'
import type { RawMetafield, VariantPatch } from '../domain/product-patch.js'
import type { Envelope } from '../engine/envelope.js'
import { perRecord, type Stage } from '../engine/stage.js'
import type { WithImages } from './dedupe-images.js'

/** Value null: the field is cleared. The last of a repeated key wins. */
export type MetafieldPatch = Map<string, string | null>
export type CoercedVariant = VariantPatch & { metafieldChanges: MetafieldPatch }
export type CoercedPatch = Omit<WithImages, 'variants'> & { metafieldChanges: MetafieldPatch, variants?: CoercedVariant[] }

const maxValueLength = 65_536
/** Deeper values mean nothing to anyone and would take JSON.stringify's stack. */
const maxDepth = 100

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
  if (text === undefined) return { code: 'too-deep', detail: maxDepth }
  if (text === null || text === '') return null
  if (text.length > maxValueLength && [...text].length > maxValueLength) return { code: 'too-long', detail: maxValueLength }
  return text
}

/** undefined: nested too deep. */
function asText (value: unknown): string | null | undefined {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return isDeeperThan(value as object, maxDepth) ? undefined : JSON.stringify(value)
}

/** Level by level, not by recursion: the depth is the sender's choice. */
function isDeeperThan (value: object, limit: number): boolean {
  let level: object[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((outer) => Object.values(outer).filter((inner): inner is object => typeof inner === 'object' && inner !== null))
  }
  return false
}
