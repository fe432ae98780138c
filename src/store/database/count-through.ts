/** How many come out of a pipeline's stages. */
import type { Collection, Document } from 'mongodb'

export async function countThrough<T extends Document> (collection: Collection<T>, stages: Document[]): Promise<number> {
  const [counted] = await collection.aggregate<{ count: number }>([...stages, { $group: { _id: null, count: { $sum: 1 } } }]).toArray()
  return counted?.count ?? 0
}
