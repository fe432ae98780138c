/** Counts how often something has happened, in a document that the first time makes. */
import type { Collection } from 'mongodb'
import { isDuplicateKey } from './database-errors.js'

export async function countUp<T extends { _id: string, changes: number }> (collection: Collection<T>, id: string): Promise<void> {
  const up = async (): Promise<unknown> => await (collection as unknown as Collection<{ _id: string, changes: number }>).updateOne({ _id: id }, { $inc: { changes: 1 } }, { upsert: true })
  await up().catch(async (error: unknown) => {
    // Another has made the document in the same moment; now it is there.
    if (!isDuplicateKey(error)) throw error
    await up()
  })
}
