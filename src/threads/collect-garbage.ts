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

/**
 * Megabytes of this thread, in use and not: its heap, and what lies outside of it, as all buffers do and all strings over a megabyte. 17 of those outside are the BSON
 * serializer's, which hardly takes any of them.
 */
export function heldMegabytes (): number {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics()
  return (heap + outside) / 1e6
}

/** Where the thread holds more than this. */
export function collectGarbageAbove (megabytes: number): void {
  if (heldMegabytes() > megabytes) collectGarbage()
}

/** What a thread holds while it imports a catalog or takes requests, between two collections of V8's own. */
const ordinaryMegabytes = 84

/** Where it holds more than is ordinary, once those who have had the work in their hands have heard of its end: that takes them a round of the event loop, or two. `done` is called then. */
export function collectGarbageSoon (done: () => void = () => {}): void {
  setImmediate(() => {
    setImmediate(() => {
      collectGarbageAbove(ordinaryMegabytes)
      done()
    })
  })
}

/** V8 has it for whoever asks with this flag, in contexts that are made from then on. */
function collector (): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
