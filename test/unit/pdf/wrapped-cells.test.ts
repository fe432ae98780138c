/** Which rows the lines of a wrapped text are of. */
import t from 'tap'
import type { PlacedLine } from '../../../src/pdf/columns.js'
import { wrappedCells } from '../../../src/pdf/wrapped-cells.js'
import { placedLine as line } from './placed-texts.js'

const head = line(0, { 0: 'Size', 1: 'cm', 2: 'Fit' })
/** By the baseline of a line, that of its row. */
const ownersOf = (lines: PlacedLine[]): Array<[number, number]> => Array.from(wrappedCells([head, ...lines]), ([one, row]) => [one.baseline, row.baseline])

t.test('where the middles of cells are on their rows, as much is below a row as is above it', async (t) => {
  t.strictSame(ownersOf([line(30, { 2: 'wide in' }), line(42, { 0: 'S', 1: '88' }), line(54, { 2: 'the hips' }), line(84, { 2: 'as it is' }), line(96, { 0: 'M', 1: '92' }), line(108, { 2: 'worn' })]), [[30, 42], [54, 42], [84, 96], [108, 96]])
  t.strictSame(ownersOf([line(30, { 2: 'wide in' }), line(42, { 0: 'S', 1: '88' }), line(57, { 2: 'the hips' })]), [], 'not as far below')
  t.strictSame(ownersOf([line(30, { 2: 'wide in' }), line(42, { 0: 'S', 1: '88' }), line(54, { 2: 'the hips' }), line(66, { 2: 'and long' })]), [], 'more is left')
})

t.test('where cells end on their rows, a text begins in a capital above and goes on there in small letters', async (t) => {
  const rows = (begin: string, end: string): PlacedLine[] => [line(30, { 0: 'S', 1: '88', 2: 'Close' }), line(60, { 2: begin }), line(72, { 0: 'M', 1: '92', 2: end })]
  t.strictSame(ownersOf(rows('Loose over', 'the hips')), [[60, 72]])
  t.strictSame(ownersOf(rows('loose over', 'the hips')), [], 'it may go on from the row above')
  t.strictSame(ownersOf(rows('Loose over', 'The hips')), [], 'two texts')
})

t.test('values, names of rows and texts of several columns are no wrapped cells', async (t) => {
  const around = (above: PlacedLine, below: PlacedLine): PlacedLine[] => [above, line(42, { 0: 'S', 1: '88' }), below]
  t.strictSame(ownersOf(around(line(30, { 2: 'wide in' }), line(54, { 2: '70' }))), [])
  t.strictSame(ownersOf(around(line(30, { 0: 'Women' }), line(54, { 0: 'Men' }))), [])
  t.strictSame(ownersOf(around(line(30, { 2: 'wide in' }), line(54, { 1: 'the hips' }))), [])
  const over = line(54, { 2: 'the hips' })
  t.strictSame(ownersOf(around(line(30, { 2: 'wide in' }), { ...over, placed: over.placed.map((text) => ({ ...text, from: 1 })) })), [])
})
