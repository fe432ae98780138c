/** What makes a reading of a page no chart. */
import t from 'tap'
import { faultOf } from '../../../src/pdf/faithful.js'
import type { Table, TableCell } from '../../../src/pdf/page-model.js'

const width = 40

/** Each text in the middle of its column. */
function cellsOf (row: readonly string[], baseline: number): TableCell[] {
  return row.map((text, column) => ({
    text,
    pieces: text === '' ? [] : [{ words: text.split(' ').map((word) => ({ text: word, left: column * width, right: column * width + 20 })), left: column * width, right: column * width + 20, baseline, size: 10, order: 0 }]
  }))
}

const tableOf = (rows: readonly string[][], change: Partial<Table> = {}): Table => ({
  title: [], head: cellsOf(rows[0] ?? [], 0), rows: rows.slice(1).map((row, index) => cellsOf(row, 15 * index + 15)), repeated: [], doubts: [], page: 1, columns: [], isGrid: false, ...change
})

const faultIn = (table: Table, words = [...table.head, ...table.rows.flat()].flatMap(({ text }) => text.split(' ')).filter((word) => word !== '')): string | null =>
  faultOf({ blocks: [{ table }], words })

const shoes = [['EU', 'UK', 'cm'], ['38½', '5½', '24.5'], ['39', '6', '25.0'], ['40', '6½', '25.4']]

t.test('a table that says what the page says has no fault', async (t) => {
  t.equal(faultIn(tableOf(shoes)), null)
})

t.test('a word that is missing, or there twice, is one', async (t) => {
  const words = shoes.flat()
  t.equal(faultIn(tableOf(shoes), [...words, '41']), 'words are missing or too many')
  t.equal(faultIn(tableOf(shoes), words.slice(1)), 'words are missing or too many')
})

t.test('what a head repeats over its columns may be there as often as it does', async (t) => {
  const rows = [['Size', 'Body Chest', 'Body Waist'], ['S', '88', '70'], ['M', '92', '74']]
  const words = ['Size', 'Body', 'Chest', 'Waist', 'S', '88', '70', 'M', '92', '74']
  t.equal(faultIn(tableOf(rows, { repeated: ['Body'] }), words), null)
  t.ok(faultIn(tableOf(rows), words))
})

t.test('two values in a cell of a column whose others hold one are one', async (t) => {
  t.equal(faultIn(tableOf([['EU', 'cm'], ['38 38½', '24'], ['39', '25'], ['40', '26']])), 'a cell holds two values')
  for (const value of ['38 1/2', '38–40', '5′ 6″', '38 (24 cm)', '36 to 38']) t.equal(faultIn(tableOf([['EU', 'cm'], [value, '24'], ['39', '25'], ['40', '26']])), null, value)
})

t.test('a row with other columns than the head, an empty row and a column without a head are one each', async (t) => {
  t.ok(faultIn(tableOf([['EU', 'UK'], ['38', '5', '24'], ['39', '6', '25']])))
  t.ok(faultIn(tableOf([['EU', 'UK'], ['', ''], ['39', '6']])))
  t.ok(faultIn(tableOf([['EU', ''], ['38', '5'], ['39', '6']])))
})

t.test('texts that stand in another order than their columns are one', async (t) => {
  const table = tableOf(shoes)
  const [first = [], ...others] = table.rows
  t.ok(faultIn({ ...table, rows: [[first[1], first[0], first[2]].filter((cell) => cell !== undefined), ...others] }))
})

t.test('a name in the middle of its rows is one: which rows it names is a guess', async (t) => {
  t.equal(faultIn(tableOf([['Group', 'Size', 'Chest'], ['', 'S', '88'], ['Men', 'M', '94'], ['', 'L', '100']], { isGrid: true })), 'the name of a group of rows stands beside one of them')
})

t.test('a row that is more of the one above is one', async (t) => {
  const rest = [['Size', 'Fit', 'Chest', 'Waist'], ['S', 'Wear it', '60 -', '70'], ['', 'below', '64', ''], ['M', 'Slim', '70', '74']]
  t.equal(faultIn(tableOf(rest, { rows: rest.slice(1).map((row, index) => cellsOf(row, 13 * index + 13)) })), 'a row is more of the one above')
})

t.test('values under the texts of a head are one: they are the first row', async (t) => {
  const head = shoes[0]?.map((text, column) => ({ text: `${text} 38`, pieces: [...cellsOf(shoes[0] ?? [], 0)[column]?.pieces ?? [], ...cellsOf(['38', '5', '24'], 12)[column]?.pieces ?? []] })) ?? []
  t.equal(faultIn(tableOf(shoes, { head })), 'a row is in the head')
})

