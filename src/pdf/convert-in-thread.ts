/**
 * Converts PDFs from a thread of its own: each has a converter process, and to start one holds up the thread that does it for 10 to
 * 40 ms on a busy machine, which no request should feel. The thread is started when the first PDF needs it. Vendors take turns, one PDF of each
 * at a time. One whose thread is lost over another, or nobody knows over which, is converted again by itself. How far the converter can be isolated is found out at once, beside all else that starts; the first PDF waits for it.
 */
import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import { PdfRefused } from '../domain/conversion-failure.js'
import { ThreadLost } from '../threads/thread-lost.js'
import { createThreadPool, type ThreadPool } from '../threads/thread-pool.js'
import type { ThreadMetrics } from '../threads/thread-metrics.js'
import type { ConversionAnswer, ConversionThreadData } from './conversion-thread.js'
import { findConverterIsolation } from './converter-isolation.js'

/** Each takes a whole core, and up to 512 MB; the rest is left to requests, imports and the database. */
const defaultProcesses = availableParallelism() < 4 ? 1 : 2
/** The PDFs that it hands on are outside of its heap. */
const resourceLimits = { maxOldGenerationSizeMb: 128 }

export interface ThreadedPdfConverterOptions {
  logLevel: string
  log: Logger
  metrics?: ThreadMetrics
  processes?: number
}

/** As ConvertPdf; told whose it is. */
export type ConvertVendorsPdf = (bytes: Buffer, signal: AbortSignal, vendorId: string) => Promise<string>

export interface ThreadedPdfConverter {
  convert: ConvertVendorsPdf
  /** Once nothing is being converted any more. */
  close (): Promise<void>
}

export function createThreadedPdfConverter ({ logLevel, log, metrics, processes = defaultProcesses }: ThreadedPdfConverterOptions): ThreadedPdfConverter {
  const started = findConverterIsolation().then((isolation) => {
    const { by, reasons } = isolation
    if (by !== 'namespaces') log.warn({ by, reasons }, 'the PDF converter is not cut off from the network and from what this process may read')
    const poolOf = (name: string, tasksPerThread: number): ThreadPool<Uint8Array, ConversionAnswer> => createThreadPool({
      name,
      entry: new URL('./conversion-thread.js', import.meta.url),
      data: { logLevel, isolation } satisfies ConversionThreadData,
      threads: 1,
      tasksPerThread,
      resourceLimits,
      log,
      metrics,
      closeTimeoutMs: 0
    })
    return { pool: poolOf('conversions', processes), alone: poolOf('conversions alone', 1) }
  })
  return {
    async convert (bytes, signal, vendorId) {
      const { pool, alone } = await started
      const task = { owner: vendorId, input: bytes, signal }
      const answer = await pool.run(task).catch(async (error: unknown) => {
        if (error instanceof ThreadLost && error.blame !== 'this') return await alone.run(task)
        throw error
      }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw error
      })
      if ('refused' in answer) throw new PdfRefused(answer.refused.code, answer.refused)
      return answer.markdown
    },
    async close () {
      const { pool, alone } = await started
      await Promise.all([pool.close(), alone.close()])
    }
  }
}
