/** Many documents by `_id`, in queries side by side instead of one large one, of as many as the server takes well (server-profile). */
import pLimit from 'p-limit'
import type { Collection, Document, Filter } from 'mongodb'
import type { ReadStrength } from './lasting-reads.js'
import { serverOf } from './server-of.js'

const queriesAtOnce = 5

/** `projection` names the fields to read besides `_id`; all when absent. The order is not that of the ids. */
export async function findByIds<T extends Document & { _id: string }, Field extends keyof T & string = keyof T & string> (
  collection: Collection<T>, ids: string[], projection?: Partial<Record<Field, 1>>, strength?: ReadStrength
): Promise<Array<Pick<T, Field | '_id'>>> {
  return await findByField(collection, '_id', ids, projection, strength)
}

/** The same by any field that is unique and has an index. */
export async function findByField<T extends Document & { _id: string }, Field extends keyof T & string = keyof T & string> (
  collection: Collection<T>, field: keyof T & string, values: string[], projection?: Partial<Record<Field, 1>>, strength: ReadStrength = {}
): Promise<Array<Pick<T, Field | '_id'>>> {
  if (values.length === 0) return []
  const { idsPerQuery } = await serverOf(collection).profile()
  const limit = pLimit(queriesAtOnce)
  // In the order in which the index gives them anyway, said aloud for secantusd-rs: to find out in which order MongoDB would give
  // them it plans each query, and for the first plan beside an index over an array it reads the whole collection.
  const options = { batchSize: idsPerQuery + 1, sort: { [field]: 1 as const }, ...strength, ...(projection === undefined ? {} : { projection: projection as Document }) }
  const queries: Array<Promise<Array<Pick<T, Field | '_id'>>>> = []
  for (let from = 0; from < values.length; from += idsPerQuery) {
    const filter = { [field]: { $in: values.slice(from, from + idsPerQuery) } } as unknown as Filter<T>
    queries.push(limit(async () => await collection.find<Pick<T, Field | '_id'>>(filter, options).toArray()))
  }
  return (await Promise.all(queries)).flat()
}
