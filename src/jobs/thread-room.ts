/**
 * Whose batches are in hand in a thread, on their way through the stages or being written: those of a few vendors at a time, as more would only wait for the database
 * and for each other. A batch is some megabytes of objects by then: of ten jobs at once they would grow old in the heap, which costs a tenth of 20 vendors' lines a second
 * (docs/performance.md). What waits is held as text.
 *
 * Whose turn it is goes as for writes (jobs/vendor-turns): a small import goes before those that have had much, and none is left behind. Who is alone has as many in hand as its sink takes.
 */
import type { BatchRoom } from '../store/catalog/product-sink.js'
import { createVendorTurns } from './vendor-turns.js'

/** Of a job. */
export interface JobRoom extends BatchRoom {
  /** The job is over, with all that it had. */
  drop (): void
}

/** One that makes a batch, one that waits for the database, and one that it writes for. */
const vendorsAtOnce = 3

export function createThreadRoom (vendors = vendorsAtOnce): (vendorId: string, signal: AbortSignal) => JobRoom {
  const turns = createVendorTurns<{ give: (turn: number) => void }>({ jobsAtOnce: vendors, turnEnded () {} }, (job, turn) => { job.give(turn) })

  return (vendorId, signal) => {
    const waiting = new Map<number, { come: () => void, never: (error: unknown) => void }>()
    const taken: number[] = []
    const job = { give: (turn: number): void => { waiting.get(turn)?.come() } }
    let nextTurn = 0
    signal.addEventListener('abort', () => { for (const { never } of waiting.values()) never(signal.reason) }, { once: true })

    return {
      async take () {
        signal.throwIfAborted()
        const turn = nextTurn++
        try {
          await new Promise<void>((resolve, reject) => {
            waiting.set(turn, { come: resolve, never: reject })
            turns.want(job, vendorId, turn)
          })
          taken.push(turn)
        } finally {
          waiting.delete(turn)
        }
      },
      free () {
        const turn = taken.shift()
        if (turn !== undefined) turns.end(job, turn)
      },
      drop () { turns.drop(job) }
    }
  }
}
