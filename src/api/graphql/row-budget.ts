/**
 * How many rows one request may take from the database, over all its aliases: `first` bounds a single list, but
 * fifty aliased lists of ten thousand would still fill the memory.
 */
import { badInput } from '../../errors.js'

/** Products and jobs / issues of jobs, over all lists of one request. */
const budgets = { node: 2_000, issue: 50_000 }
type RowKind = keyof typeof budgets

export interface RowBudget {
  /** How many rows are left. */
  left (kind: RowKind): number
  /** Throws BAD_USER_INPUT when fewer than `count` are left. */
  take (kind: RowKind, count: number): void
  /** For the next event of a subscription. */
  reset (): void
}

export function createRowBudget (): RowBudget {
  let remaining = { ...budgets }
  return {
    left: (kind) => remaining[kind],
    take (kind, count) {
      if (count > remaining[kind]) {
        throw badInput(`One request may read at most ${budgets[kind]} ${kind}s; ask for fewer, or in several requests`)
      }
      remaining[kind] -= count
    },
    reset () { remaining = { ...budgets } }
  }
}
