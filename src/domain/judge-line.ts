/**
 * What becomes of one line: created, updated or skipped, and the product's content after it. Pure; the writer reads and
 * writes around it.
 *
 * Exactly once: a product remembers the last line of the job that wrote it. A line at or before that mark was applied by
 * an earlier attempt (or by the try before a lost acknowledgement), so it is counted as it was then and not applied again,
 * which could undo what others have written since.
 */
import type { ImportMode } from './import-job.js'
import type { Fault, Warning } from './issue.js'
import { mergeProduct, missingFields, sameContent, type MergeablePatch } from './merge-product.js'
import { markLine, positionIn, type LinePosition, type Product, type ProductContent } from './product.js'

export type Outcome = 'created' | 'updated' | 'skipped'

/** The product as far as this batch has come. */
export interface ProductState {
  /** Present also when only a dry run has made the product. */
  exists: boolean
  content: ProductContent | null
  /** Whether a dry run has made the variant, which the content then lacks. */
  imaginesVariant: (externalId: string) => boolean
}

export interface Verdict {
  outcome: Outcome
  /** Found here, in addition to the line's own. */
  faults: Fault[]
  warnings: Warning[]
  /** The content after the line; null when the line changed nothing. */
  changed: ProductContent | null
}

/** `known` are the faults that the stages have found in the line. */
export function judgeLine (
  patch: MergeablePatch, known: readonly Fault[], state: ProductState, mode: ImportMode, productId: string
): Verdict {
  // In REPLACE the validate stage has asked every line for the product's required fields already.
  const { content: before, imaginesVariant } = state
  const missing = missingFields(patch, state.exists || mode === 'REPLACE', before?.variants ?? [], imaginesVariant)
    .filter(({ path }) => !known.some((fault) => fault.path === path))
  if (missing.length > 0 || known.length > 0) return { outcome: 'skipped', faults: missing, warnings: [], changed: null }

  const warnings: Warning[] = []
  const content = mergeProduct(state.content, patch, mode, productId, warnings)
  const changed = state.content === null || !isSame(content, state.content)
  return { outcome: state.exists ? 'updated' : 'created', faults: [], warnings, changed: changed ? content : null }
}

/** The outcome that an earlier try of this job gave the line; null when it has not been applied. */
export function earlierOutcome (
  product: Pick<Product, 'createdBy' | 'writtenBy'>, line: LinePosition, jobId: string
): Outcome | null {
  const last = positionIn(jobId, product.writtenBy)
  if (last === null || isBefore(last, line)) return null
  return isCreator(product, line, jobId) ? 'created' : 'updated'
}

/** Whether this very line created the product. */
export const isCreator = ({ createdBy }: Pick<Product, 'createdBy'>, line: LinePosition, jobId: string): boolean =>
  createdBy !== null && createdBy === markLine(jobId, line)

const isBefore = (a: LinePosition, b: LinePosition): boolean => a.file < b.file || (a.file === b.file && a.line < b.line)

const isSame = (a: ProductContent, b: ProductContent): boolean =>
  (Object.keys(a) as Array<keyof ProductContent>).every((field) => sameContent(a[field], b[field]))
