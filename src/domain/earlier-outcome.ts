/**
 * Exactly once: a product remembers the last line of the job that wrote it. A line at or before that mark was applied by
 * an earlier attempt (or by the try before a lost acknowledgement), so it is counted as it was then and not applied again,
 * which could undo what others have written since.
 */
import { markLine, positionIn, type LinePosition, type Product } from './product.js'
import type { Outcome } from './verdict.js'

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
