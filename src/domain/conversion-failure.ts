/** Why a PDF did not become a size chart. What is stored is the code; the words are the merchant's, and tell nothing of networks that are not theirs. */
export const conversionFailureCodes = [
  'not-a-pdf', 'damaged', 'password-protected', 'no-text', 'unreadable-text', 'unreliable-table', 'body-too-long', 'too-many-pages', 'too-large', 'too-complex',
  'converter-crashed', 'blocked-address', 'http-status', 'unreachable', 'timed-out', 'too-many-redirects', 'bad-redirect',
  'original-missing', 'over-quota', 'given-up'
] as const
export type ConversionFailureCode = (typeof conversionFailureCodes)[number]

export interface ConversionFailure {
  code: ConversionFailureCode
  /** The HTTP status of `http-status`, the bytes of `over-quota`, the page of `unreadable-text` and `unreliable-table`. */
  detail?: number
}

/** Of a PDF, fetched or uploaded (decisions.md, Size charts). */
export const maxPdfBytes = 20 * 1_024 * 1_024
export const maxPdfPages = 500
/** For a fetch with all its redirects, and again for a conversion. */
export const maxFetchMs = 30_000
export const maxConversionMs = 30_000
export const maxRedirects = 5
/** Attempts that ended with the death of their worker. */
export const maxConversionAttempts = 3

/** Characters (Unicode code points) of a chart's markdown. */
export const maxBodyLength = 50_000

/** `{}`: the detail. */
const wordings: Record<ConversionFailureCode, string> = {
  'not-a-pdf': 'The file is not a PDF',
  damaged: 'The PDF is damaged or incomplete',
  'password-protected': 'The PDF is protected with a password; provide it without one',
  'no-text': 'The PDF has no text in it: it seems to be a scan or a picture; export it from the program that the chart was made with, or provide the chart as markdown',
  'unreadable-text': 'The PDF does not say which characters the fonts of page {} draw, so that its text cannot be read; provide one with embedded fonts, or the chart as markdown',
  'unreliable-table': 'A table on page {} could not be read reliably, and a wrong size is worse than none; provide a PDF with lines between rows and columns, or the chart as markdown',
  'body-too-long': `The chart would be longer than ${maxBodyLength} characters`,
  'too-many-pages': `The PDF has more than ${maxPdfPages} pages`,
  'too-large': `The PDF is larger than ${maxPdfBytes / 1_024 / 1_024} MiB`,
  'too-complex': 'The PDF is too complex to convert: it takes too much time or memory',
  'converter-crashed': 'The PDF could not be converted',
  'blocked-address': 'The sourceUrl, or a redirect from it, does not lead to a public internet address',
  'http-status': 'The server answered with HTTP status {}',
  unreachable: 'The server of the sourceUrl could not be reached',
  'timed-out': `The PDF could not be downloaded within ${maxFetchMs / 1_000} s`,
  'too-many-redirects': `The sourceUrl redirects more than ${maxRedirects} times`,
  'bad-redirect': 'The sourceUrl redirects to something that is not an http or https URL',
  'original-missing': 'The uploaded PDF is no longer there; upload it again',
  'over-quota': 'There is no room for the PDF; delete others first. The PDFs of a vendor\'s size charts together have at most so many bytes: {}',
  'given-up': `Given up after ${maxConversionAttempts} attempts; provide the PDF again`
}

export const wordConversionFailure = ({ code, detail }: ConversionFailure): string =>
  wordings[code].replace(' {}', detail === undefined ? '' : ` ${detail}`)

/** Ends a conversion as FAILED. Anything else that is thrown on the way means that it may be tried again. */
export class PdfRefused extends Error {
  override readonly name = 'PdfRefused'
  readonly failure: ConversionFailure

  constructor (code: ConversionFailureCode, options: { detail?: number, cause?: unknown } = {}) {
    const failure = options.detail === undefined ? { code } : { code, detail: options.detail }
    super(wordConversionFailure(failure), options.cause === undefined ? undefined : { cause: options.cause })
    this.failure = failure
  }
}
