/**
 * Death without clocks: whoever works on something raises a counter, and who waits takes over only what has stood still for a whole
 * lease on the waiter's own monotonic clock. Wall clocks may differ and jump as they like.
 */
export interface Standstill {
  /** True when `key` has shown this very `mark` for the whole lease, as far as has been looked at. */
  standsStill (key: string, mark: string): boolean
  /** Gives the lease anew, as when nobody could have moved. */
  forget (key: string): void
  /** Forgets all others. */
  keepOnly (keys: ReadonlySet<string>): void
}

export function createStandstill (leaseMs: number, now: () => number = () => performance.now()): Standstill {
  const seen = new Map<string, { mark: string, sinceMs: number }>()
  return {
    standsStill (key, mark) {
      const before = seen.get(key)
      if (before?.mark === mark) return now() - before.sinceMs >= leaseMs
      seen.set(key, { mark, sinceMs: now() })
      return false
    },
    forget (key) { seen.delete(key) },
    keepOnly (keys) {
      for (const key of seen.keys()) if (!keys.has(key)) seen.delete(key)
    }
  }
}
