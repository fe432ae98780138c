/** Folds the lines of one product into it (domain/product-fold): a verdict for each, and the write that they come to. */
import { earlierOutcome } from '../../domain/earlier-outcome.js'
import type { ImportMode } from '../../domain/import-job.js'
import type { Product } from '../../domain/product.js'
import type { ProductBounds } from '../../domain/product-bounds.js'
import { ProductFold } from '../../domain/product-fold.js'
import type { Turn } from '../../engine/turn.js'
import type { ImaginedProducts } from './imagined-products.js'
import { patchHashOfEntry, type Entry, type Group, type JudgedGroup, type LineVerdict } from './line-groups.js'
import type { ToProductWrite } from './product-write.js'
import type { StoredProduct } from './stored-product.js'

export interface JudgeOptions {
  mode: ImportMode
  /** null: not a job. */
  jobId: string | null
  bounds: Readonly<ProductBounds>
  turn: Turn
  toWrite: ToProductWrite
  /** Of a dry run; it is told of what would be made. */
  imagined: ImaginedProducts | null
}

/** `stored` is the product as it was read; null: there is none. `duringJobId`: the job that upsertProducts has seen running. */
export type JudgeGroup = (group: Group, stored: StoredProduct | null, duringJobId: string | null) => Promise<JudgedGroup>

export function createJudgeGroup ({ mode, jobId, bounds, turn, toWrite, imagined }: JudgeOptions): JudgeGroup {
  return async (group, stored, duringJobId) => {
    const { id, entries } = group
    // Decoded when it is its turn: of a batch that is judged no product is kept beside its bytes.
    const fold = new ProductFold(stored?.toFoldable() ?? null, {
      productId: id,
      mode,
      bounds,
      mostBytes: stored?.byteLength ?? 0,
      exists: stored !== null || imagined?.has(id) === true,
      imaginesVariant: (externalId) => imagined?.hasVariant(id, externalId) === true
    })
    const verdicts: LineVerdict[] = []
    let last: { entry: Entry, verdict: LineVerdict } | null = null
    let creator: Entry | null = null
    for (const entry of entries) {
      const { verdict, isChange } = judge(entry, stored, fold)
      verdicts.push(verdict)
      if (isChange) last = { entry, verdict }
      if (isChange && verdict.outcome === 'created') creator = entry
      if (turn.isOver()) await turn.giveWay()
    }
    if (last === null) return { group, verdicts, write: null }
    const write = toWrite({
      id,
      stored,
      fold,
      lineCount: entries.length,
      last: last.entry.line,
      creator: creator?.line ?? null,
      // A line that warned must warn again next time, so it must be merged again.
      patchHash: last.verdict.warnings.length > 0 ? null : patchHashOfEntry(last.entry, mode),
      duringJobId
    })
    return { group, verdicts, write }
  }

  function judge (entry: Entry, stored: StoredProduct | null, fold: ProductFold): { verdict: LineVerdict, isChange: boolean } {
    const { line, faults, warnings, final } = entry
    if (final !== null || line.patch === null) return { verdict: final ?? { outcome: 'skipped', faults, warnings }, isChange: false }
    const earlier = stored === null || jobId === null ? null : earlierOutcome(marksOf(stored), line.position, jobId)
    if (earlier !== null) return { verdict: { outcome: earlier, faults, warnings }, isChange: false }
    const found = fold.apply(line.patch, faults, line.characters)
    if (found.outcome !== 'skipped') imagined?.add(line.productId, line.patch)
    const verdict: LineVerdict = {
      outcome: found.outcome === 'updated' && !found.isChange ? 'unchanged' : found.outcome,
      // Missing fields first: they are what a merchant looks for.
      faults: found.faults.length === 0 ? faults : [...found.faults, ...faults],
      warnings: found.warnings.length === 0 ? warnings : [...warnings, ...found.warnings]
    }
    return { verdict, isChange: found.isChange }
  }
}

const marksOf = ({ record: { createdBy = null, writtenBy = null } }: StoredProduct): Pick<Product, 'createdBy' | 'writtenBy'> => ({ createdBy, writtenBy })
