/**
 * How long the main thread's event loop is held up, and by what: it worked, or it could and got no core (threads/kernel-thread). Both are read each
 * time that the loop comes round; what is neither was waiting for a lock, or taken by the machine's host without a word.
 * The loop has something to do each millisecond, so it is never long at rest.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { coreTimesIn, coreTimesPath, type CoreTimes } from '../src/threads/kernel-thread.js'

export interface LoopHoldUps {
  /** The most that the loop has worked without coming round. NaN where the kernel does not say. */
  atWorkMs: number
  /** The most that it has waited for a core without coming round. */
  withoutCoreMs: number
  /** The longest that it has not come round, less what it waited for a core meanwhile: work, locks and the host. NaN as above. */
  exceptCoresMs: number
}

const everyMs = 1
const unknown: CoreTimes = { ranMs: NaN, waitedMs: NaN }

export function watchLoopHoldUps (): () => LoopHoldUps {
  const { read, close } = readOwnCoreTimes()
  const most: LoopHoldUps = { atWorkMs: 0, withoutCoreMs: 0, exceptCoresMs: 0 }
  let [last, lastAt] = [read(), performance.now()]
  const look = (): void => {
    const [now, at] = [read(), performance.now()]
    const withoutCoreMs = now.waitedMs - last.waitedMs
    most.atWorkMs = Math.max(most.atWorkMs, now.ranMs - last.ranMs)
    most.withoutCoreMs = Math.max(most.withoutCoreMs, withoutCoreMs)
    most.exceptCoresMs = Math.max(most.exceptCoresMs, at - lastAt - withoutCoreMs);
    [last, lastAt] = [now, at]
  }
  const timer = setInterval(look, everyMs).unref()
  return () => {
    clearInterval(timer)
    look()
    close()
    return most
  }
}

/** Opened once: to open the file again each time took a twentieth of a core. */
function readOwnCoreTimes (): { read: () => CoreTimes, close: () => void } {
  if (process.platform !== 'linux') return { read: () => unknown, close: () => {} }
  const file = openSync(coreTimesPath({ pid: process.pid, tid: process.pid }), 'r')
  const text = Buffer.alloc(64)
  return {
    read: () => coreTimesIn(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0))) ?? unknown,
    close: () => { closeSync(file) }
  }
}
