/** What indexes.ts would make, as data: to be held against what a database has. */
import type { IndexDescription } from 'mongodb'
import type { Collections } from './connection.js'
import { ensureIndexes } from './indexes.js'

export interface DeclaredIndex {
  /** By its name in the code. */
  collection: keyof Collections
  index: IndexDescription & { name: string }
}

/** indexes.ts is asked itself, with collections that only write down: what it makes stands once. */
export async function declaredIndexes (): Promise<DeclaredIndex[]> {
  const declared: DeclaredIndex[] = []
  const writingDown = (collection: keyof Collections): object => ({
    createIndexes: async (indexes: Array<DeclaredIndex['index']>) => { declared.push(...indexes.map((index) => ({ collection, index }))) }
  })
  await ensureIndexes(new Proxy({}, { get: (_, name) => writingDown(name as keyof Collections) }) as Collections)
  return declared
}
