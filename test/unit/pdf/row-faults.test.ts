/** What speaks against the rows of a table: each fault beside what is nearly one. */
import t from 'tap'
import { rowFault } from '../../../src/pdf/row-faults.js'
import type { Table } from '../../../src/pdf/page-model.js'
import { piece, tableOf } from './placed-texts.js'

const head = ['Size', 'Chest', 'Hip']
const sizes = [['S', '88', '90'], ['M', '92', '94'], ['L', '96', '98']]
const table = (rows: string[][], more: Parameters<typeof tableOf>[2] = {}): Table => tableOf(head, rows, more)

/** With these texts in the second cell of the first row. */
function withTexts (...pieces: Array<ReturnType<typeof piece>>): Table {
  const made = table(sizes)
  return { ...made, rows: made.rows.map((row, index) => index > 0 ? row : row.map((cell, column) => column === 1 ? { text: '88 90', pieces } : cell)) }
}

t.test('nothing speaks against rows of sizes', async (t) => {
  t.equal(rowFault(table(sizes)), null)
})

t.test('each row has the columns of its head, and something in them', async (t) => {
  t.equal(rowFault(table([...sizes, ['XL', '100']])), 'a row has other columns than the head')
  t.equal(rowFault(table([...sizes, ['', '', '']])), 'a row is empty')
  t.equal(rowFault(table([])), 'a row is empty')
})

t.test('a text that is alone in its row is of another one, but where lines are drawn around it', async (t) => {
  const rows = [...sizes, ['', 'or more', '']]
  t.equal(rowFault(table(rows)), 'a row holds one text only')
  t.equal(rowFault(table(rows, { isGrid: true })), null)
  t.equal(rowFault(tableOf(['Size', 'Chest'], [['S', '88'], ['', '92']])), 'a row holds one value only')
})

t.test('keys on lines of their own are not those of rows; one is the name of a group', async (t) => {
  t.equal(rowFault(table([['36', '', ''], ['', '88', '90'], ['38', '', ''], ['', '92', '94']])), 'the first cells of rows stand on lines of their own')
  t.equal(rowFault(table([['Women', '', ''], ...sizes, ['Men', '', ''], ...sizes])), null)
})

t.test('what is as near to the row above as lines of a text are is more of it', async (t) => {
  const rows = [...sizes, ['', 'or more', '']]
  t.equal(rowFault(table(rows, { isGrid: true, at: [0, 20, 40, 60, 72] })), 'a row is more of the one above')
  t.equal(rowFault(table(rows, { isGrid: true, at: [0, 20, 40, 60, 80] })), null)
})

t.test('a first cell that is nearer to the row below than rows are may begin it', async (t) => {
  const rows = [['S', '88', '90'], ['Extra', '', ''], ['large', '96', '98'], ['XXL', '99', '99']]
  t.equal(rowFault(table(rows, { at: [0, 20, 45, 57, 77] })), 'a row may be the beginning of the one below')
  t.equal(rowFault(table(rows, { at: [0, 20, 40, 60, 80] })), null, 'the name of a group')
})

t.test('a note is no row, and no name of a group has its sign', async (t) => {
  t.equal(rowFault(table([...sizes, ['* in cm', '', '']])), 'a note is in the rows')
  t.equal(rowFault(table([...sizes, ['In cm', '', '']])), null)
})

t.test('texts of one cell stand under each other', async (t) => {
  const [apart, askew] = ['texts of one cell stand beside each other on different lines', 'texts of one cell stand on different lines']
  t.equal(rowFault(withTexts(piece('88', 100, 20), piece('90', 130, 32))), apart)
  t.equal(rowFault(withTexts(piece('88', 100, 20), piece('90', 130, 22))), askew)
  t.equal(rowFault(withTexts(piece('88', 100, 20), piece('90', 100, 32))), null)
  t.equal(rowFault(withTexts(piece('88', 100, 20), piece('90', 130, 20))), null)
})

t.test('a range has an end', async (t) => {
  t.equal(rowFault(table([['S', '86 –', '90'], ...sizes])), 'a range has no end')
  t.equal(rowFault(table([['S', '86 – 88', '90'], ...sizes])), null)
})

t.test('a name that comes after the first of its rows may be of those above', async (t) => {
  t.equal(rowFault(table([['', '36', '88'], ['Women', '38', '92'], ['', '40', '96']])), 'the name of a group of rows stands beside one of them')
  t.equal(rowFault(table([['Women', '36', '88'], ['', '38', '92'], ['', '40', '96']])), null)
})

t.test('a first column with nothing in it names no row', async (t) => {
  t.equal(rowFault(tableOf(['', 'Size', 'Chest'], [['', 'S', '88'], ['', 'M', '92']])), 'the first column is empty')
  t.equal(rowFault(tableOf(['Cut', 'Size', 'Chest'], [['Slim', 'S', '88'], ['', 'M', '92']])), null)
  t.equal(rowFault(tableOf(['', 'Size', 'Chest'], [['Slim', 'S', '88'], ['Wide', 'M', '92']])), null)
})
