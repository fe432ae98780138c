/**
 * Gives back what a large piece of work has left in this thread's heap. By itself V8 lets it lie until as much has come again, and in a process of several
 * threads each keeps what its largest piece has taken.
 */
import { getHeapStatistics } from 'node:v8'
import { letGo } from './let-go.js'

/** More than V8 lets come outside of a heap, 64 MiB, before it collects. */
const pressureBytes = 65 * 1_024 * 1_024

/**
 * Has V8 begin to collect this thread's garbage. It does so in steps of some milliseconds, between what else the thread does and beside it, and is through after some 50 to 100. `gc()` would do it in
 * one piece, 40 ms of a heap of 80 MB, and hold a lock of the whole process meanwhile, for which the end of any other heap's collection waits: the event loop's too, by 220 ms where the thread had no core.
 *
 * What V8 counts is the size of a buffer; nobody writes into it, so it takes no memory. It is let go of at once, or V8 would hurry.
 */
export function beginCollecting (): void {
  try {
    letGo([new ArrayBuffer(pressureBytes)])
  } catch (error) {
    // No room for it. V8 has collected whatever there is before it says so.
    if (!(error instanceof RangeError)) throw error
  }
}

/**
 * Megabytes of this thread, in use and not: its heap, and what lies outside of it, as all buffers do and all strings over a megabyte. 17 of those outside are the BSON
 * serializer's, which hardly takes any of them.
 */
export function heldMegabytes (): number {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics()
  return (heap + outside) / 1e6
}

/** What a thread holds while it imports a catalog or takes requests, between two collections of V8's own. */
const ordinaryMegabytes = 68
/** Of a thread that has no core, V8 may take this long; what waits for it then goes on as it is. */
const defaultPatienceMs = 500
/** A collection that V8 had already begun gives back what was garbage as it began; what became garbage since is left for another, which is asked for after this long. */
const askAgainMs = 50

/** Calls each when its token is found to be garbage, which V8 finds in collections of all of a heap alone. */
const ends = new FinalizationRegistry<() => void>((ended) => { ended() })

/**
 * Where the thread holds more than is ordinary, once those who have had the work in their hands have heard of its end: that takes them a round of the event loop, or two. Resolves when that is done, which whoever
 * begins something large of this size had better wait for.
 */
export async function collectGarbageSoon (patienceMs = defaultPatienceMs): Promise<void> {
  await turn()
  await turn()
  if (heldMegabytes() <= ordinaryMegabytes) return
  await new Promise<void>((resolve) => {
    const asks = setInterval(beginCollecting, askAgainMs)
    const patience = setTimeout(ended, patienceMs)
    ends.register({}, ended)
    beginCollecting()
    function ended (): void {
      clearInterval(asks)
      clearTimeout(patience)
      resolve()
    }
  })
}

const turn = async (): Promise<void> => { await new Promise((resolve) => { setImmediate(resolve) }) }
