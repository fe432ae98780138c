/**
 * The threads that imports run in, one for each core (threads/cores), each running several jobs side by side: a
 * vendor's hour-long import and another's inventory delta share a thread, turn by turn. The first is there from the beginning, for
 * it takes a third of a second to start; others come when there is more to do.
 *
 * Batches are written in turns (jobs/vendor-turns), those of as many jobs at a time as pay (jobs/write-pace): more would queue in the database
 * instead, where each single write of a small import may have to wait behind all of a large one's.
 *
 * A job that was lost before runs by itself, in a process of its own: there may be files over which V8 ends not a thread but its process.
 */
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import { usedCores } from '../threads/cores.js'
import { createLargeWork, type LargeWork } from '../threads/large-work.js'
import { poolThreadsWithOldSpace } from '../threads/old-space.js'
import { startPoolProcess } from '../threads/pool-process.js'
import { createThreadPool, type ThreadPool } from '../threads/thread-pool.js'
import type { ThreadMetrics } from '../threads/thread-metrics.js'
import { noSpan } from '../tracing/span.js'
import { retellSpans } from '../tracing/told-spans.js'
import { createLargeRecords } from './large-records.js'
import type { RunImport } from './run-import.js'
import type { FromImport, ImportAnswer, ImportTask, ThreadData, ToImport } from './thread-messages.js'
import { createWritePace } from './write-pace.js'
import { createVendorTurns } from './vendor-turns.js'

export interface ImportThreadsOptions {
  data: ThreadData
  /** Of the process; of the threads alone when absent. */
  largeWork?: LargeWork
  log: Logger
  metrics?: ThreadMetrics
  threads?: number
}

export interface ImportThreads {
  /** A job waits for a thread where there are more than fit. Rejects with ThreadLost when its thread was lost under it. */
  run: RunImport
  close (): Promise<void>
}

/**
 * Twice the young generation, and twice the old one before it is looked at, gain an import nothing that can be told from chance, and are in the process's
 * memory for good; half the young one costs 20 vendors' jobs a fifth more processor time (docs/performance.md). Two threads' heaps fit into a worker of 1.5 GB: one that runs over ends itself, before the system ends
 * the process.
 */
export const importThreadLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 }

/**
 * An import lets go of nearly all that it holds within a quarter of a second. V8 takes this for a lack of memory and marks the whole heap
 * whenever a dozen megabytes have come to those in use, five times a second; now it waits until there are this many, and then until they have
 * doubled. The latter holds for all heaps of the process: there is no such limit for one thread.
 */
const initialOldSpaceMb = 64
const heapGrowth = '--heap-growing-percent=100'

/** For jobs that run by themselves: two at a time at most, for one that has begun does not count. Each costs 100 MB and more. */
const processes = 1
/** A job in flight takes some 10 MB of the thread's heap. */
const jobsPerThread = 16

const startThread = poolThreadsWithOldSpace(initialOldSpaceMb)

type ImportPool = ThreadPool<ImportTask, ImportAnswer, FromImport, ToImport>

/** Of a job: whom to tell that its turn has come. */
interface Writer { give: (turn: number) => void }

export function createImportThreads ({ data, largeWork = createLargeWork(), log, metrics, threads = usedCores }: ImportThreadsOptions): ImportThreads {
  setFlagsFromString(heapGrowth)
  const pace = createWritePace({ first: threads, most: 3 * threads })
  const turns = createVendorTurns<Writer>(pace, (writer, turn) => { writer.give(turn) })
  const common = { entry: new URL('./import-thread.js', import.meta.url), data, resourceLimits: importThreadLimits, log, metrics }
  const pool: ImportPool = createThreadPool({ name: 'imports', threads, threadsAtStart: 1, tasksPerThread: jobsPerThread, startThread, ...common })
  const alone: ImportPool = createThreadPool({ name: 'imports alone', threads: processes, tasksPerThread: 1, startThread: startPoolProcess, ...common })

  return {
    async run ({ job, attempt, alone: isAlone = false, span = noSpan, signal, onProgress }) {
      const writer: Writer = { give: () => {} }
      const large = createLargeRecords(largeWork, job.vendorId)
      const spans = retellSpans(span)
      try {
        const answer = await (isAlone ? alone : pool).run({
          owner: job.vendorId,
          input: { job, attempt, traceparent: span.traceparent },
          signal,
          onTold (message, tell) {
            if ('progress' in message) return onProgress(message.progress)
            if ('span' in message) return spans.take(message.span)
            if ('largeWanted' in message) return large.want(message.largeWanted, () => { tell({ turn: message.largeWanted }) })
            if ('largeOver' in message) return large.end(message.largeOver)
            writer.give = (turn) => { tell({ turn }) }
            if ('turnWanted' in message) turns.want(writer, job.vendorId, message.turnWanted)
            else turns.end(writer, message.turnOver)
          },
          onHoldUp (isHeldUp) { turns.hold(writer, isHeldUp) }
        })
        if ('interrupted' in answer) throw unavailable(answer.interrupted, new Error(answer.cause))
        if (answer.progress !== null) onProgress(answer.progress)
        return answer.result
      } finally {
        // A job that was lost gets no turn to write any more, whatever it does yet.
        turns.drop(writer)
        large.drop()
        spans.end()
      }
    },
    async close () { await Promise.all([pool.close(), alone.close()]) }
  }
}
