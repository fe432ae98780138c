/** JSON value to product patch (domain/product-patch). In REPLACE every line must be complete. */
import type { Fault, Warning } from '../domain/issue.js'
import type { ImportMode } from '../domain/import-job.js'
import { readProduct, requiredProductFields, type ProductPatch } from '../domain/product-patch.js'
import { perRecord, type Stage } from '../engine/stage.js'

/**
 * In UPDATE the required fields depend on whether the product exists, which only the sink knows; it completes the faults
 * (store/catalog/product-writer).
 */
export const validate = (mode: ImportMode): Stage<Record<string, unknown>, ProductPatch> => perRecord((line, envelope) => {
  if (mode === 'REPLACE') {
    for (const field of requiredProductFields) {
      if (line[field] === undefined) envelope.reject({ code: 'required', path: field })
    }
  }
  const patch = readProduct(line, faults, warnings)
  if (faults.length > 0) faults.splice(0).forEach((fault) => { envelope.reject(fault) })
  if (warnings.length > 0) warnings.splice(0).forEach((warning) => { envelope.warn(warning) })
  // It came as a value. Of one that is rejected the text is not asked for, and may be as large as a request.
  if (envelope.text === '' && !envelope.rejected) envelope.text = JSON.stringify(line)
  return patch
})

/** Emptied after each record. */
const faults: Fault[] = []
const warnings: Warning[] = []
