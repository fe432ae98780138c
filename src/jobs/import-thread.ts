/**
 * The inside of an import thread (see jobs/import-threads): runs jobs side by side, away from the event loop that serves
 * requests and beats for them. A line that takes 200 ms to parse delays the thread's other jobs by that, and nobody else.
 */
import { parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import type { ImportProgress } from '../domain/import-job.js'
import { createSftpFiles } from '../sources/sftp-files.js'
import { openDatabase } from '../store/connection.js'
import { isDatabaseAway } from '../store/database-errors.js'
import { createRunImport, ImportCancelled } from './run-import.js'
import type { FromThread, ThreadData, ToThread } from './thread-messages.js'
import { lowerOwnPriority } from './thread-priority.js'

const port = parentPort
if (port === null) throw new Error('import-thread is run by jobs/import-threads only')
const { mongodbUrl, sftp, logLevel } = workerData as ThreadData

/** An import may take a while longer; a request is waited for. Still before conversions of PDFs (pdf/convert-pdf). */
lowerOwnPriority(10)

const log = pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true }))
const database = openDatabase(mongodbUrl, { appName: 'catalog-import' })
const files = createSftpFiles({ ...sftp, log })
const run = createRunImport({ collections: database.collections, files, log, inTurn })
const aborts = new Map<number, AbortController>()
const send = (message: FromThread): void => { port.postMessage(message) }
/** Those that have asked for their turn. */
const waiting = new Map<number, () => void>()
let nextTurn = 0

async function inTurn<T> (jobId: string, write: () => Promise<T>): Promise<T> {
  const turn = nextTurn++
  await new Promise<void>((resolve) => {
    waiting.set(turn, resolve)
    send({ type: 'turn wanted', jobId, turn })
  })
  waiting.delete(turn)
  try {
    return await write()
  } finally {
    send({ type: 'turn over', turn })
  }
}

/** Progress is for people: four times a second is enough. */
const progressEveryMs = 250

async function runJob ({ id, job, attempt }: Extract<ToThread, { type: 'run' }>): Promise<void> {
  const abort = new AbortController()
  aborts.set(id, abort)
  let sentAtMs = 0
  let last: ImportProgress | null = null
  try {
    const result = await run({
      job,
      attempt,
      signal: abort.signal,
      onProgress (progress) {
        last = progress
        const now = performance.now()
        if (now - sentAtMs < progressEveryMs) return
        sentAtMs = now
        send({ type: 'progress', id, progress })
      }
    })
    if (last !== null) send({ type: 'progress', id, progress: last })
    send({ type: 'result', id, result })
  } catch (error) {
    send({ type: 'broke', id, error: error instanceof Error ? error : new Error(String(error)), databaseAway: isDatabaseAway(error) })
  } finally {
    aborts.delete(id)
  }
}

port.on('message', (message: ToThread) => {
  if (message.type === 'run') void runJob(message)
  else if (message.type === 'turn') waiting.get(message.turn)?.()
  else if (message.type === 'abort') aborts.get(message.id)?.abort(message.cancelled ? new ImportCancelled() : new Error('aborted'))
  else {
    void Promise.allSettled([files.close(), database.close()]).then(() => { port.close() })
  }
})
