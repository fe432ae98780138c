/**
 * How long the main thread's event loop is held up, and by what: it worked, or it could and got no core. Both are the kernel's own count
 * (schedstat of proc(5), Linux), and are read each time that the loop comes round; what is neither was waiting for something, or taken by the
 * machine's host without a word.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { note } from './figure.js'

export interface LoopHoldUps {
  /** The most that the loop has worked without coming round. NaN where the kernel does not say. */
  atWorkMs: number
  /** The most that it has waited for a core without coming round. */
  withoutCoreMs: number
}

const everyMs = 1

/** Of a thread: for how long it has run, and waited to. */
interface CoreTimes { ranMs: number, waitedMs: number }

export function watchLoopHoldUps (): () => LoopHoldUps {
  const times = openCoreTimes()
  const most: LoopHoldUps = { atWorkMs: 0, withoutCoreMs: 0 }
  let last = times.read()
  const look = (): void => {
    const now = times.read()
    most.atWorkMs = Math.max(most.atWorkMs, now.ranMs - last.ranMs)
    most.withoutCoreMs = Math.max(most.withoutCoreMs, now.waitedMs - last.waitedMs)
    last = now
  }
  const timer = setInterval(look, everyMs).unref()
  return () => {
    clearInterval(timer)
    look()
    times.close()
    return most
  }
}

function openCoreTimes (): { read: () => CoreTimes, close: () => void } {
  const unknown = { ranMs: NaN, waitedMs: NaN }
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    const text = Buffer.alloc(128)
    return {
      read: () => {
        const [ran = NaN, waited = NaN] = text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ').map(Number)
        return { ranMs: ran / 1e6, waitedMs: waited / 1e6 }
      },
      close: () => { closeSync(file) }
    }
  } catch (error) {
    note(`what the event loop did is not known: ${String(error)}`)
    return { read: () => unknown, close: () => {} }
  }
}
