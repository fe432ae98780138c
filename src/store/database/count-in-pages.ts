/**
 * Counts what a vendor may have millions of. A command that counts them all would hold the database for seconds, while others' wait; so beyond
 * a page it is asked, page by page, where the next one begins, which it reads from the index alone, and how many there are until then. A server
 * that does not stop there is asked as it should be (count-by-landmarks). What is added or removed meanwhile may be counted or not.
 */
import type { Collection, Document, Filter } from 'mongodb'
import { countByLandmarks } from './count-by-landmarks.js'
import { countThrough } from './count-through.js'
import type { Counted, CountedRange } from './counted.js'
import { serverOf } from './server-of.js'

/** Some ten milliseconds of an index. */
const defaultPageSize = 20_000

/**
 * How many of what an index finds are wanted. In stages of their own, as everywhere: where something that the index does not know stands beside what it does, the embedded
 * servers use less of the index, or none at all.
 */
export async function countWanted<T extends Document> (collection: Collection<T>, indexed: Filter<T>, wanted: Filter<T>): Promise<number> {
  return await countThrough(collection, [{ $match: indexed }, { $match: wanted }])
}

export async function countInPages<T extends Document> (collection: Collection<T>, counted: Counted<T>, pageSize?: number): Promise<number> {
  const { stopsAtLimit } = await serverOf(collection).profile()
  return stopsAtLimit ? await countByPages(collection, counted, pageSize) : await countByLandmarks(collection, counted, pageSize)
}

async function countByPages<T extends Document> (
  collection: Collection<T>, { along, within, indexed, count: countSome }: Counted<T>, pageSize = defaultPageSize
): Promise<number> {
  const all = within ?? null
  const count = countSome ?? (async (range) => await collection.countDocuments(indexed(range)))
  const few = await collection.countDocuments(indexed(all), { limit: pageSize + 1 })
  if (few <= pageSize) return countSome === undefined ? few : await count(all)
  const options = { projection: { _id: 0, [along]: 1 }, sort: { [along]: 1 as const }, skip: pageSize, limit: 1 }
  let total = 0
  for (let range: CountedRange = all; ;) {
    const [next] = await collection.find<T>(indexed(range), options).toArray()
    if (next === undefined) return total + await count(range)
    const to: unknown = next[along]
    total += await count({ ...range, $lt: to })
    range = { ...within, $gte: to }
  }
}
