/** The corpus: what size charts look like, and what merchants send in their place. */
import t from 'tap'
import { pdfToMarkdown } from '../../../src/pdf/pdf-to-markdown.js'
import { corpusPdf, expectations, tablesIn } from '../../support/size-chart-corpus.js'

for (const [name, expected] of Object.entries(expectations)) {
  if ('tables' in expected) {
    t.test(`${name}.pdf: every cell is in its row and column`, async (t) => {
      const answer = await pdfToMarkdown(corpusPdf(name))
      t.strictSame('markdown' in answer ? tablesIn(answer.markdown) : answer, expected.tables)
    })
  } else {
    t.test(`${name}.pdf is refused: ${expected.error}`, async (t) => {
      t.strictSame(await pdfToMarkdown(corpusPdf(name)), { refused: expected.error })
    })
  }
}

t.test('a PDF behind a little of something else is a PDF', async (t) => {
  t.match(await pdfToMarkdown(Buffer.concat([Buffer.from('\r\n\r\n'), corpusPdf('ruled')])), { markdown: /# Shirts/ })
})
