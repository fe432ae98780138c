/**
 * Gives back what a large piece of work has left in this thread's heap. By itself V8 lets it lie until as much has come again, and in a process of several
 * threads each keeps what its largest piece has taken.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/** Takes some 10 ms of the thread, 40 of a heap of 400 MB, in which nothing else of it runs; several times that where it has no core to itself. */
export function collectGarbage (): void {
  collect ??= collector()
  collect()
}

/** Where the heap holds more than this many megabytes. */
export function collectGarbageAbove (megabytes: number): void {
  if (getHeapStatistics().used_heap_size > megabytes * 1e6) collectGarbage()
}

/** The same, once those who have had the work in their hands have heard of its end: that takes them a round of the event loop, or two. `done` is called then. */
export function collectGarbageSoon (megabytes: number, done: () => void = () => {}): void {
  setImmediate(() => {
    setImmediate(() => {
      collectGarbageAbove(megabytes)
      done()
    })
  })
}

/** V8 has it for whoever asks with this flag, in contexts that are made from then on. */
function collector (): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
