import t from 'tap'
import { pdfToMarkdown } from '../../../src/pdf/pdf-to-markdown.js'
import { loadPdfium, openPdf } from '../../../src/pdf/pdfium.js'
import { maxCharacters, maxObjects, readPage } from '../../../src/pdf/read-page.js'

function pageOf (content: string): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
  ]
  return Buffer.from(`%PDF-1.4\n${objects.map((object, index) => `${index + 1} 0 obj${object}endobj\n`).join('')}trailer<</Root 1 0 R>>\n%%EOF`)
}

const textAt = (x: number, y: number, text: string): string => `BT /F 10 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET `
const rows = textAt(50, 700, 'Size') + textAt(150, 700, 'Chest') + textAt(50, 680, '38') + textAt(150, 680, '88') + textAt(50, 660, '39') + textAt(150, 660, '92')

t.test('a page of 1,000,000 objects is refused before its text is looked at', async (t) => {
  const pdfium = await loadPdfium()
  const asked = { characters: 0 }
  const watched = new Proxy(pdfium, {
    get (target, name) {
      if (name === 'FPDFText_LoadPage') asked.characters += 1
      return target[name as keyof typeof target]
    }
  })
  const pdf = openPdf(pdfium, pageOf('0 0 m 9 9 l S '.repeat(1_000_000)))
  t.teardown(() => { pdf.close() })
  t.throws(() => pdf.withPage(0, (page) => readPage(watched, page)), { name: 'PageTooComplex' })
  t.equal(asked.characters, 0)
})

/** No longer than a text object can be. */
const ones = '1'.repeat(1_000)

for (const [what, content] of [
  ['more objects', '0 0 m 9 9 l S '.repeat(maxObjects + 1)],
  ['a path of more parts', `0 0 m ${'9 9 l '.repeat(maxObjects + 1)} S`],
  ['more characters', Array.from({ length: maxCharacters / 1_000 + 1 }, (_, line) => textAt(50, 10 + 4 * line, ones).replace('/F 10 Tf', '/F .3 Tf')).join('')]
] as const) {
  t.test(`${what} than any chart has are refused`, async (t) => {
    t.strictSame(await pdfToMarkdown(pageOf(content)), { refused: 'too-complex' })
  })
}

t.test('a border that is drawn as an area with a hole hides nothing in it', async (t) => {
  t.match(await pdfToMarkdown(pageOf(`${rows} 40 650 m 200 650 l 200 720 l 40 720 l h 41 651 158 68 re f*`)), { markdown: /\| 39 \| 92 \|/ })
})

t.test('an area that is cut to parts of it hides nothing', async (t) => {
  t.match(await pdfToMarkdown(pageOf(`${rows} q 40 600 10 10 re 60 600 10 10 re W n 40 600 300 150 re f Q`)), { markdown: /\| 39 \| 92 \|/ })
})

t.test('a page much of whose text is hidden is refused', async (t) => {
  t.strictSame(await pdfToMarkdown(pageOf(`${rows} 140 650 60 70 re f`)), { refused: 'unreliable-table', detail: 1 })
})

t.test('a text that goes on outside of the page is refused', async (t) => {
  t.strictSame(await pdfToMarkdown(pageOf(rows + textAt(590, 640, '38.5'))), { refused: 'unreliable-table', detail: 1 })
})

t.test('a page beside which its lines go on is refused: a column is missing', async (t) => {
  const beside = (x: number): string => [700, 680, 660].map((y) => textAt(x, y, '64')).join('')
  t.strictSame(await pdfToMarkdown(pageOf(rows + beside(610))), { refused: 'unreliable-table', detail: 1 })
  t.ok('markdown' in await pdfToMarkdown(pageOf(rows + textAt(610, 640, 'proof'))))
})
