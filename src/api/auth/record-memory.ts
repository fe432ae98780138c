/**
 * Records that are asked for at every request, remembered for a few seconds: the bound on how long a revoked key, or a
 * membership that has ended, still works anywhere. Memory is bounded, whatever strangers ask for.
 */
import { createBoundedMap } from '../../domain/bounded-map.js'

export interface RecordMemory<T> {
  /** null: there is none. Throws what `read` throws, and remembers nothing then. */
  find (key: string): Promise<T | null>
  /** What `find` would give without asking; undefined: it would ask. */
  recall (key: string): T | null | undefined
  /** Whether there was a record of that key when it was last looked up, however long ago. */
  knows (key: string): boolean
  /** The next `find` reads it anew: for changes made by this very process. */
  forget (key: string): void
}

/** The promise is 5 s; the rest is for websockets, which ask every second, for the look-up itself and for requests already past it. */
export const memoryMs = 3_000
const maxKnown = 10_000
/** Apart from the known ones, so that a flood of made-up keys cannot push those out. */
const maxUnknown = 1_000

interface Remembered<T> { record: T | null, at: number }

export function createRecordMemory<T> (
  { read, monotonicMs }: { read: (key: string) => Promise<T | null>, monotonicMs: () => number }
): RecordMemory<T> {
  const known = createBoundedMap<string, Remembered<T>>(maxKnown)
  const unknown = createBoundedMap<string, Remembered<T>>(maxUnknown)
  const lookUps = new Map<string, Promise<Remembered<T>>>()

  function remembered (key: string): Remembered<T> | undefined {
    const last = known.get(key) ?? unknown.get(key)
    return last !== undefined && monotonicMs() - last.at < memoryMs ? last : undefined
  }

  /** One look-up for all who ask at once. */
  function lookUp (key: string): Promise<Remembered<T>> {
    // The age counts from before the read: a revoke may be written right after it.
    const at = monotonicMs()
    const found = read(key).then((record) => {
      const read = { record, at }
      // Forgotten meanwhile: what was read may be from before the change.
      if (lookUps.get(key) !== found) return read
      known.delete(key)
      unknown.delete(key)
      const memory = record === null ? unknown : known
      memory.set(key, read)
      return read
    }).finally(() => { if (lookUps.get(key) === found) lookUps.delete(key) })
    lookUps.set(key, found)
    return found
  }

  return {
    recall: (key) => remembered(key)?.record,
    find: async (key) => (remembered(key) ?? await (lookUps.get(key) ?? lookUp(key))).record,
    knows: (key) => known.get(key) !== undefined,
    forget (key) {
      known.delete(key)
      unknown.delete(key)
      lookUps.delete(key)
    }
  }
}
