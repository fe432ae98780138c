/**
 * How many megabytes the old generation of a thread's heap has before V8 looks at it for the first time. V8 has no such limit for one thread but a flag
 * of the process, which a heap reads when it is made, a moment after its thread was begun: so each kind of thread sets its own before it begins
 * one. Two that begin within that moment may both have that of the later one, which costs memory or time and nothing else.
 */
import { setFlagsFromString } from 'node:v8'
import { startPoolThread, type PoolThread, type PoolThreadOptions } from './pool-thread.js'

/** Gives what begins a pool's threads so. */
export const poolThreadsWithOldSpace = (initialMb: number) => (options: PoolThreadOptions): PoolThread => {
  setFlagsFromString(`--initial-old-space-size=${initialMb}`)
  return startPoolThread(options)
}
