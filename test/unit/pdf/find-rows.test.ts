import t from 'tap'
import type { PlacedLine } from '../../../src/pdf/columns.js'
import { splitIntoRows } from '../../../src/pdf/find-rows.js'
import { textOf } from '../../../src/pdf/text-lines.js'

/** Texts by their column. */
const line = (baseline: number, texts: Record<number, string>): PlacedLine => ({
  baseline,
  size: 10,
  placed: Object.entries(texts).map(([column, text]) => ({
    from: Number(column), to: Number(column), piece: { words: text.split(' ').map((word) => ({ text: word, left: 0, right: 0 })), left: 0, right: 0, baseline, size: 10, order: 0 }
  }))
})

const rowsOf = (lines: PlacedLine[]): string[][] => splitIntoRows(lines, 3).map((row) => row.flatMap(({ placed }) => placed.map(({ piece }) => textOf(piece))))

t.test('lines that hold values in one column are rows, however near', async (t) => {
  t.strictSame(rowsOf([line(0, { 0: 'S', 1: '88' }), line(9, { 0: 'M', 1: '92' }), line(18, { 0: 'L', 1: '96' })]), [['S', '88'], ['M', '92'], ['L', '96']])
})

t.test('lines nearer than rows are one cell\'s, above and below its row', async (t) => {
  t.strictSame(rowsOf([line(0, { 0: 'S', 1: '88', 2: '70' }), line(20, { 2: 'a snug' }), line(26, { 0: 'M', 1: '92' }), line(32, { 2: 'fit' }), line(52, { 0: 'L', 1: '96', 2: '78' }), line(72, { 0: 'X', 1: '99', 2: '80' })]), [
    ['S', '88', '70'], ['a snug', 'M', '92', 'fit'], ['L', '96', '78'], ['X', '99', '80']
  ])
})

t.test('a text under a text goes on from it, a value or a key does not', async (t) => {
  t.strictSame(rowsOf([line(0, { 0: 'S', 1: '88', 2: 'runs' }), line(12, { 2: 'small' }), line(24, { 0: 'M', 1: '92', 2: 'true' }), line(36, { 0: 'Tall' })]), [
    ['S', '88', 'runs', 'small'], ['M', '92', 'true'], ['Tall']
  ])
})

t.test('where cells end on their rows\' lines, what is above in capitals goes on there in small letters', async (t) => {
  t.strictSame(rowsOf([line(0, { 0: 'Size', 1: 'cm', 2: 'Fit' }), line(13, { 0: 'S', 1: '88', 2: 'True to size' }), line(25, { 2: 'Loose, falls over the' }), line(37, { 2: 'hips and leaves room' }), line(49, { 0: 'M', 1: '92', 2: 'for layers' }), line(62, { 0: 'L', 1: '96', 2: 'True to size' })]), [
    ['Size', 'cm', 'Fit'], ['S', '88', 'True to size'], ['Loose, falls over the', 'hips and leaves room', 'M', '92', 'for layers'], ['L', '96', 'True to size']
  ])
})

t.test('where their middles are on them, as much of a cell stands below its row as above', async (t) => {
  t.strictSame(rowsOf([line(0, { 0: 'Size', 1: 'cm', 2: 'Fit' }), line(30, { 2: 'Machine wash at 30' }), line(42, { 0: 'S', 1: '88' }), line(54, { 2: 'degrees' }), line(84, { 2: 'Close to the body' }), line(96, { 0: 'M', 1: '92' }), line(108, { 2: 'Under a jacket' }), line(138, { 0: 'L', 1: '96', 2: 'Regular' })]), [
    ['Size', 'cm', 'Fit'], ['Machine wash at 30', 'S', '88', 'degrees'], ['Close to the body', 'M', '92', 'Under a jacket'], ['L', '96', 'Regular']
  ])
})
