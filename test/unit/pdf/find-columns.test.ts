import t from 'tap'
import { findColumns } from '../../../src/pdf/find-columns.js'
import { textOf, type Piece } from '../../../src/pdf/text-lines.js'

/** Texts by where they begin; a letter is 5 wide. */
const line = (baseline: number, texts: Record<number, string>): Piece[] => Object.entries(texts).map(([left, text]) => ({
  words: text.split(' ').map((word) => ({ text: word, left: Number(left), right: Number(left) + 5 * text.length })), left: Number(left), right: Number(left) + 5 * text.length, baseline, size: 10, order: 0
}))

const found = (lines: Piece[][]): Array<Array<[string, number, number]>> =>
  findColumns(lines, []).lines.map((placed) => placed.map(({ piece, from, to }) => [textOf(piece), from, to]))

t.test('columns are what lies over each other in all rows together, however narrow the gaps of one row', async (t) => {
  t.strictSame(found([line(0, { 0: 'EU', 18: 'UK', 36: 'cm' }), line(15, { 0: '38½', 18: '5½', 36: '24.5' }), line(30, { 0: '39', 18: '6', 36: '25' })]), [
    [['EU', 0, 0], ['UK', 1, 1], ['cm', 2, 2]], [['38½', 0, 0], ['5½', 1, 1], ['24.5', 2, 2]], [['39', 0, 0], ['6', 1, 1], ['25', 2, 2]]
  ])
})

t.test('heads to the left over values to the right are of one column each', async (t) => {
  t.strictSame(found([line(0, { 0: 'A', 100: 'B' }), line(15, { 90: '1', 190: '2' }), line(30, { 90: '3', 190: '4' })])[1], [['1', 0, 0], ['2', 1, 1]])
})

t.test('a text over two columns\' middle spans them, and so does one at the left edge that is a row of its own', async (t) => {
  const body = [line(40, { 0: 'S', 50: '88', 100: '70' }), line(60, { 0: 'M', 50: '92', 100: '74' })]
  t.strictSame(found([line(0, { 72: 'Body' }), line(20, { 0: 'Size', 50: 'Chest', 100: 'Waist' }), ...body])[0], [['Body', 1, 2]])
  t.strictSame(found([line(0, { 50: 'Body' }), line(20, { 0: 'Size', 50: 'Chest', 100: 'Waist' }), ...body])[0], [['Body', 1, 2]])
  t.strictSame(found([line(8, { 50: 'Body' }), line(20, { 0: 'Size', 50: 'Chest', 100: 'Waist' }), ...body])[0], [['Body', 1, 1]], 'the upper line of a head')
})

const spans = (lines: Piece[][], rules: Array<{ at: number, from: number, to: number }> = []): [Array<[string, number, number]>, string[]] => {
  const columns = findColumns(lines, rules)
  return [columns.lines[0]?.map(({ piece, from, to }) => [textOf(piece), from, to]) ?? [], columns.doubts]
}

const body = [line(40, { 0: 'S', 50: '88', 100: '70', 150: '60' }), line(60, { 0: 'M', 50: '92', 100: '74', 150: '62' })]
const heads = line(20, { 0: 'Size', 50: 'Chest', 100: 'Waist', 150: 'Length' })

t.test('a line under a text of the head says which columns it is over', async (t) => {
  t.strictSame(spans([line(0, { 77: 'Body' }), heads, ...body], [{ at: 8, from: 48, to: 128 }]), [[['Body', 1, 2]], []])
})

t.test('a text in the middle of all columns is over all of them, also over the first', async (t) => {
  t.strictSame(spans([line(0, { 75: 'Shirts' }), heads, ...body]), [[['Shirts', 0, 3]], []])
})

t.test('a text that is over some columns, and nothing says over which, is a doubt', async (t) => {
  t.strictSame(spans([line(0, { 57: 'Body' }), heads, ...body])[1], ['which columns a head is over is not certain'])
})

t.test('names of groups, alone on their lines and to the left of all others, are in the first column', async (t) => {
  t.strictSame(found([line(0, { 30: 'Size', 80: 'Chest' }), line(15, { 0: 'Men' }), line(30, { 35: 'S', 80: '88' }), line(45, { 0: 'All' }), line(60, { 35: 'M', 80: '92' })])[1], [['Men', 0, 0]])
})

t.test('numbers at the right and texts at the left of one column are one where each column then has one head', async (t) => {
  const rows = [line(0, { 45: 'EU', 145: 'UK' }), line(15, { 85: '36', 190: '3' }), line(30, { 0: '36½', 100: '3½' }), line(45, { 85: '37', 190: '4' })]
  t.strictSame(found(rows).slice(1), [[['36', 0, 0], ['3', 1, 1]], [['36½', 0, 0], ['3½', 1, 1]], [['37', 0, 0], ['4', 1, 1]]])
})

t.test('names between two rows that are as near as others are a column of their own', async (t) => {
  const rows = [line(0, { 80: 'Size', 130: 'Chest' }), line(15, { 80: '36', 130: '88' }), line(22, { 0: 'Slim' }), line(30, { 80: '38', 130: '92' }), line(45, { 80: '40', 130: '96' })]
  t.strictSame(found(rows)[2], [['Slim', 0, 0]])
  t.strictSame(found(rows)[1], [['36', 1, 1], ['88', 2, 2]])
})

t.test('where the same heads come again below texts, these are over the columns up to there, at an edge or in the middle', async (t) => {
  const rows = [line(20, { 0: 'Size', 50: 'cm', 80: 'in', 110: 'cm', 140: 'in' }), line(40, { 0: 'S', 50: '88', 80: '34', 110: '72', 140: '28' }), line(60, { 0: 'M', 50: '96', 80: '38', 110: '80', 140: '31' })]
  t.strictSame(spans([line(0, { 65: 'Chest', 125: 'Waist' }), ...rows]), [[['Chest', 1, 2], ['Waist', 3, 4]], []])
})
