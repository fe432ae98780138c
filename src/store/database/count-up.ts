/** Counts how often something has happened, in a document that the first time makes. */
import type { Collection } from 'mongodb'
import { isDuplicateKey } from './database-errors.js'

/** Gives what it is then. */
export async function countUp<T extends { _id: string, changes: number }> (collection: Collection<T>, id: string, by = 1): Promise<number> {
  const counters = collection as unknown as Collection<{ _id: string, changes: number }>
  const up = async (): Promise<number> => (await counters.findOneAndUpdate({ _id: id }, { $inc: { changes: by } }, { upsert: true, returnDocument: 'after', projection: { changes: 1 } }))?.changes ?? by
  try {
    return await up()
  } catch (error) {
    // Another has made the document in the same moment; now it is there.
    if (!isDuplicateKey(error)) throw error
    return await up()
  }
}
