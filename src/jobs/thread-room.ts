/**
 * Whose batches are in hand in a thread, on their way through the stages or being written: those of a few vendors at a time, as more would only wait for the database
 * and for each other. A batch is some megabytes of objects by then: of ten jobs at once they would grow old in the heap, which costs a tenth of 20 vendors' lines a second
 * (docs/performance.md). What waits is held as text.
 *
 * Whose turn it is goes as for writes (jobs/vendor-turns): a small import goes before those that have had much, and none is left behind. Who is alone has as many in hand as its sink takes.
 */
import type { BatchRoom } from '../store/catalog/product-sink.js'
import { createAwaitedTurns, type AwaitedTurns } from './awaited-turns.js'
import { createVendorTurns } from './vendor-turns.js'

/** Of a job. */
export interface JobRoom extends BatchRoom {
  /** The job is over, with all that it had. */
  drop (): void
}

/** One that makes a batch, one that waits for the database, and one that it writes for. */
const vendorsAtOnce = 3

export function createThreadRoom (vendors = vendorsAtOnce): (vendorId: string, signal: AbortSignal) => JobRoom {
  const turns = createVendorTurns<AwaitedTurns>({ jobsAtOnce: vendors, turnEnded () {} }, (job, turn) => { job.give(turn) })

  return (vendorId, signal) => {
    const job = createAwaitedTurns(signal)
    const taken: number[] = []
    return {
      async take () {
        const turn = job.next()
        await job.come(turn, () => { turns.want(job, vendorId, turn) })
        taken.push(turn)
      },
      free () {
        const turn = taken.shift()
        if (turn !== undefined) turns.end(job, turn)
      },
      drop () { turns.drop(job) }
    }
  }
}
