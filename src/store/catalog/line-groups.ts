/** The lines of a batch by product, and what is judged of them. Nothing of it is on the lines before it is applied. */
import type { ImportMode } from '../../domain/import-job.js'
import type { Fault, Warning } from '../../domain/issue.js'
import type { Product } from '../../domain/product.js'
import type { Settlement } from '../../domain/verdict.js'
import { patchHashOf } from './patch-hash.js'
import type { ProductWrite } from './product-write.js'
import type { WritableLine } from './writable-line.js'

export interface Entry {
  readonly line: WritableLine
  /** As the stages left them. */
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
  /** Of a line that was found bad and lost the race with its product's other lines: it stays so. */
  final: LineVerdict | null
}

/** The lines of one product, in order. */
export interface Group { id: string, entries: Entry[] }

/** What becomes of a line, with all that is wrong with it. */
export interface LineVerdict {
  outcome: Settlement
  faults: readonly Fault[]
  warnings: readonly Warning[]
}

export interface JudgedGroup {
  group: Group
  /** By entry. */
  verdicts: LineVerdict[]
  /** null: nothing changes. */
  write: ProductWrite | null
}

/** What is read of every product before any is read whole. */
export type Head = Pick<Product, 'patchHash' | 'createdBy' | 'writtenBy' | 'size'>

export function groupByProduct (lines: WritableLine[]): Group[] {
  const groups = new Map<string, Group>()
  for (const line of lines) {
    const entry: Entry = { line, faults: line.faults, warnings: line.warnings, final: null }
    const id = line.productId
    const group = groups.get(id)
    if (group === undefined) groups.set(id, { id, entries: [entry] })
    else group.entries.push(entry)
  }
  return [...groups.values()]
}

/** What is wrong with some line depends on its product: who meets the product later may judge it otherwise. */
export const dependsOnProduct = ({ group: { entries }, verdicts }: JudgedGroup): boolean => entries.some(({ faults, warnings }, index) => {
  const verdict = verdicts[index]
  return verdict?.faults.length !== faults.length || verdict.warnings.length !== warnings.length
})

/** Gives the lines, which now say what was found. */
export function applyVerdicts ({ group: { entries }, verdicts }: JudgedGroup): WritableLine[] {
  return entries.map(({ line }, index) => Object.assign(line, { faults: verdicts[index]?.faults, warnings: verdicts[index]?.warnings }))
}

/** What was found bad is stored before its product is written, and stays so whatever another writer has made of the product. */
export function keepWhatIsBad ({ group: { entries }, verdicts }: JudgedGroup): void {
  entries.forEach((entry, index) => {
    const verdict = verdicts[index]
    if (verdict !== undefined && verdict.faults.length > 0) entry.final = verdict
  })
}

/** Characters of a product, as far as it is known, and of what its lines add. */
export function charactersOf ({ id, entries }: Group, known: ReadonlyMap<string, Head>): number {
  let characters = known.get(id)?.size ?? 0
  for (const { line } of entries) characters += line.characters
  return characters
}

export const patchHashOfEntry = ({ line: { digest, patch } }: Entry, mode: ImportMode): string | null => patch === null ? null : patchHashOf(digest, patch, mode)
