/**
 * The threads that imports run in, one for each core but two at least and four at most, each running any number of jobs side by side: a
 * vendor's hour-long import and another's inventory delta share a thread batch by batch. The first is there from the beginning, for
 * it takes a third of a second to start; others come when there is more to do. One that dies (a heap that ran over, a fault in
 * native code) takes its own jobs with it, which are then tried again, and is replaced.
 *
 * Batches are written in turns (jobs/write-turns), those of one job for every two threads at a time: a batch takes a thread at least
 * twice as long as the database, so more would not be written sooner. They would queue in the database instead, where each
 * single write of a small import may have to wait behind all of a large one's.
 */
import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import { ImportCancelled, type ImportResult, type RunImport, type RunImportOptions } from './run-import.js'
import type { FromThread, ThreadData, ToThread } from './thread-messages.js'
import { createWriteTurns } from './write-turns.js'

export interface ImportThreads {
  run: RunImport
  close (): Promise<void>
}

interface RunningJob extends Pick<RunImportOptions, 'onProgress'> {
  resolve: (result: ImportResult) => void
  reject: (error: Error) => void
}

interface Thread {
  worker: Worker
  jobs: Map<number, RunningJob>
  exited: Promise<void>
}

/**
 * Batches outlive the default young generation by a little and are copied for nothing; in this one they die before. Larger
 * yet gains little and shows in the worker's memory (docs/performance.md).
 */
export const importThreadLimits = { maxOldGenerationSizeMb: 1_024, maxYoungGenerationSizeMb: 96 }

/**
 * An import lets go of nearly all that it holds within a quarter of a second. V8 takes this for a lack of memory and marks the whole heap
 * whenever a dozen megabytes have come to those in use, five times a second; now it waits until they have doubled. There is no such limit
 * for one thread, so it holds for the process.
 */
const heapGrowth = '--heap-growing-percent=100'

/** What a machine has beyond is for more workers: a container sees all cores of its host, and has the memory that four need. */
const defaultThreads = Math.min(4, Math.max(2, availableParallelism()))

export function createImportThreads (data: ThreadData, log: Logger, size = defaultThreads): ImportThreads {
  const threads: Thread[] = []
  const turns = createWriteTurns<Thread>(Math.max(1, Math.floor(size / 2)), ({ worker }, turn) => { worker.postMessage({ type: 'turn', turn } satisfies ToThread) })
  let nextId = 0
  setFlagsFromString(heapGrowth)

  function start (): Thread {
    const worker = new Worker(new URL('./import-thread.js', import.meta.url), { workerData: data, resourceLimits: importThreadLimits })
    const jobs = new Map<number, RunningJob>()
    const thread: Thread = { worker, jobs, exited: new Promise((resolve) => { worker.once('exit', () => { resolve() }) }) }
    worker.on('message', (message: FromThread) => { receive(thread, message) })
    worker.on('error', (error) => {
      log.error({ err: error, jobs: jobs.size }, 'an import thread died')
      lose(thread, error)
    })
    worker.on('exit', () => { lose(thread, new Error('the import thread has ended')) })
    threads.push(thread)
    return thread
  }

  function lose (thread: Thread, error: Error): void {
    const at = threads.indexOf(thread)
    if (at !== -1) threads.splice(at, 1)
    for (const job of thread.jobs.values()) job.reject(error)
    thread.jobs.clear()
    turns.drop(thread)
  }

  function receive (thread: Thread, message: FromThread): void {
    if (message.type === 'turn wanted') return turns.want(thread, message.jobId, message.turn)
    if (message.type === 'turn over') return turns.end(thread, message.turn)
    const job = thread.jobs.get(message.id)
    if (job === undefined) return
    if (message.type === 'progress') return job.onProgress(message.progress)
    thread.jobs.delete(message.id)
    if (message.type === 'result') job.resolve(message.result)
    // An error loses its class on its way between threads.
    else job.reject(message.databaseAway ? unavailable('The database is away', message.error) : message.error)
  }

  /** The least busy thread, or a new one while there may be more. */
  function pick (): Thread {
    const idlest = threads.reduce<Thread | null>((best, thread) => best === null || thread.jobs.size < best.jobs.size ? thread : best, null)
    return idlest === null || (idlest.jobs.size > 0 && threads.length < size) ? start() : idlest
  }

  async function run ({ job, attempt, signal, onProgress }: RunImportOptions): Promise<ImportResult> {
    signal.throwIfAborted()
    const thread = pick()
    const id = nextId++
    const tell = (message: ToThread): void => { thread.worker.postMessage(message) }
    const abort = (): void => { tell({ type: 'abort', id, cancelled: signal.reason instanceof ImportCancelled }) }
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise<ImportResult>((resolve, reject) => {
        thread.jobs.set(id, { onProgress, resolve, reject })
        tell({ type: 'run', id, job, attempt })
      })
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  start()

  async function close (): Promise<void> {
    await Promise.all(threads.map(async ({ worker, exited }) => {
      worker.postMessage({ type: 'close' } satisfies ToThread)
      await exited
    }))
  }

  return { run, close }
}
