/**
 * An unordered bulk of updates, in as few commits as the server can do it with: where it commits each document by itself, all are made in one
 * transaction, up to ten times as fast. A transaction is never relied upon. One that fails, for whatever reason (somebody else's write in the
 * way, a limit of the server, a lost connection), is made up for by the plain bulk, so each operation must be one that does nothing the second time, as
 * one that is guarded by a revision. Then it does not matter either that the answer to a commit was lost: what was done does not
 * match again, and is missing in the counts, as it is when the answer to a plain bulk was lost and the driver has sent it again.
 *
 * Inserts are none of this: servers commit those of a bulk at once, and one whose `_id` is taken would end a transaction.
 */
import type { AnyBulkWriteOperation, BulkWriteResult, ClientSession, Collection, Document } from 'mongodb'
import { reportFailedTransaction } from './failed-transactions.js'
import { serverOf } from './server-of.js'

/** At most what has been done. */
export type UpdateCounts = Pick<BulkWriteResult, 'matchedCount' | 'modifiedCount'>

/** `fence` is asked at once before anything is sent. Rejects as it or `bulkWrite` does; then any of the updates may be done. */
export async function commitUpdates<T extends Document> (
  collection: Collection<T>, updates: Array<AnyBulkWriteOperation<T>>, fence?: () => Promise<void>
): Promise<UpdateCounts> {
  if (updates.length === 0) return { matchedCount: 0, modifiedCount: 0 }
  const bulk = async (session?: ClientSession): Promise<UpdateCounts> => {
    await fence?.()
    return await collection.bulkWrite(updates, { ordered: false, ...session === undefined ? {} : { session } })
  }
  const server = serverOf(collection)
  const plainly = async (): Promise<UpdateCounts> => await server.pastTransactions(async () => await bulk())
  // One by itself is a commit anyway.
  if (updates.length < 2 || !(await server.profile()).commitsEachDocument) return await plainly()
  try {
    return await server.inTransaction(bulk)
  } catch (error) {
    const counts = await plainly()
    // Not before: where the plain bulk fails as well, it was not for being a transaction.
    reportFailedTransaction(collection.collectionName, error)
    return counts
  }
}
