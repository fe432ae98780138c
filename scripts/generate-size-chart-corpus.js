/**
 * Draws the PDFs of test/fixtures/size-charts/ and writes what must come out of each beside them (expected.json). The files
 * are committed, because drawing them needs a font with Cyrillic, Greek and kana: `node scripts/generate-size-chart-corpus.js FONT.ttf`
 * (docs/size-charts.md names the one that was used).
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import PDFDocument from 'pdfkit'

const folder = fileURLToPath(new URL('../test/fixtures/size-charts/', import.meta.url))
const font = process.argv[2]
if (font === undefined) {
  process.stderr.write('usage: node scripts/generate-size-chart-corpus.js FONT.ttf\n')
  process.exit(2)
}

/** Fixed, so that drawing again gives the same bytes. */
const drawnAt = new Date('2026-01-01T00:00:00Z')
const left = 60
const rowHeight = 22

const shirts = [
  ['Size', 'Chest (cm)', 'Waist (cm)', 'Sleeve (cm)'],
  ['XS', '82-86', '66-70', '60'],
  ['S', '86-92', '70-76', '61'],
  ['M', '92-98', '76-82', '62'],
  ['L', '98-106', '82-90', '63.5'],
  ['XL', '106-114', '90-98', '65']
]
const shoes = [
  ['US', 'UK', 'EU', 'Foot length (cm)'],
  ['7', '6', '40', '25'],
  ['8', '7', '41', '26'],
  ['9', '8', '42.5', '27'],
  ['10', '9', '44', '28']
]
const inches = [
  ['Size', 'Chest (in)', 'Waist (in)', 'Inseam (in)'],
  ['28', '34 1/2', '28 1/4', '30'],
  ['30', '36', '30 1/2', '30 3/4'],
  ['32', '38 1/4', '32', '31 1/2'],
  ['34', '40½', '34¼', '32']
]
const gloves = [
  ['Размер', 'Ладонь (см)', 'Μηκος (cm)', 'サイズ'],
  ['М', '19-20', '18', 'Mサイズ'],
  ['Б', '21-22', '19', 'Lサイズ'],
  ['Ю', '23-24', '20', 'XLサイズ']
]
const gaps = [
  ['Size', 'Bust', 'Hip', 'Notes'],
  ['34', '82', '', 'runs small'],
  ['36', '', '94', ''],
  ['38', '90', '98', 'low stock']
]

function table (doc, x, y, rows, { ruled = true, widths = 110, fontSize = 11, size = 'Helvetica' } = {}) {
  const width = (column) => Array.isArray(widths) ? widths[column] : widths
  rows.forEach((row, rowIndex) => {
    let at = x
    row.forEach((cell, column) => {
      const top = y + rowIndex * rowHeight
      if (ruled) doc.lineWidth(0.7).rect(at, top, width(column), rowHeight).stroke()
      doc.font(typeof size === 'string' && rowIndex === 0 && size === 'Helvetica' ? 'Helvetica-Bold' : size).fontSize(fontSize)
        .text(cell, at + 5, top + 6, { lineBreak: false })
      at += width(column)
    })
  })
  return y + rows.length * rowHeight
}

const heading = (doc, text, y, face = 'Helvetica-Bold', size = 18) => {
  doc.font(face).fontSize(size).text(text, left, y, { lineBreak: false })
  return y + size + 16
}
const paragraph = (doc, text, y, face = 'Helvetica') => {
  doc.font(face).fontSize(10).text(text, left, y, { width: 460 })
  return doc.y + 12
}

