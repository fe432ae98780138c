import t from 'tap'
import { splitIntoRows, type PlacedLine } from '../../../src/pdf/find-rows.js'
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
