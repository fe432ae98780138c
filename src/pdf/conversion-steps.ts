/**
 * The steps of a conversion. Each takes the state that the step before has left and either gives the next or settles the
 * conversion with its result. What is wrong with the PDF is thrown as PdfRefused and becomes the result FAILED; anything else
 * that is thrown means that the conversion may be tried again. Every step may be repeated after a crash.
 */
import { PdfRefused } from '../domain/conversion-failure.js'
import type { ConversionResult, KeptPdf, SizeChartRecord, Validators } from '../domain/size-chart.js'
import type { ConvertVendorsPdf } from './convert-in-thread.js'
import type { FetchPdf } from './fetch-pdf.js'

/** Where originals are kept: store/size-charts/size-chart-pdfs. */
export interface Originals {
  /** `replaced`: what gives its room to this one. */
  write (vendorId: string, source: Iterable<Buffer>, replaced: KeptPdf | null): Promise<KeptPdf>
  /** null: it is not there. */
  read (pdf: KeptPdf): Promise<Buffer | null>
}

export interface ConversionState {
  readonly chart: SizeChartRecord
  readonly signal: AbortSignal
  /** The original as it is kept. */
  pdf: KeptPdf | null
  sha256: string
  validators: Validators | null
  bytes: () => Promise<Buffer>
}

/** Settles the conversion by giving its result. */
export type ConversionStep = (state: ConversionState) => Promise<ConversionResult | null>

/** Runs the steps until one settles; the last one must. */
export async function runConversion (steps: readonly ConversionStep[], chart: SizeChartRecord, signal: AbortSignal): Promise<ConversionResult> {
  const state: ConversionState = { chart, signal, pdf: null, sha256: '', validators: chart.validators, bytes: async () => Buffer.alloc(0) }
  try {
    for (const step of steps) {
      const result = await step(state)
      if (result !== null) return result
    }
  } catch (error) {
    if (error instanceof PdfRefused) return { outcome: 'failed', failure: error.failure, pdf: state.pdf }
    throw error
  }
  throw new Error('No step has settled the conversion')
}

/** From its address, where the server may say that it is as it was, or from where the upload was kept. */
export const loadPdf = (fetchPdf: FetchPdf, originals: Originals, converterVersion: number): ConversionStep => async (state) => {
  const { chart, signal } = state
  if (chart.sourceUrl === null) {
    const { pdf } = chart
    if (pdf === null) throw new PdfRefused('original-missing')
    Object.assign(state, { pdf, sha256: pdf.sha256, validators: null, bytes: async () => await readOriginal(originals, pdf) })
    return null
  }
  const known = isCurrent(chart, converterVersion) && chart.pdf !== null ? chart.validators : null
  const fetched = await fetchPdf(chart.sourceUrl, known, signal)
  if (fetched.notModified) return { outcome: 'unchanged', validators: chart.validators, pdf: chart.pdf }
  const { bytes, sha256, validators } = fetched
  Object.assign(state, { sha256, validators, bytes: async () => bytes })
  return null
}

async function readOriginal (originals: Originals, pdf: KeptPdf): Promise<Buffer> {
  const bytes = await originals.read(pdf)
  if (bytes === null) throw new PdfRefused('original-missing')
  return bytes
}

/** What was fetched is kept before it is converted, so that a person can open what failed. */
export const keepOriginal = (originals: Originals): ConversionStep => async (state) => {
  const { chart } = state
  if (state.pdf === null) {
    state.pdf = chart.pdf?.sha256 === state.sha256 ? chart.pdf : await originals.write(chart.vendorId, piecesOf(await state.bytes()), chart.pdf)
  }
  return null
}

const pieceBytes = 256 * 1_024

/** So that nobody digests 20 MiB in one go. */
function * piecesOf (bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
}

/** The same bytes were converted before: the chart still has what they became. */
export const reuseUnchanged = (converterVersion: number): ConversionStep => async ({ chart, sha256, validators, pdf }) =>
  isCurrent(chart, converterVersion) && chart.converted?.sha256 === sha256 ? { outcome: 'unchanged', validators, pdf } : null

const isCurrent = ({ converted, body }: SizeChartRecord, converterVersion: number): boolean =>
  body !== null && converted?.converterVersion === converterVersion

export const convertToMarkdown = (convertPdf: ConvertVendorsPdf, converterVersion: number): ConversionStep => async (state) => ({
  outcome: 'converted',
  body: await convertPdf(await state.bytes(), state.signal, state.chart.vendorId),
  sha256: state.sha256,
  converterVersion,
  validators: state.validators,
  pdf: state.pdf
})
