/**
 * The inside of an import thread (see jobs/import-threads): runs jobs side by side, away from the event loop that serves
 * requests and beats for them.
 */
import pino from 'pino'
import type { ImportProgress } from '../domain/import-job.js'
import { isRetryable } from '../errors.js'
import { createSftpFiles } from '../sources/sftp-files.js'
import { openDatabase } from '../store/database/connection.js'
import { collectGarbageSoon } from '../threads/collect-garbage.js'
import { serveTasks, threadData } from '../threads/serve-tasks.js'
import { lowerOwnPriority } from '../threads/thread-priority.js'
import { createToldSpan } from '../tracing/told-spans.js'
import { createRunImport } from './run-import.js'
import type { FromImport, ImportAnswer, ImportTask, ThreadData, ToImport } from './thread-messages.js'
import { createThreadRoom } from './thread-room.js'
import { turnsInThread } from './turns-in-thread.js'

const { mongodbUrl, sftp, logLevel } = threadData<ThreadData>()

/** An import may take a while longer; a request is waited for. Still before conversions of PDFs (pdf/convert-pdf). */
lowerOwnPriority(10)

const log = pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true }))
const database = openDatabase(mongodbUrl, { appName: 'catalog-import' })
const files = createSftpFiles({ ...sftp, log })
const run = createRunImport({ collections: database.collections, files, log })
const roomFor = createThreadRoom()

/** Progress is for people: four times a second is enough. */
const progressEveryMs = 250

serveTasks<ImportTask, ImportAnswer, FromImport, ToImport>({
  async run ({ job, attempt, traceparent }, context) {
    const { signal, tell } = context
    const room = roomFor(job.vendorId, signal)
    const { inTurn, beginLarge } = turnsInThread(context)
    let sentAtMs = performance.now()
    let last: ImportProgress | null = null
    try {
      const result = await run({
        job,
        attempt,
        signal,
        span: createToldSpan(traceparent, (span) => { tell({ span }) }),
        inTurn,
        room,
        async beginLarge () {
          const over = await beginLarge()
          return () => { void collectGarbageSoon().then(over) }
        },
        onRunning: context.markRunning,
        onProgress (progress) {
          last = progress
          const now = performance.now()
          if (now - sentAtMs < progressEveryMs) return
          sentAtMs = now
          tell({ progress })
        }
      })
      return { result, progress: last }
    } catch (error) {
      if (isRetryable(error)) return { interrupted: error.message, cause: String(error.cause) }
      throw error
    } finally {
      room.drop()
    }
  },
  async close () {
    await Promise.allSettled([files.close(), database.close()])
  }
})
