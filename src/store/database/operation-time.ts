/**
 * How long an operation may take. The server ends it itself then, says so, and does no more work for it; the driver does not send it again. That is told
 * from a database that is away (database-errors), and given up after a few times (while-away).
 *
 *   asked for at once (a command, `toArray`, cursor-bytes) ── 60 s of the server's work in all
 *   a cursor that is walked ──────────────────────────────── its pages have the socket's time each: a server counts a cursor's limit over all of them
 *   an index ─────────────────────────────────────────────── as long as it takes; what was built of it in vain would be begun anew
 *
 * The socket's time is longer, and for what a server does not end. (The driver's own `timeoutMS` has had no effect since 7.8.)
 */
import { Collection, type Document } from 'mongodb'

export const operationTimeMs = 60_000
export const socketTimeMs = 75_000

/** The place of their options, by method. */
const timed = {
  findOne: 1,
  countDocuments: 1,
  distinct: 2,
  insertOne: 1,
  insertMany: 1,
  bulkWrite: 1,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  deleteOne: 1,
  deleteMany: 1
} as const satisfies { [Method in keyof Collection]?: number }

const cursors = ['find', 'aggregate']
/** About the collection itself; an index is built in any of them. */
const unbounded = ['createIndex', 'createIndexes', 'listIndexes', 'indexes', 'dropIndex', 'drop']
/** What `bulkWrite` is made of, with its options. */
const bulks = ['initializeOrderedBulkOp', 'initializeUnorderedBulkOp']
/**
 * All others of the driver's, which are refused: whoever begins to use one says here what time it has. Those that find and change with one command stay out: for them both embedded servers
 * look through the whole collection, whatever is asked for (by `_id`, of 20,000 documents: 11 ms with secantusd-rs; of 8,000: 61 ms with SecantusDB; an update by `_id` 0.8 and 1.4 ms).
 */
const unused = Object.entries(Object.getOwnPropertyDescriptors(Collection.prototype))
  .filter(([name, { value }]) => typeof value === 'function' && !['constructor', ...Object.keys(timed), ...cursors, ...unbounded, ...bulks].includes(name))
  .map(([name]) => name)

/** A limit of the driver's that its types keep to itself. */
const noSocketTime = { socketTimeoutMS: 0 }

export function limitTime<T extends Document> (collection: Collection<T>): Collection<T> {
  const methods = collection as unknown as Record<string, (...given: unknown[]) => unknown>
  const wrap = (name: string, wrapped: (method: (...given: unknown[]) => unknown, given: unknown[]) => unknown): void => {
    const method = methods[name]?.bind(collection)
    if (method === undefined) throw new Error(`The driver has no ${name}`)
    methods[name] = (...given) => wrapped(method, given)
  }
  const withOptions = (name: string, place: number, options: object): void => {
    wrap(name, (method, given) => {
      given[place] = { ...options, ...given[place] as object | undefined }
      return method(...given)
    })
  }
  for (const [name, place] of Object.entries(timed)) withOptions(name, place, { maxTimeMS: operationTimeMs })
  withOptions('createIndexes', 1, noSocketTime)
  for (const name of unused) wrap(name, () => { throw new Error(`${name} has no time of its own yet (store/database/operation-time)`) })
  for (const name of cursors) {
    wrap(name, (method, given) => {
      const cursor = method(...given) as ReturnType<typeof collection.find>
      const toArray = cursor.toArray.bind(cursor)
      cursor.toArray = async () => {
        cursor.maxTimeMS(operationTimeMs)
        return await toArray()
      }
      return cursor
    })
  }
  return collection
}
