/** What a pool and the inside of its threads say to each other, and the memory that they share. */

export type ToThread =
  | { type: 'run', id: number, input: unknown }
  /** `reason` is the name of the signal's reason: an error loses its class on its way between threads. */
  | { type: 'abort', id: number, reason: string }
  | { type: 'tell', id: number, message: unknown }
  | { type: 'close' }

export type FromThread =
  | { type: 'result', id: number, result: unknown }
  | { type: 'broke', id: number, error: Error }
  | { type: 'told', id: number, message: unknown }
  /** From a process, which shares no memory. */
  | { type: 'beat' }

/** The `workerData` of every thread of a pool. */
export interface ThreadStart {
  data: unknown
  /**
   * Written by the thread, read by the pool also while the thread is stuck. At `beatAt` how often its event loop has come round to beat, at
   * `runningAt` the id of the task whose code runs, 0 for none or one that has not said so, at `tidAt` what the kernel calls the thread, 0 where
   * that is not known.
   */
  state: Int32Array<SharedArrayBuffer>
}

export const beatAt = 0
export const runningAt = 1
export const tidAt = 2
export const createThreadState = (): ThreadStart['state'] => new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))

/** How often a thread beats. */
export const beatMs = 100
