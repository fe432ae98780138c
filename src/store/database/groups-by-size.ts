/** Products are read, held and written in groups: however large those of a hostile vendor are, memory and the time of a step are bounded. */

/** As much as a batch: a group of new products is never cut. What a group takes to decode, fold and encode is some 50 ms. */
export const maxGroupCharacters = 4 * 1024 * 1024

/** Consecutive items that stay below the bound together; one that is larger goes by itself. `sizeOf` gives characters, by what is `known` of all. */
export function groupsBySize<T> (items: Iterable<T>, sizeOf: (item: T) => number): Generator<T[]>
export function groupsBySize<T, Known> (items: Iterable<T>, sizeOf: (item: T, known: Known) => number, known: Known): Generator<T[]>
export function * groupsBySize<T> (items: Iterable<T>, sizeOf: (item: T, known?: unknown) => number, known?: unknown): Generator<T[]> {
  let next: T[] = []
  let characters = 0
  for (const item of items) {
    const size = sizeOf(item, known)
    if (next.length > 0 && characters + size > maxGroupCharacters) {
      yield next
      next = []
      characters = 0
    }
    next.push(item)
    characters += size
  }
  if (next.length > 0) yield next
}
