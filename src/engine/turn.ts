/**
 * Giving way. Several runs share a thread, each on the event loop in turn; none may keep it for as long as its batch happens to take. So whoever
 * goes through many records asks between two of them whether the turn is over, and if so lets the others go first. A turn is bounded by time
 * and not by records: a record may weigh a hundred bytes or four megabytes.
 *
 * What counts is how long this thread's event loop has not come round, whoever has had it meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises'

export interface Turn {
  /**
   * To be asked between any two steps, each a few milliseconds at most. Says as well that it is this run that has the event loop. That of a run which
   * was aborted is over. Costs 0.1 µs.
   */
  isOver (): boolean
  /** Resolves when the others have gone. Rejects with the abort's reason: a run is ended in the middle of a batch, too. */
  giveWay (): Promise<void>
  /** Resolves after so many milliseconds. Rejects with the abort's reason, at once. */
  pause (ms: number): Promise<void>
}

/** Of four runs side by side each has its turn within 100 ms. */
const maxTurnMs = 25

/** Since when the event loop of this thread has not come round; null when nobody has asked since it has. */
let busySinceMs: number | null = null
let isRoundAwaited = false

function begin (): void {
  busySinceMs = performance.now()
  if (isRoundAwaited) return
  isRoundAwaited = true
  setImmediate(() => {
    isRoundAwaited = false
    busySinceMs = null
  })
}

/** `onRunning` is called whenever the run has the event loop. */
export function createTurn (signal: AbortSignal, onRunning: () => void = () => {}): Turn {
  return {
    isOver () {
      onRunning()
      if (signal.aborted) return true
      if (busySinceMs !== null) return performance.now() - busySinceMs > maxTurnMs
      begin()
      return false
    },
    async giveWay () {
      await new Promise((resolve) => { setImmediate(resolve) })
      signal.throwIfAborted()
      // Who has gone before in this round has had a turn of its own.
      begin()
      onRunning()
    },
    async pause (ms) {
      // Nothing but the abort ends it early.
      await delay(ms, undefined, { signal }).catch(() => { signal.throwIfAborted() })
    }
  }
}
