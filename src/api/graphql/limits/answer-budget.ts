/**
 * How much work one answer may be, going by what is really there instead of by what may be: bytes read from the database, before they are decoded;
 * fields resolved, each times the lists that it is in; characters of text. To resolve a field takes 2 to 3 µs, and to decode, or to write
 * as JSON, a megabyte some 10 ms.
 *
 * What the thread of the API may do for one answer keeps its event loop from anybody else for less than 50 ms. An answer that turns out to be more is
 * given up; a query is then made anew where large requests are answered (large-requests.ts), under larger bounds. Anything else is refused,
 * the event of a subscription for example, and a change is not: it has begun. What it may become is looked at before (costly-operations.ts).
 */
import { badInput } from '../../../errors.js'

export interface AnswerBounds { bytes: number, fields: number, characters: number }

/** Of the event loop that answers everybody. In small variants, to decode a megabyte takes 40 ms. */
export const ownBounds: AnswerBounds = { bytes: 384 * 1_024, fields: 8_000, characters: 1_024 * 1_024 }
/** The same for an event of a subscription, which nobody else can make. */
export const eventBounds: AnswerBounds = { ...ownBounds, bytes: 512 * 1_024 }
/** Of a thread for large requests, so that its heap holds two of them: some seconds' work, and as many fields as a document may ask for (document-cost.ts). */
export const largeBounds: AnswerBounds = { bytes: 128 * 1_024 * 1_024, fields: 500_000, characters: 32 * 1_024 * 1_024 }

type Measure = keyof AnswerBounds

export interface AnswerBudget {
  /** Throws when less is left. */
  take (measure: Measure, amount: number): void
  /** Throws as `take` would, for what will be taken later; takes nothing. */
  expect (measure: Measure, amount: number): void
  /** Whether something was refused. */
  readonly isSpent: boolean
  /** Reading counts no more: a change that has begun must not end over what it reads. */
  allowReading (): void
  /** For the next event of a subscription. */
  reset (): void
}

export const createAnswerBudget = (bounds: AnswerBounds): AnswerBudget => new Budget(bounds)

class Budget implements AnswerBudget {
  isSpent = false
  private left: AnswerBounds
  private countsReading = true

  constructor (private readonly bounds: AnswerBounds) {
    this.left = { ...bounds }
  }

  take (measure: Measure, amount: number): void {
    if (measure === 'bytes' && !this.countsReading) return
    this.left[measure] -= amount
    this.expect(measure, 0)
  }

  expect (measure: Measure, more: number): void {
    if (this.left[measure] >= more && !this.isSpent) return
    // From here on nothing more is begun: the answer is given up.
    this.isSpent = true
    throw badInput('The answer would be too large; select fewer fields or smaller pages')
  }

  allowReading (): void {
    this.countsReading = false
  }

  reset (): void {
    this.left = { ...this.bounds }
    this.isSpent = false
  }
}
