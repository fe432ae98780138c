/**
 * An unordered bulk of updates, in as few commits as the server can do it with: where it commits each document by itself, all are made in one
 * transaction, up to ten times as fast. A transaction is never relied upon. One that fails, for whatever reason (somebody else's write in the
 * way, a limit of the server, a lost connection), is made up for by the plain bulk, so each operation must be one that does nothing the second time, as
 * one that is guarded by a revision. Then it does not matter either that the answer to a commit was lost: what was done does not
 * match again, and is missing in the counts, as it is when the answer to a plain bulk was lost and the driver has sent it again.
 *
 *   in the snapshot that the documents were read in ── fails ─▶ in a transaction of its own, guarded ── fails ─▶ the plain bulk, guarded
 *
 * Inserts are none of this: servers commit those of a bulk at once, and one whose `_id` is taken would end a transaction.
 */
import type { AnyBulkWriteOperation, BulkWriteResult, ClientSession, Collection, Document, Filter } from 'mongodb'
import { reportFailedTransaction } from './failed-transactions.js'
import { serverOf } from './server-of.js'
import { noSnapshot, type Snapshot } from './snapshot.js'

/** At most what has been done. */
export type UpdateCounts = Pick<BulkWriteResult, 'matchedCount' | 'modifiedCount'>

export interface CommitUpdatesOptions {
  /** Asked at once before anything is sent. */
  fence?: (() => Promise<void>) | undefined
  /** That all the documents were read in. */
  snapshot?: Snapshot | undefined
}

/** Rejects as the fence or `bulkWrite` does; then any of the updates may be done. */
export async function commitUpdates<T extends Document> (
  collection: Collection<T>, updates: Array<AnyBulkWriteOperation<T>>, { fence, snapshot = noSnapshot }: CommitUpdatesOptions = {}
): Promise<UpdateCounts> {
  if (updates.length === 0) return { matchedCount: 0, modifiedCount: 0 }
  const bulk = async (operations: Array<AnyBulkWriteOperation<T>>, session?: ClientSession): Promise<UpdateCounts> => {
    await fence?.()
    return await collection.bulkWrite(operations, { ordered: false, ...session === undefined ? {} : { session } })
  }
  const server = serverOf(collection)
  const ways: Array<() => Promise<UpdateCounts>> = []
  if (snapshot.isOpen()) ways.push(async () => await snapshot.commit(async (session) => await bulk(updates.map(unguarded), session)))
  // One by itself is a commit anyway.
  if (updates.length > 1 && (await server.profile()).commitsEachDocument) ways.push(async () => await server.inTransaction(async (session) => await bulk(updates, session)))
  ways.push(async () => await server.pastTransactions(async () => await bulk(updates)))
  return await firstToSucceed(ways, (error) => { reportFailedTransaction(collection.collectionName, error) })
}

/** Rejects as the last one does. `onMadeUpFor` is told why one failed when another has succeeded, and not before: where the last fails as well, it was not for being a transaction. */
async function firstToSucceed<T> ([way, ...others]: Array<() => Promise<T>>, onMadeUpFor: (error: unknown) => void): Promise<T> {
  if (way === undefined) throw new Error('There is no way')
  try {
    return await way()
  } catch (error) {
    if (others.length === 0) throw error
    const result = await firstToSucceed(others, onMadeUpFor)
    onMadeUpFor(error)
    return result
  }
}

/** What a snapshot guards need no other guard. */
function unguarded<T extends Document> (operation: AnyBulkWriteOperation<T>): AnyBulkWriteOperation<T> {
  if ('updateOne' in operation) return { updateOne: { ...operation.updateOne, filter: byIdAlone(operation.updateOne.filter) } }
  if ('replaceOne' in operation) return { replaceOne: { ...operation.replaceOne, filter: byIdAlone(operation.replaceOne.filter) } }
  return operation
}

const byIdAlone = <T extends Document>({ _id }: Filter<T>): Filter<T> => ({ _id }) as Filter<T>
