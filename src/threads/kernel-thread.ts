/**
 * What Linux knows of a single thread, by its own number of it. Node tells how much of a processor a thread has had from version 24 on only, and
 * that is what tells a thread that works without end from one that others leave no core. Elsewhere nothing of it is known.
 */
import { readFileSync, readlinkSync } from 'node:fs'

/** Of this process or of another one; the main thread of a process has the number of the process. */
export interface KernelThread { pid: number, tid: number }

/** The calling thread's `tid`; null where it cannot be told. */
export function kernelThreadId (): number | null {
  if (process.platform !== 'linux') return null
  try {
    // `<pid>/task/<tid>`
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}

/** Milliseconds since the thread began. */
export interface CoreTimes {
  ranMs: number
  /** It could have run, and others had the cores. */
  waitedMs: number
}

/** Where Linux tells them; each read of the file tells them anew. */
export const coreTimesPath = ({ pid, tid }: KernelThread): string => `/proc/${pid}/task/${tid}/schedstat`

/** What such a file says: nanoseconds with a core, nanoseconds in wait for one, and how often it had one. null: something else. */
export function coreTimesIn (schedstat: string): CoreTimes | null {
  const [ran = NaN, waited = NaN] = schedstat.split(' ').map(Number)
  return Number.isFinite(ran) ? { ranMs: ran / 1e6, waitedMs: waited / 1e6 } : null
}

/** How long it has run; null where that cannot be told, also because the thread has ended. */
export function processorTimeMs (thread: KernelThread): number | null {
  if (process.platform !== 'linux') return null
  try {
    return coreTimesIn(readFileSync(coreTimesPath(thread), 'latin1'))?.ranMs ?? null
  } catch {
    return null
  }
}
