/**
 * Many documents by `_id`, in small queries side by side instead of one large one. A server that checks each document against
 * the whole `$in` list pays for its length: SecantusDB takes 0.43 ms a document with 500 ids in a list, 0.18 ms with 100 and 0.14 ms
 * with 50. secantusd-rs pays for each query: 20 us a document with 100 and 30 us with 50. MongoDB takes either well.
 */
import pLimit from 'p-limit'
import type { Collection, Document, Filter } from 'mongodb'
import type { ReadStrength } from './lasting-reads.js'

const valuesPerQuery = 100
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
  const limit = pLimit(queriesAtOnce)
  // In the order in which the index gives them anyway, said aloud for secantusd-rs: to find out in which order MongoDB would give
  // them it plans each query, and for the first plan beside an index over an array it reads the whole collection.
  const options = { batchSize: valuesPerQuery + 1, sort: { [field]: 1 as const }, ...strength, ...(projection === undefined ? {} : { projection: projection as Document }) }
  const queries: Array<Promise<Array<Pick<T, Field | '_id'>>>> = []
  for (let from = 0; from < values.length; from += valuesPerQuery) {
    const filter = { [field]: { $in: values.slice(from, from + valuesPerQuery) } } as unknown as Filter<T>
    queries.push(limit(async () => await collection.find<Pick<T, Field | '_id'>>(filter, options).toArray()))
  }
  return (await Promise.all(queries)).flat()
}