const cases = {
  ruled: {
    tables: [shirts],
    draw (doc) { table(doc, left, heading(doc, 'Shirts', 60), shirts) }
  },
  unruled: {
    tables: [shirts],
    draw (doc) { table(doc, left, heading(doc, 'Shirts', 60), shirts, { ruled: false }) }
  },
  'two-tables': {
    tables: [shirts, shoes],
    draw (doc) {
      const y = table(doc, left, heading(doc, 'Shirts', 60), shirts)
      table(doc, left, heading(doc, 'Shoes', y + 40), shoes)
    }
  },
  'two-tables-unruled': {
    tables: [shirts, shoes],
    draw (doc) {
      const y = table(doc, left, heading(doc, 'Shirts', 60), shirts, { ruled: false })
      table(doc, left, heading(doc, 'Shoes', paragraph(doc, 'Measure over light clothing.', y + 12) + 20), shoes, { ruled: false })
    }
  },
  'merged-header': {
    // Markdown has no merged cells: what stands above several columns is repeated in the head of each.
    tables: [[['Size', 'Body measurements Chest', 'Body measurements Waist', 'Garment Length', 'Garment Width'], ['S', '88', '72', '70', '50'], ['M', '96', '80', '72', '54'], ['L', '104', '88', '74', '58']]],
    draw (doc) {
      const y = heading(doc, 'Jackets', 60)
      const width = 90
      const box = (x, w, text, top) => {
        doc.lineWidth(0.7).rect(x, top, w, rowHeight).stroke()
        doc.font('Helvetica-Bold').fontSize(11).text(text, x, top + 6, { width: w, align: 'center', lineBreak: false })
      }
      box(left, width, '', y)
      box(left + width, 2 * width, 'Body measurements', y)
      box(left + 3 * width, 2 * width, 'Garment', y)
      table(doc, left, y + rowHeight, [['Size', 'Chest', 'Waist', 'Length', 'Width'], ['S', '88', '72', '70', '50'], ['M', '96', '80', '72', '54'], ['L', '104', '88', '74', '58']], { widths: width })
    }
  },
  'several-pages': {
    tables: [shirts, shoes, inches],
    draw (doc) {
      table(doc, left, heading(doc, 'Shirts', 60), shirts)
      doc.addPage()
      table(doc, left, heading(doc, 'Shoes', 60), shoes)
      doc.addPage()
      table(doc, left, heading(doc, 'Trousers', 60), inches)
    }
  },
  'units-in-headings': {
    tables: [shirts, inches],
    draw (doc) {
      const y = table(doc, left, paragraph(doc, 'All measurements are of the body, in centimetres.', heading(doc, 'Shirts - centimetres (cm)', 60)), shirts)
      table(doc, left, heading(doc, 'Trousers - inches (in)', y + 30), inches)
    }
  },
  'inches-with-fractions': {
    tables: [inches],
    draw (doc) { table(doc, left, heading(doc, 'Trousers', 60), inches, { ruled: false }) }
  },
  'non-latin': {
    tables: [gloves],
    draw (doc) {
      doc.registerFont('wide', font)
      table(doc, left, heading(doc, 'Перчатки', 60, 'wide'), gloves, { size: 'wide', widths: 120 })
    }
  },
  'rotated-page': {
    tables: [shirts],
    draw (doc) {
      // The page is turned by its own /Rotate, and its content drawn so that it reads upright.
      doc.page.dictionary.data.Rotate = 90
      doc.rotate(-90).translate(-doc.page.height, 0)
      table(doc, left, heading(doc, 'Shirts', 60), shirts)
    }
  },
  'empty-cells': {
    tables: [gaps],
    draw (doc) { table(doc, left, heading(doc, 'Dresses', 60), gaps) }
  },
  'horizontal-rules': {
    tables: [shoes],
    draw (doc) {
      const y = heading(doc, 'Shoes', 60)
      table(doc, left, y, shoes, { ruled: false })
      for (let row = 0; row <= shoes.length; row++) doc.lineWidth(0.5).moveTo(left, y + row * rowHeight).lineTo(left + 440, y + row * rowHeight).stroke()
    }
  },
  'shaded-rows': {
    tables: [shirts],
    draw (doc) {
      const y = heading(doc, 'Shirts', 60)
      for (let row = 0; row < shirts.length; row += 2) doc.rect(left, y + row * rowHeight, 440, rowHeight).fill('#dddddd')
      doc.fill('#000000')
      table(doc, left, y, shirts, { ruled: false })
    }
  },
  'continued-on-next-page': {
    tables: [[shirts[0], ...shirts.slice(1, 4)], [shirts[0], ...shirts.slice(4)]],
    draw (doc) {
      table(doc, left, heading(doc, 'Shirts', 60), shirts.slice(0, 4))
      doc.addPage()
      table(doc, left, 60, [shirts[0], ...shirts.slice(4)])
    }
  },
  'narrow-columns': {
    tables: [[['Size', '34', '36', '38', '40', '42', '44', '46', '48'], ['Chest', '82', '86', '90', '94', '98', '102', '106', '110'], ['Waist', '66', '70', '74', '78', '82', '86', '90', '94'], ['Hip', '90', '94', '98', '102', '106', '110', '114', '118']]],
    draw (doc) {
      table(doc, left, heading(doc, 'Blazers', 60), [['Size', '34', '36', '38', '40', '42', '44', '46', '48'], ['Chest', '82', '86', '90', '94', '98', '102', '106', '110'], ['Waist', '66', '70', '74', '78', '82', '86', '90', '94'], ['Hip', '90', '94', '98', '102', '106', '110', '114', '118']], { ruled: false, widths: 42 })
    }
  },
  'pipes-in-cells': {
    tables: [[['Size', 'Fits', 'Length'], ['S|M', '36 | 38', '70'], ['L|XL', '40 | 42', '74']]],
    draw (doc) { table(doc, left, heading(doc, 'Scarves', 60), [['Size', 'Fits', 'Length'], ['S|M', '36 | 38', '70'], ['L|XL', '40 | 42', '74']]) }
  },
  'sixty-pages': {
    tables: Array.from({ length: 60 }, (_, page) => shoesOf(page)),
    draw (doc) {
      for (let page = 0; page < 60; page++) {
        if (page > 0) doc.addPage()
        table(doc, left, heading(doc, `Model ${page + 1}`, 60), shoesOf(page))
      }
    }
  },
  'scan-without-text': {
    error: 'no-text',
    draw (doc) {
      // What a scanner leaves behind: lines and blots, no text.
      for (let row = 0; row < 8; row++) {
        for (let column = 0; column < 4; column++) {
          doc.rect(left + column * 110, 120 + row * 24, 110, 24).stroke()
          doc.rect(left + column * 110 + 12, 128 + row * 24, 20 + (row * 7 + column * 13) % 50, 7).fill('#444444')
        }
      }
    }
  },
  'password-protected': {
    error: 'password-protected',
    options: { userPassword: 'secret', ownerPassword: 'owner' },
    draw (doc) { table(doc, left, heading(doc, 'Shirts', 60), shirts) }
  },
  'too-long': {
    error: 'body-too-long',
    draw (doc) {
      for (let page = 0; page < 40; page++) {
        if (page > 0) doc.addPage()
        doc.font('Helvetica').fontSize(8)
        for (let row = 0; row < 60; row++) doc.text(`Care note ${page * 60 + row}: wash warm with like colours.`, left, 40 + row * 11, { lineBreak: false })
      }
    }
  }
}

