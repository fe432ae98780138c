/**
 * How many megabytes the old generation of a thread's heap has before V8 looks at it for the first time. V8 has no such limit for one thread but a flag
 * of the process, which a heap reads when it is made, a moment after its thread was begun: so each kind of thread sets its own before it begins
 * one. Two that begin within that moment may both have that of the later one, which costs memory or time and nothing else.
 */
import { setFlagsFromString } from 'node:v8'

export function startWithOldSpace<T> (initialMb: number, start: () => T): T {
  setFlagsFromString(`--initial-old-space-size=${initialMb}`)
  return start()
}
