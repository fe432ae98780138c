/** How many requests there were of each source in its window of time, which begins with the first of them. In memory, and bounded there: the sources that were silent for the longest go first. */
import { createBoundedMap } from '../domain/bounded-map.js'

export interface RequestCounts {
  /** Counts one more of a source. */
  add (source: string): { count: number, endsInMs: number }
  /** Counts none. */
  of (source: string): number
}

interface Window { count: number, sinceMs: number }

export function createRequestCounts ({ windowMs, maxSources, monotonicMs }: { windowMs: number, maxSources: number, monotonicMs: () => number }): RequestCounts {
  const windows = createBoundedMap<string, Window>(maxSources)

  function windowOf (source: string, nowMs: number): Window {
    const known = windows.get(source)
    return known !== undefined && nowMs - known.sinceMs < windowMs ? known : { count: 0, sinceMs: nowMs }
  }

  return {
    add (source) {
      const nowMs = monotonicMs()
      const window = windowOf(source, nowMs)
      window.count++
      windows.set(source, window)
      return { count: window.count, endsInMs: window.sinceMs + windowMs - nowMs }
    },
    of: (source) => windowOf(source, monotonicMs()).count
  }
}
