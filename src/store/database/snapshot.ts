/**
 * What is read, and the updates that come of it, in one transaction, on a server that makes bulks of updates in transactions anyway (commit-updates). Whoever has written one of
 * the documents since it was read makes the transaction fail, so its updates need no guard but that, and name their documents by `_id` alone. To such
 * a server that is much: one by `_id` and revision it plans anew for each document, which is a quarter of all that it does for a delta (docs/adr/0010).
 *
 * It is never relied upon. A read that fails in it is done without it, and so is all that follows; so are updates, by their guards.
 */
import type { ClientSession } from 'mongodb'
import { reportFailedTransaction } from './failed-transactions.js'
import { lasting, type ReadStrength } from './lasting-reads.js'
import { serverOf } from './server-of.js'

export interface Snapshot {
  /** Reads with this strength: of its state, or without it. One at a time. */
  read<T> (find: (strength: ReadStrength) => Promise<T>): Promise<T>
  /** Whether it still sees to what it has read. */
  isOpen (): boolean
  /** Does `write` and commits it, if nobody has written what it read and `write` changes; rejects if not. It is over then, either way. */
  commit<T> (write: (session: ClientSession) => Promise<T>): Promise<T>
  /** Whatever happens, it is ended. */
  end (): Promise<void>
}

/** Sees to nothing: guards do. */
export const noSnapshot: Snapshot = {
  read: async (find) => await find(lasting),
  isOpen: () => false,
  commit: async () => { throw new Error('There is no snapshot to be committed') },
  end: async () => {}
}

/** Of the server that has the collection; none where that makes no such bulks, or has as many open as it may. */
export async function openSnapshot (collection: { collectionName: string }): Promise<Snapshot> {
  const server = serverOf(collection)
  let open = (await server.profile()).commitsEachDocument ? await server.openTransaction() : null
  if (open === null) return noSnapshot

  async function end (): Promise<void> {
    const ended = open
    open = null
    await ended?.end()
  }

  return {
    async read (find) {
      if (open === null) return await find(lasting)
      try {
        return await find({ session: open.session })
      } catch (error) {
        await end()
        const found = await find(lasting)
        reportFailedTransaction(collection.collectionName, error)
        return found
      }
    },
    isOpen: () => open !== null,
    async commit (write) {
      if (open === null) throw new Error('The snapshot is over')
      try {
        const result = await write(open.session)
        await open.commit()
        return result
      } finally {
        await end()
      }
    },
    end
  }
}
