/** Many documents by `_id`, in queries side by side instead of one large one, of as many as the server takes well (server-profile). */
import pLimit from 'p-limit'
import { BSON, type Collection, type Document, type Filter, type FindOptions } from 'mongodb'
import { documentsOf } from './cursor-bytes.js'
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
  const options = { ...strength, ...(projection === undefined ? {} : { projection: projection as Document }) }
  return (await inQueries(collection, field, values, {}, options)).map(decoded) as Array<Pick<T, Field | '_id'>>
}

/** By itself, as all that is called for each document: see docs/performance.md, "What is compiled once". */
const decoded = (bytes: Uint8Array): Document => BSON.deserialize(bytes)

/** Those among which `also` holds, each as the server has encoded it: to decode it, or as much of it as is needed, is the caller's. */
export async function findBytesByIds<T extends Document & { _id: string }> (
  collection: Collection<T>, ids: string[], also: Filter<T> = {}, strength: ReadStrength = {}
): Promise<Uint8Array[]> {
  return await inQueries(collection, '_id', ids, also, strength)
}

async function inQueries<T extends Document> (
  collection: Collection<T>, field: string, values: string[], also: Filter<T>, given: FindOptions
): Promise<Uint8Array[]> {
  if (values.length === 0) return []
  const { idsPerQuery } = await serverOf(collection).profile()
  // A session does one thing after the other.
  const limit = pLimit(given.session === undefined ? queriesAtOnce : 1)
  // In the order in which the index gives them anyway, said aloud for secantusd-rs: to find out in which order MongoDB would give
  // them it plans each query, and for the first plan beside an index over an array it reads the whole collection.
  const options: FindOptions = { batchSize: idsPerQuery + 1, sort: { [field]: 1 }, ...given }
  const queries: Array<Promise<Uint8Array[]>> = []
  for (let from = 0; from < values.length; from += idsPerQuery) {
    const filter = { [field]: { $in: values.slice(from, from + idsPerQuery) }, ...also } as unknown as Filter<T>
    queries.push(limit(async () => await documentsOf(collection.find(filter, options))))
  }
  return (await Promise.all(queries)).flat()
}
