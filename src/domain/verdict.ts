/** What becomes of a line. */
import type { Fault, Warning } from './issue.js'

export type Outcome = 'created' | 'updated' | 'skipped'

/** How a line is counted: one that is updated may have left its product as it was. */
export type Settlement = Outcome | 'unchanged'

export interface Verdict {
  outcome: Outcome
  /** Found here, in addition to the line's own. */
  faults: Fault[]
  warnings: Warning[]
  /** Whether the content is another one than before. */
  isChange: boolean
}

export const skipped = (faults: Fault[]): Verdict => ({ outcome: 'skipped', faults, warnings: [], isChange: false })
