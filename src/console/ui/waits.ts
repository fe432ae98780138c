/**
 * For how long the reader has been waiting. What is waited for in turn, the session, then a page's script, then its data, each has a skeleton of its own, but is one wait to whoever looks at it:
 * a skeleton that follows another at once goes on where that one was.
 */

export interface Waits {
  /** Gives how long has been waited already, in ms. */
  begin (): number
  end (): void
}

/** Skeletons with more than this between them are two waits. */
const turnMs = 50

export function createWaits (nowMs: () => number): Waits {
  let [beganMs, endedMs] = [-Infinity, -Infinity]
  return {
    begin () {
      const ms = nowMs()
      if (ms - endedMs > turnMs) beganMs = ms
      return ms - beganMs
    },
    end () { endedMs = nowMs() }
  }
}
