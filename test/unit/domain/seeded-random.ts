/** Random choices that are the same in every run: a failing seed can be run again. */
export interface SeededRandom {
  /** 0 ≤ n < bound. */
  below (bound: number): number
  chance (probability: number): boolean
  pick<T> (from: readonly T[]): T
}

/** mulberry32. */
export function seededRandom (seed: number): SeededRandom {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return { below, chance: (probability) => next() < probability, pick: (from) => from[below(from.length)] as never }
}
