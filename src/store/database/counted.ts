/** What is counted a part at a time. */
import type { Document, Filter } from 'mongodb'

/** Of the field that is counted along; null: all of it. */
export type CountedRange = Document | null

/** From then on, and before that. */
export interface Within { $gte?: unknown, $lt?: unknown }

export interface Counted<T extends Document> {
  /** By its values, in order, it is gone through; no two have the same. */
  along: keyof T & string
  /** Only those, of what is indexed. */
  within?: Within
  /** An equality in an index, in which `along` comes next. */
  indexed: (range: CountedRange) => Filter<T>
  /** How many of them are to be counted; all when absent. */
  count?: (range: CountedRange) => Promise<number>
}
