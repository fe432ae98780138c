import { maxFaults, type Fault } from './issue.js'
import type { MergeablePatch } from './mergeable-patch.js'
import { requiredProductFields } from './product-patch.js'

/** What a new product or variant lacks (interface.md, Errors 4). */
export function missingFields (patch: MergeablePatch, exists: boolean, hasVariant: (externalId: string) => boolean): Fault[] {
  const faults: Fault[] = []
  if (!exists) {
    for (const field of requiredProductFields) {
      if (patch[field] === undefined) faults.push({ code: 'required', path: field })
    }
  }
  for (const variant of patch.variants ?? []) {
    if (faults.length >= maxFaults) break
    if (variant.name !== undefined && variant.name !== null) continue
    if (!hasVariant(variant.externalId)) faults.push({ code: 'required', path: `variants[${variant.index}].name` })
  }
  return faults
}
