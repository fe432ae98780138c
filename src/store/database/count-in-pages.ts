/**
 * Counts what a vendor may have millions of. A command that counts them all would hold the database for seconds, while others' wait; so beyond
 * a page it is asked, page by page, where the next one begins, which it reads from the index alone, and how many there are until then. What
 * is added or removed meanwhile may be counted or not.
 */
import type { Collection, Document, Filter } from 'mongodb'
import { countThrough } from './count-through.js'

/** Some ten milliseconds of an index. */
const defaultPageSize = 20_000

/** Of the field that is counted along; null: all of it. */
export type CountedRange = Document | null

export interface Counted<T extends Document> {
  /** By its values, in order, it is gone through; no two have the same. */
  along: keyof T & string
  /** An equality in an index, in which `along` comes next. */
  indexed: (range: CountedRange) => Filter<T>
  /** How many of them are to be counted; all when absent. */
  count?: (range: CountedRange) => Promise<number>
}

/**
 * How many of what an index finds are wanted. In stages of their own, as everywhere: where something that the index does not know stands beside what it does, the embedded
 * servers use less of the index, or none at all.
 */
export async function countWanted<T extends Document> (collection: Collection<T>, indexed: Filter<T>, wanted: Filter<T>): Promise<number> {
  return await countThrough(collection, [{ $match: indexed }, { $match: wanted }])
}

export async function countInPages<T extends Document> (
  collection: Collection<T>, { along, indexed, count: countSome }: Counted<T>, pageSize = defaultPageSize
): Promise<number> {
  const count = countSome ?? (async (range) => await collection.countDocuments(indexed(range)))
  const few = await collection.countDocuments(indexed(null), { limit: pageSize + 1 })
  if (few <= pageSize) return countSome === undefined ? few : await count(null)
  const options = { projection: { _id: 0, [along]: 1 }, sort: { [along]: 1 as const }, skip: pageSize, limit: 1 }
  let total = 0
  for (let range: CountedRange = null; ;) {
    const [next] = await collection.find<T>(indexed(range), options).toArray()
    if (next === undefined) return total + await count(range)
    const to: unknown = next[along]
    total += await count({ ...range, $lt: to })
    range = { $gte: to }
  }
}
