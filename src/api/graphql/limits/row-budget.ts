/**
 * How many rows one request may read and write, over all its aliases: `first` bounds a single list, but fifty aliased
 * lists of ten thousand would still fill the memory, and one variable can be upserted fifty times.
 */
import { badInput } from '../../../errors.js'

/**
 * Products, jobs, fitment targets and conversations read, issues of jobs read, products and fitment targets written, events of
 * conversations read, figures computed, answers of the assistant.
 */
const budgets = { node: 2_000, issue: 50_000, upsert: 10_000, event: 5_000, figure: 100, answer: 10 }
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
        throw badInput(`One request may have at most ${budgets[kind]} ${kind}s; ask for fewer, or in several requests`)
      }
      remaining[kind] -= count
    },
    reset () { remaining = { ...budgets } }
  }
}
