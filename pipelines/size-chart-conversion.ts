/** What the PDF of a size chart runs through, in which order. */
import type { ConversionResult, SizeChartRecord } from '../src/domain/size-chart.js'
import { convertToMarkdown, keepOriginal, loadPdf, reuseUnchanged, runConversion, type Originals } from '../src/pdf/conversion-steps.js'
import type { ConvertVendorsPdf } from '../src/pdf/convert-in-thread.js'
import { converterVersion } from '../src/pdf/convert-pdf.js'
import type { FetchPdf } from '../src/pdf/fetch-pdf.js'

export interface SizeChartConversionParts {
  fetchPdf: FetchPdf
  convertPdf: ConvertVendorsPdf
  originals: Originals
}

/**
 * Resolves with what the chart becomes, FAILED with its reason included. Rejects when the attempt as such went wrong, or with the
 * signal's reason. Safe to repeat.
 */
export type ConvertSizeChart = (chart: SizeChartRecord, signal: AbortSignal) => Promise<ConversionResult>

export function createSizeChartConversion ({ fetchPdf, convertPdf, originals }: SizeChartConversionParts): ConvertSizeChart {
  const steps = [
    loadPdf(fetchPdf, originals, converterVersion),
    keepOriginal(originals),
    reuseUnchanged(converterVersion),
    convertToMarkdown(convertPdf, converterVersion)
  ]
  return async (chart, signal) => await runConversion(steps, chart, signal)
}