function shoesOf (page) {
  return [['US', 'EU', 'Foot length (cm)'], ...Array.from({ length: 5 }, (_, row) =>
    [String(6 + row), String(38 + row), (22 + row + page / 10).toFixed(1)])]
}

async function drawPdf (name, { draw, options = {} }) {
  const doc = new PDFDocument({ size: 'A4', margin: 50, info: { Title: name, CreationDate: drawnAt }, ...options })
  const file = doc.pipe(createWriteStream(`${folder}${name}.pdf`))
  draw(doc)
  doc.end()
  await once(file, 'finish')
}

await mkdir(folder, { recursive: true })
for (const [name, one] of Object.entries(cases)) await drawPdf(name, one)
await writeFile(`${folder}truncated.pdf`, await readFile(`${folder}ruled.pdf`))
await truncate(`${folder}truncated.pdf`, 700)
await writeFile(`${folder}empty.pdf`, '')
await writeFile(`${folder}html-page.pdf`, '<!doctype html><html><head><title>404</title></head><body><h1>Not found</h1></body></html>\n')
const expected = Object.fromEntries(Object.entries(cases).map(([name, { tables, error }]) => [name, error === undefined ? { tables } : { error }]))
await writeFile(`${folder}expected.json`, `${JSON.stringify({
  ...expected, truncated: { error: 'damaged' }, empty: { error: 'not-a-pdf' }, 'html-page': { error: 'not-a-pdf' }
}, null, 1)}\n`)