t.test('a small sign that is not on the line of the value beside it is one', async (t) => {
  const [[key, ...others] = [], ...rows] = tableOf(shoes).rows
  const [piece] = key?.pieces ?? []
  const askew = key === undefined || piece === undefined ? [] : [{ text: '38½ 1', pieces: [piece, { ...piece, left: 21, right: 24, size: 7, baseline: piece.baseline - 3 }] }]
  t.equal(faultIn(tableOf(shoes, { rows: [[...askew, ...others], ...rows] })), 'texts of one cell stand on different lines')
})

/** With one more line of text in a cell, where it says. */
const withLine = (cell: TableCell, text: string, baseline: number): TableCell => {
  const [piece] = cell.pieces
  return piece === undefined ? cell : { text: `${cell.text} ${text}`, pieces: [piece, { ...piece, words: [{ text, left: piece.left, right: piece.right }], baseline }] }
}

t.test('texts that neither begin nor end on the line of their rows, nor have it in their middle, are one', async (t) => {
  const table = tableOf([['Size', 'Chest', 'Fit'], ['S', '88', 'Close'], ['M', '92', 'Regular'], ['L', '96', 'Loose']])
  const moved = (by: number): Table => ({ ...table, rows: table.rows.map((row) => row.map((cell, column) => column === 2 ? { ...cell, pieces: cell.pieces.map((piece) => ({ ...piece, baseline: piece.baseline + by })) } : cell)) })
  t.equal(faultIn(moved(0.5)), null)
  t.equal(faultIn(moved(5)), 'texts stand on no line of their rows')
  const inMiddle = { ...table, rows: table.rows.map((row, index) => row.map((cell, column) => column === 2 ? withLine({ ...cell, pieces: cell.pieces.map((piece) => ({ ...piece, baseline: 15 * index + 10 })) }, 'cut', 15 * index + 20) : cell)) }
  t.equal(faultIn(inMiddle), null)
})

t.test('a text that runs on from row to row is one: it stands beside the table', async (t) => {
  const rows = [['Size', 'Chest', 'Measure around the fullest part'], ['S', '88', 'of the chest, and keep the tape'], ['M', '92', 'level all around. Wash at low'], ['L', '96', 'degrees']]
  t.equal(faultIn(tableOf(rows)), 'a text runs on from row to row')
  t.equal(faultIn(tableOf([['Size', 'Chest', 'Fit'], ['S', '88', 'Close to the body, as jumpers are'], ['M', '92', 'Regular'], ['L', '96', 'one size']])), null)
})

t.test('values in the columns of the table above, where their head should be, are one', async (t) => {
  const columns = [0, 1, 2].map((column) => ({ left: column * width, right: column * width + 20 }))
  const [above, below] = [tableOf(shoes, { columns }), tableOf([['Wide', '7', '26.0'], ['Wider', '7½', '26.5']], { columns })]
  const lower = { ...below, head: cellsOf(['Wide', '7', '26.0'], 100), rows: [cellsOf(['Wider', '7½', '26.5'], 115)] }
  const words = [...above.head, ...above.rows.flat(), ...lower.head, ...lower.rows.flat()].map(({ text }) => text)
  t.equal(faultOf({ blocks: [{ table: above }, { table: lower }], words }), 'a part of a table stands outside of it')
})

t.test('a range without its end is one, and so is a column of nothing whose head may be more of the next', async (t) => {
  t.equal(faultIn(tableOf([['Size', 'Chest', 'Waist'], ['S', '88 –', '92'], ['M', '70', '74'], ['L', '76', '78']])), 'a range has no end')
  const rows = [['Size', 'Chest', 'girth'], ['S', '', '88'], ['M', '', '94']]
  const table = tableOf(rows)
  const near = table.head.map((cell, column) => ({ ...cell, pieces: cell.pieces.map((piece) => column === 2 ? { ...piece, left: piece.left - 15 } : piece) }))
  t.equal(faultIn({ ...table, head: near }), 'a head may be more of the one beside it')
  t.equal(faultIn(tableOf([['Size', 'Notes', 'Chest'], ['S', '', '88'], ['M', '', '94']])), null)
})

t.test('texts of a head where the columns have values are one where the head has none', async (t) => {
  t.equal(faultIn(tableOf([['', 'Tour', ''], ['FR', 'de taille', 'Hanches'], ['34', '66', '88'], ['36', '70', '92'], ['38', '74', '96']])), 'a part of the head is in the rows')
})

t.test('heads that lie over each other are one, and so is a text over two columns beside the head of one of them', async (t) => {
  const table = tableOf(shoes)
  const wide = table.head.map((cell, column) => ({ ...cell, pieces: cell.pieces.map((piece) => column === 1 ? { ...piece, right: piece.left + width + 8 } : piece) }))
  t.equal(faultIn({ ...table, head: wide, repeated: [''] }), 'texts of the head lie over each other')
  const [key, second, third] = table.head
  if (key === undefined || second === undefined || third === undefined) throw new Error('no head')
  const shared = [key, second, { text: 'UK cm', pieces: [...second.pieces, ...third.pieces] }]
  t.equal(faultIn({ ...table, head: shared, repeated: ['UK'] }, [...shoes.flat(), 'UK'].filter((_, index) => index !== shoes.flat().length)), 'a text over several columns stands beside the head of one of them')
})

