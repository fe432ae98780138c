/**
 * Look-ups of single records, gathered: what the resolvers of one turn ask for is read in one go. So the experts of fifty
 * conversations are one query, and none when nobody selects them.
 */
import { setImmediate as turn } from 'node:timers/promises'

export type Batch<T> = (id: string) => Promise<T | undefined>

export function createBatch<T> (load: (ids: string[]) => Promise<Map<string, T>>): Batch<T> {
  let gathering: { ids: Set<string>, found: Promise<Map<string, T>> } | null = null
  return async (id) => {
    if (gathering === null) {
      const ids = new Set<string>()
      gathering = {
        ids,
        found: turn().then(async () => {
          gathering = null
          return await load([...ids])
        })
      }
    }
    gathering.ids.add(id)
    return (await gathering.found).get(id)
  }
}

/** The same promise to all who ask; nothing is done until one does. */
export function once<T> (work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return async () => await (result ??= work())
}
