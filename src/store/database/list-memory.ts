/** What is remembered of a collection's lists, by their names, as long as the collection is: hints, of which the oldest go. */
import { createBoundedMap, type BoundedMap } from '../../domain/bounded-map.js'

export function createListMemory<T> (maxLists: number): (collection: object) => BoundedMap<string, T> {
  const memories = new WeakMap<object, BoundedMap<string, T>>()
  return (collection) => {
    let memory = memories.get(collection)
    if (memory === undefined) memories.set(collection, memory = createBoundedMap<string, T>(maxLists))
    return memory
  }
}
