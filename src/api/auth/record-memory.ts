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
interface LookUp<T> { found: Promise<Remembered<T>>, at: number }

export function createRecordMemory<T> (
  { read, monotonicMs }: { read: (key: string) => Promise<T | null>, monotonicMs: () => number }
): RecordMemory<T> {
  const known = createBoundedMap<string, Remembered<T>>(maxKnown)
  const unknown = createBoundedMap<string, Remembered<T>>(maxUnknown)
  const lookUps = new Map<string, LookUp<T>>()

  const isRecent = ({ at }: { at: number }): boolean => monotonicMs() - at < memoryMs

  function remembered (key: string): Remembered<T> | undefined {
    const last = known.get(key) ?? unknown.get(key)
    return last !== undefined && isRecent(last) ? last : undefined
  }

  /** One look-up for all who ask at once. Of a database that takes its time, none that is older than what is remembered may be: it may have read before a revoke. */
  function lookUp (key: string): Promise<Remembered<T>> {
    const underWay = lookUps.get(key)
    return underWay !== undefined && isRecent(underWay) ? underWay.found : begin(key)
  }

  function begin (key: string): Promise<Remembered<T>> {
    // The age counts from before the read: a revoke may be written right after it.
    const at = monotonicMs()
    const isLatest = (): boolean => lookUps.get(key)?.found === found
    const found = read(key).then((record) => {
      const read = { record, at }
      // Forgotten meanwhile, or begun anew: what was read may be from before the change.
      if (!isLatest()) return read
      known.delete(key)
      unknown.delete(key)
      const memory = record === null ? unknown : known
      memory.set(key, read)
      return read
    }).finally(() => { if (isLatest()) lookUps.delete(key) })
    lookUps.set(key, { found, at })
    return found
  }

  return {
    recall: (key) => remembered(key)?.record,
    find: async (key) => (remembered(key) ?? await lookUp(key)).record,
    knows: (key) => known.get(key) !== undefined,
    forget (key) {
      known.delete(key)
      unknown.delete(key)
      lookUps.delete(key)
    }
  }
}
