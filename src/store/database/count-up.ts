/** Counts how often something has happened, in a document that the first time makes. */
import type { Collection } from 'mongodb'
import { isDuplicateKey } from './database-errors.js'

interface Counter { _id: string, changes: number }

export async function countUp<T extends Counter> (collection: Collection<T>, id: string): Promise<void> {
  await twiceIfNew(async () => await counterIn(collection).updateOne({ _id: id }, { $inc: { changes: 1 } }, { upsert: true }))
}

/** Gives what it is then. For small documents: MongoDB keeps a copy of the whole of it, to answer the same again. */
export async function countUpBy<T extends Counter> (collection: Collection<T>, id: string, by: number): Promise<number> {
  const counted = await twiceIfNew(async () => await counterIn(collection).findOneAndUpdate({ _id: id }, { $inc: { changes: by } }, { upsert: true, returnDocument: 'after' }))
  return counted?.changes ?? by
}

const counterIn = <T extends Counter>(collection: Collection<T>): Collection<Counter> => collection as unknown as Collection<Counter>

async function twiceIfNew<R> (up: () => Promise<R>): Promise<R> {
  try {
    return await up()
  } catch (error) {
    // Another has made the document in the same moment; now it is there.
    if (!isDuplicateKey(error)) throw error
    return await up()
  }
}
