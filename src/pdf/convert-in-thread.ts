/**
 * Converts PDFs from a thread of its own: each has a converter process, and to start one holds up the thread that does it for 10 to
 * 40 ms on a busy machine, which no request should feel. The thread is started when the first PDF needs it; should it die, what
 * it had in hand rejects, and the next PDF starts another.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { PdfRefused } from '../domain/conversion-failure.js'
import type { ConversionThreadData, FromConversionThread, ToConversionThread } from './conversion-thread.js'
import type { ConvertPdf } from './convert-pdf.js'

/** Each takes a whole core, and up to 512 MB; the rest is left to requests, imports and the database. */
const defaultProcesses = availableParallelism() < 4 ? 1 : 2

export interface ThreadedPdfConverter {
  convert: ConvertPdf
  /** Once nothing is being converted any more. */
  close (): Promise<void>
}

interface Waiting {
  resolve: (markdown: string) => void
  reject: (error: unknown) => void
}

interface Thread {
  worker: Worker
  waiting: Map<number, Waiting>
}

export function createThreadedPdfConverter (data: ConversionThreadData, processes = defaultProcesses): ThreadedPdfConverter {
  const limit = pLimit(processes)
  let current: Thread | null = null
  let nextId = 0

  function start (): Thread {
    const waiting = new Map<number, Waiting>()
    const thread: Thread = { worker: new Worker(new URL('./conversion-thread.js', import.meta.url), { workerData: data }), waiting }
    const lose = (error: Error): void => {
      if (current === thread) current = null
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    thread.worker.on('message', (message: FromConversionThread) => { settle(waiting, message) })
    thread.worker.on('error', lose)
    thread.worker.on('exit', () => { lose(new Error('the conversion thread has ended')) })
    return thread
  }

  async function convert (bytes: Buffer, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    const { worker, waiting } = current ??= start()
    const id = nextId++
    const tell = (message: ToConversionThread): void => { worker.postMessage(message) }
    const abort = (): void => { tell({ type: 'abort', id }) }
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise<string>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        tell({ type: 'convert', id, bytes })
      })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  return {
    convert: async (bytes, signal) => await limit(async () => await convert(bytes, signal)),
    async close () {
      await current?.worker.terminate()
    }
  }
}

function settle (waiting: Map<number, Waiting>, message: FromConversionThread): void {
  const one = waiting.get(message.id)
  waiting.delete(message.id)
  if (message.type === 'markdown') one?.resolve(message.markdown)
  else one?.reject(message.type === 'refused' ? new PdfRefused(message.code) : message.error)
}