t.test('a text right beside a row is one: it may be more of it', async (t) => {
  const beside = (left: number) => ({ lines: [{ baseline: 15, size: 10, pieces: [{ words: [{ text: 'cm', left, right: left + 10 }], left, right: left + 10, baseline: 15, size: 10, order: 9 }] }] })
  const words = [...shoes.flat(), 'cm']
  t.equal(faultOf({ blocks: [{ table: tableOf(shoes) }, beside(105)], words }), 'a row stands outside of its table')
  t.equal(faultOf({ blocks: [{ table: tableOf(shoes) }, beside(160)], words }), null)
})

t.test('values of a column that are left beside the table are one', async (t) => {
  const value = (text: string, baseline: number) => ({ baseline, size: 10, pieces: [{ words: [{ text, left: 200, right: 210 }], left: 200, right: 210, baseline, size: 10, order: 9 }] })
  const words = [...shoes.flat(), '44', '46']
  t.equal(faultOf({ blocks: [{ table: tableOf(shoes) }, { lines: [value('44', 15), value('46', 30)] }], words }), 'values stand beside the rows of a table')
})

t.test('second words that begin under each other, however long the first are, are one: they are another column', async (t) => {
  const rows = [['Label Height', 'Hips'], ['S 158', '88'], ['M 164', '92'], ['XXL 170', '96']]
  const table = tableOf(rows)
  const words = (at: (word: string) => number): Table => {
    const placed = (row: readonly TableCell[]): TableCell[] => row.map((cell) => ({ ...cell, pieces: cell.pieces.map((piece) => ({ ...piece, words: piece.words.map((word, index) => index === 0 ? { ...word, right: 5 * word.text.length } : { ...word, left: at(piece.words[0]?.text ?? '') }) })) }))
    return { ...table, head: placed(table.head), rows: table.rows.map(placed) }
  }
  t.equal(faultIn(words(() => 30)), 'cells hold two columns')
  t.equal(faultIn(words((first) => 5 * first.length + 3)), null)
})

t.test('a head of which most is missing is one, and so is a name of rows under it, or two heads that touch', async (t) => {
  t.equal(faultIn(tableOf([['', 'Women', ''], ['S', '88', '70'], ['M', '92', '74']], { isGrid: true })), 'most columns have no head')
  const sections = tableOf([['Size', 'Chest', 'Waist'], ['S', '88', '70'], ['Women', '', ''], ['S', '80', '62']])
  t.equal(faultIn({ ...sections, head: sections.head.map((cell, column) => column === 1 ? withLine(cell, 'Men', 12) : cell) }), 'the name of a group of rows is in the head')
  const [key, second, third] = tableOf(shoes).head
  if (key === undefined || second === undefined || third === undefined) throw new Error('no head')
  const twin = second.pieces.map((piece) => ({ ...piece, words: [{ text: 'lengthlength', left: piece.left, right: piece.right + width }], right: piece.right + width, baseline: -12 }))
  t.equal(faultIn({ ...tableOf(shoes), head: [key, { ...second, pieces: [...twin, ...second.pieces] }, { ...third, pieces: [...twin, ...third.pieces] }], repeated: ['lengthlength'] }), 'a text over several columns stands beside the head of one of them')
})

t.test('first cells that are values and stand alone in several rows are one', async (t) => {
  t.equal(faultIn(tableOf([['Size', 'Chest'], ['EU', '88'], ['36', ''], ['EU', '92'], ['38', '']])), 'the first cells of rows stand on lines of their own')
})

t.test('the head of another table among the rows is one, and so is a note', async (t) => {
  const rows = [['Size', 'Thigh', 'Length'], ['32', '50', '28'], ['34', '53', '30']]
  t.equal(faultIn(tableOf([...rows, ['Label', 'Shoulder', 'Bust'], ['36', '60', '34'], ['38', '64', '36']])), 'a head is in the rows')
  t.equal(faultIn(tableOf([...rows, ['•Choose the larger one.', '', '']])), 'a note is in the rows')
})

t.test('a name under a size, but not over it, is of another cell', async (t) => {
  const table = tableOf([['Size', 'Neck'], ['34', '28'], ['36', '30']])
  const [piece] = cellsOf(['Baby'], 22)[0]?.pieces ?? []
  const [[key, ...others] = [], ...rows] = table.rows
  if (piece === undefined || key === undefined) throw new Error('no cell')
  const named = { text: '34 Baby', pieces: [...key.pieces, { ...piece, left: -40, right: -20 }] }
  t.equal(faultIn({ ...table, rows: [[named, ...others], ...rows] }), 'texts of one cell stand beside each other on different lines')
})
