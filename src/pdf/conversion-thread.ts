/** The inside of the conversion thread (see pdf/convert-in-thread). */
import { parentPort, workerData } from 'node:worker_threads'
import pino from 'pino'
import { PdfRefused } from '../domain/conversion-failure.js'
import { createPdfConverter } from './convert-pdf.js'

export interface ConversionThreadData { logLevel: string }

export type ToConversionThread =
  | { type: 'convert', id: number, bytes: Uint8Array }
  | { type: 'abort', id: number }

/** An error loses its class on its way between threads, so a refusal travels as its code. */
export type FromConversionThread =
  | { type: 'markdown', id: number, markdown: string }
  | { type: 'refused', id: number, code: PdfRefused['failure']['code'] }
  | { type: 'broke', id: number, error: Error }

const port = parentPort
if (port === null) throw new Error('conversion-thread is run by pdf/convert-in-thread only')
const { logLevel } = workerData as ConversionThreadData
const convert = createPdfConverter({ log: pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true })) })
const aborts = new Map<number, AbortController>()

async function answer (id: number, bytes: Uint8Array): Promise<FromConversionThread> {
  const abort = new AbortController()
  aborts.set(id, abort)
  try {
    return { type: 'markdown', id, markdown: await convert(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), abort.signal) }
  } catch (error) {
    if (error instanceof PdfRefused) return { type: 'refused', id, code: error.failure.code }
    return { type: 'broke', id, error: error instanceof Error ? error : new Error(String(error)) }
  } finally {
    aborts.delete(id)
  }
}

port.on('message', (message: ToConversionThread) => {
  if (message.type === 'abort') aborts.get(message.id)?.abort()
  else void answer(message.id, message.bytes).then((result) => { port.postMessage(result) })
})
