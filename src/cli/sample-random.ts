/**
 * A small seeded generator (mulberry32), so that the same seed gives the same bytes on every machine and in every
 * run. Not for secrets.
 */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  fraction (): number
  /** A whole number from `min` to `max`, both inclusive. */
  integer (min: number, max: number): number
  /** True in this share of the calls, 0 to 1. */
  chance (share: number): boolean
  pick<T> (choices: readonly [T, ...T[]]): T
}

export function createRandom (seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  return {
    fraction,
    integer: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    chance: (share) => fraction() < share,
    pick: (choices) => choices[Math.floor(fraction() * choices.length)] ?? choices[0]
  }
}

/** A seed for the n-th of many, so that each can be made without the ones before it. */
export const seedOf = (seed: number, index: number): number => (Math.imul(seed, 0x85EBCA6B) ^ Math.imul(index + 1, 0x9E3779B1)) >>> 0
