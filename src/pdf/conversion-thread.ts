/** The inside of the conversion thread (see pdf/convert-in-thread). */
import pino from 'pino'
import { PdfRefused } from '../domain/conversion-failure.js'
import { serveTasks, threadData } from '../threads/serve-tasks.js'
import { createPdfConverter } from './convert-pdf.js'
import type { ConverterIsolation } from './converter-isolation.js'

export interface ConversionThreadData {
  logLevel: string
  isolation: ConverterIsolation
}

/** An error loses its class on its way between threads, so a refusal travels as what it says. */
export type ConversionAnswer = { markdown: string } | { refused: PdfRefused['failure'] }

const { logLevel, isolation } = threadData<ConversionThreadData>()
const convert = createPdfConverter({ isolation, log: pino({ name: 'catalog', level: logLevel }, pino.destination({ dest: 1, sync: true })) })

serveTasks<Uint8Array, ConversionAnswer>({
  async run (bytes, { signal }) {
    try {
      return { markdown: await convert(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), signal) }
    } catch (error) {
      if (error instanceof PdfRefused) return { refused: error.failure }
      throw error
    }
  },
  close: async () => {}
})
