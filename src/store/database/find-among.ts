/**
 * The first documents in the order of an index of which more must hold than the index knows, such as that they are published. Of millions in a
 * row it may not hold, so a command looks at a bounded number of them, and the next one goes on behind those. A server that looks at all that
 * matches is asked for ranges instead (find-in-ranges).
 */
import type { Collection, Document, Filter } from 'mongodb'
import type { Counted, CountedRange } from './count-in-pages.js'
import { findInRanges } from './find-in-ranges.js'
import { serverOf } from './server-of.js'

export interface Sought<T extends Document> extends Pick<Counted<T>, 'along' | 'indexed'> {
  wanted: Filter<T>
}

export interface SoughtPage {
  /** The value of `along` that the last page ended with. */
  after: string | null
  limit: number
  /** With `along`; absent: all fields. */
  projection?: Document
}

/** Of as many, one at least is wanted nearly always; some ten milliseconds where none is. */
const defaultLookedAt = 2_000

export async function findAmong<T extends Document, Found extends Document = T> (
  collection: Collection<T>, sought: Sought<T>, page: SoughtPage, lookedAt = defaultLookedAt
): Promise<Found[]> {
  const { along, indexed, wanted } = sought
  const { stopsAtLimit } = await serverOf(collection).profile()
  if (stopsAtLimit) return await findStepByStep(collection, sought, page, lookedAt)
  const projected = page.projection === undefined ? [] : [{ $project: page.projection }]
  return await findInRanges<Found>(collection, {
    list: JSON.stringify(indexed(null)),
    along,
    isSifted: true,
    read: async (range, limit) => await collection.aggregate<Found>([
      { $match: indexed(range) }, { $match: wanted }, { $sort: { [along]: 1 } }, { $limit: limit }, ...projected
    ], { batchSize: limit + 1 }).toArray()
  }, page)
}

async function findStepByStep<T extends Document, Found extends Document> (
  collection: Collection<T>, { along, indexed, wanted }: Sought<T>, { after, limit, projection }: SoughtPage, lookedAt: number
): Promise<Found[]> {
  const found: Found[] = []
  const sort = { [along]: 1 as const }
  for (let range: CountedRange = after === null ? null : { $gt: after }; ;) {
    found.push(...await collection.aggregate<Found>([
      { $match: indexed(range) }, { $sort: sort }, { $limit: lookedAt }, { $match: wanted }, { $limit: limit - found.length },
      ...(projection === undefined ? [] : [{ $project: projection }])
    ], { batchSize: limit + 1 }).toArray())
    if (found.length >= limit) return found
    const [last] = await collection.find<T>(indexed(range), { projection: { _id: 0, [along]: 1 }, sort, skip: lookedAt - 1, limit: 1 }).toArray()
    if (last === undefined) return found
    range = { $gt: last[along] as unknown }
  }
}
