/** What the converter does to one PDF. */
import { maxBodyLength, maxPdfPages } from '../domain/conversion-failure.js'
import { isLongerThan } from '../domain/reader.js'
import type { ConverterAnswer } from './converter-answer.js'
import { isHeadless } from './head-faults.js'
import { isGarbled } from './garbled.js'
import { joinContinued } from './join-continued.js'
import { contentOf } from './page-content.js'
import { geometryOf } from './page-geometry.js'
import { documentMarkdown } from './page-markdown.js'
import { isRowCutInTwo } from './lost-lines.js'
import type { Block, PageContent, Table } from './page-model.js'
import { loadPdfium, openPdf, PdfUnreadable, type OpenPdf, type Pdfium } from './pdfium.js'
import { PageTooComplex, readPage } from './read-page.js'

/** Readers accept a header that begins within the first kilobyte. */
const maxJunkBytes = 1_024

export async function pdfToMarkdown (bytes: Buffer): Promise<ConverterAnswer> {
  const start = bytes.subarray(0, maxJunkBytes).indexOf('%PDF-')
  if (start === -1) return { refused: 'not-a-pdf' }
  const pdfium = await loadPdfium()
  try {
    const pdf = openPdf(pdfium, bytes.subarray(start))
    try {
      return markdownOf(pdfium, pdf)
    } finally {
      pdf.close()
    }
  } catch (error) {
    if (error instanceof PdfUnreadable) return { refused: error.reason }
    if (error instanceof PageTooComplex) return { refused: 'too-complex' }
    throw error
  }
}

function markdownOf (pdfium: Pdfium, pdf: OpenPdf): ConverterAnswer {
  if (pdf.pageCount > maxPdfPages) return { refused: 'too-many-pages' }
  const pages: PageContent[] = []
  let characters = 0
  for (let index = 0; index < pdf.pageCount; index++) {
    const geometry = geometryOf(pdf.withPage(index, (page) => readPage(pdfium, page)))
    characters += geometry.glyphs.length
    if (characters > 2 * maxBodyLength) return { refused: 'body-too-long' }
    if (isGarbled(geometry)) return { refused: 'unreadable-text', detail: index + 1 }
    const content = geometry.isCut ? null : contentOf(geometry, index + 1)
    if (content === null) return { refused: 'unreliable-table', detail: index + 1 }
    pages.push(content)
  }
  const cut = pages.findIndex((page, index) => index > 0 && isCutByPage(pages[index - 1], page))
  if (cut !== -1) return { refused: 'unreliable-table', detail: cut + 1 }
  const joined = joinContinued(pages)
  const headless = joined.findIndex(({ blocks }) => blocks.some((block) => 'table' in block && isHeadless(block.table)))
  if (headless !== -1) return { refused: 'unreliable-table', detail: headless + 1 }
  const markdown = documentMarkdown(joined)
  if (!/[\p{L}\p{N}]/u.test(markdown)) return { refused: 'no-text' }
  if (isLongerThan(markdown, maxBodyLength)) return { refused: 'body-too-long' }
  return { markdown }
}

function isCutByPage (before: PageContent | undefined, page: PageContent): boolean {
  const tableOf = (block: Block | undefined): Table | undefined => block !== undefined && 'table' in block ? block.table : undefined
  const [table, next] = [tableOf(before?.blocks.findLast((block) => 'table' in block)), tableOf(page.blocks.find((block) => 'table' in block))]
  return table !== undefined && next !== undefined && isRowCutInTwo(table, next)
}
