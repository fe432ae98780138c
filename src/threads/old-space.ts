/**
 * How many megabytes the old generation of a thread's heap has before V8 looks at it for the first time. V8 has no such limit for one thread but a flag
 * of the process, which a heap reads when it is made, a moment after its thread was begun: so each kind of thread sets its own before it begins
 * one. Two that begin within that moment may both have that of the later one, which costs memory or time and nothing else.
 */
import { setFlagsFromString } from 'node:v8'

/** `null`: as V8 finds best, which is a small multiple of what a thread keeps. */
export function startWithOldSpace<T> (initialMb: number | null, start: () => T): T {
  setFlagsFromString(`--initial-old-space-size=${initialMb ?? 0}`)
  return start()
}
