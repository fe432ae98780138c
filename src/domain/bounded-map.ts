/** A map that forgets its oldest entry when it is full. */
export interface BoundedMap<K, V> {
  get (key: K): V | undefined
  /** Makes the entry the newest. */
  set (key: K, value: V): void
  delete (key: K): void
}

export function createBoundedMap<K, V> (maxSize: number): BoundedMap<K, V> {
  const entries = new Map<K, V>()
  return {
    get: (key) => entries.get(key),
    set (key, value) {
      entries.delete(key)
      for (const oldest of entries.keys()) {
        if (entries.size < maxSize) break
        entries.delete(oldest)
      }
      entries.set(key, value)
    },
    delete (key) { entries.delete(key) }
  }
}
