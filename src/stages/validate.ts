/** JSON value to product patch (domain/product-patch). In REPLACE every line must be complete. */
import type { ImportMode } from '../domain/import-job.js'
import { readProduct, requiredProductFields, type ProductPatch } from '../domain/product-patch.js'
import { perRecord, type Stage } from '../engine/stage.js'

/**
 * In UPDATE the required fields depend on whether the product exists, which only the sink knows; it completes the faults
 * (store/product-writer).
 */
export const validate = (mode: ImportMode): Stage<Record<string, unknown>, ProductPatch> => perRecord((line, envelope) => {
  if (mode === 'REPLACE') {
    for (const field of requiredProductFields) {
      if (line[field] === undefined) envelope.reject({ code: 'required', path: field })
    }
  }
  return readProduct(line, envelope.faults, envelope.warnings)
})
