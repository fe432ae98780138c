/** What the converter program (pdf/converter.ts) answers on its stdout, as one JSON text. */
import type { ConversionFailureCode } from '../domain/conversion-failure.js'

export type ConverterAnswer = { markdown: string } | { refused: ConversionFailureCode, detail?: number }
