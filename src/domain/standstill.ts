/**
 * Death without clocks: whoever works on something raises a counter, and who waits takes over only what has stood still for a whole
 * lease on the waiter's own monotonic clock. Wall clocks may differ and jump as they like. Who has only begun to look waits the whole lease.
 */
export interface Standstill {
  /** True when `key` has shown this very `mark` for the whole lease, as far as has been looked at. */
  standsStill (key: string, mark: string): boolean
  /** What `read` gives. Where it had to be waited for, the database was away and nobody could have moved: every lease begins anew. */
  look<T> (read: () => Promise<T>): Promise<T>
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
    async look (read) {
      const askedAtMs = now()
      const answer = await read()
      if (now() - askedAtMs > leaseMs / 2) seen.clear()
      return answer
    },
    keepOnly (keys) {
      for (const key of seen.keys()) if (!keys.has(key)) seen.delete(key)
    }
  }
}
