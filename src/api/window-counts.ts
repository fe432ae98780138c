/**
 * How often something has happened by key, in windows of time that begin with the first time. Of keys that come back the least recently counted is
 * forgotten when there are too many, so memory is bounded whatever strangers send.
 */
import { createBoundedMap } from '../domain/bounded-map.js'

export interface WindowCount {
  count: number
  /** Until its window is over; 0 when there is none. */
  leftMs: number
}

export interface WindowCounts {
  /** Counts one more. */
  add (key: string): WindowCount
  look (key: string): WindowCount
}

export interface WindowCountsOptions { windowMs: number, maxKeys: number, monotonicMs: () => number }

interface Window { count: number, beganAtMs: number }

export function createWindowCounts ({ windowMs, maxKeys, monotonicMs }: WindowCountsOptions): WindowCounts {
  const windows = createBoundedMap<string, Window>(maxKeys)

  function current (key: string, now: number): Window | undefined {
    const window = windows.get(key)
    return window !== undefined && now - window.beganAtMs < windowMs ? window : undefined
  }

  return {
    add (key) {
      const now = monotonicMs()
      const window = current(key, now) ?? { count: 0, beganAtMs: now }
      window.count++
      // Also one that is known: it is the last to be forgotten.
      windows.set(key, window)
      return { count: window.count, leftMs: window.beganAtMs + windowMs - now }
    },
    look (key) {
      const now = monotonicMs()
      const window = current(key, now)
      return window === undefined ? { count: 0, leftMs: 0 } : { count: window.count, leftMs: window.beganAtMs + windowMs - now }
    }
  }
}
