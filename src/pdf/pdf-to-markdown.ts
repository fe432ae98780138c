/** What the converter does to one PDF. Native code reads it: only the converter program and tests run this in their process. */
import { LiteParse } from '@llamaindex/liteparse'
import { maxBodyLength, maxPdfPages } from '../domain/conversion-failure.js'
import { isLongerThan } from '../domain/reader.js'
import type { ConverterAnswer } from './converter-answer.js'
import { tidyMarkdown } from './tidy-markdown.js'

/** Readers accept a header that begins within the first kilobyte; the library wants it at the start. */
const maxJunkBytes = 1_024

export async function pdfToMarkdown (bytes: Buffer): Promise<ConverterAnswer> {
  const start = bytes.subarray(0, maxJunkBytes).indexOf('%PDF-')
  if (start === -1) return { refused: 'not-a-pdf' }
  const parser = new LiteParse({
    ocrEnabled: false,
    outputFormat: 'markdown',
    imageMode: 'off',
    // A link's target is not what a person reads on the page.
    extractLinks: false,
    // What repeats on every page is a table's head as often as a running title.
    keepHeadersFooters: true,
    numWorkers: 1,
    maxPages: maxPdfPages,
    quiet: true
  })
  try {
    const { totalPages, pages, text } = await parser.parse(bytes.subarray(start))
    if (totalPages > maxPdfPages) return { refused: 'too-many-pages' }
    if (!pages.some(({ textItems }) => textItems.some((item) => /[\p{L}\p{N}]/u.test(item.text)))) return { refused: 'no-text' }
    const markdown = tidyMarkdown(text)
    if (isLongerThan(markdown, maxBodyLength)) return { refused: 'body-too-long' }
    return { markdown }
  } catch (error) {
    return { refused: reasonOf(error) }
  }
}

/** The library tells its errors apart by their text only. */
function reasonOf (error: unknown): 'password-protected' | 'damaged' {
  return error instanceof Error && /password/i.test(error.message) ? 'password-protected' : 'damaged'
}
