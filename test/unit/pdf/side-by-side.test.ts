/** What tells two tables on the same lines from one. */
import t from 'tap'
import { haveKeysOfTheirOwn, haveTitlesOfTheirOwn, mayBeTwo } from '../../../src/pdf/side-by-side.js'
import type { Line, Piece } from '../../../src/pdf/text-lines.js'

/** A letter is 5 wide. */
const piece = (text: string, left: number, baseline: number): Piece => ({
  words: text.split(' ').map((word) => ({ text: word, left, right: left + 5 * text.length })), left, right: left + 5 * text.length, baseline, size: 10, order: 0
})

interface Side { line: Line, inked: Piece[] }

/** The texts of each line, by where they begin; from `at` on they are the right side's. */
function sidesOf (at: number, rows: ReadonlyArray<Record<number, string>>): [Side[], Side[]] {
  const lines = rows.map((row, index): Line => {
    const pieces = Object.entries(row).map(([left, text]) => piece(text, Number(left), 15 * index))
    return { baseline: 15 * index, size: 10, pieces }
  })
  const side = (isOwn: (left: number) => boolean): Side[] => lines.map((line) => ({ line, inked: line.pieces.filter(({ left }) => isOwn(left)) })).filter(({ inked }) => inked.length > 0)
  return [side((left) => left < at), side((left) => left >= at)]
}

t.test('two tables each have a column that names their sizes, and a wider gap between them', async (t) => {
  const [left, right] = sidesOf(100, [{ 0: 'Size', 40: 'Chest', 110: 'Alter', 150: 'Länge' }, { 0: 'S', 40: '88', 110: '2', 150: '60' }, { 0: 'M', 40: '92', 110: '4', 150: '66' }])
  t.ok(haveKeysOfTheirOwn(left, right, 45, 10))
  t.notOk(haveKeysOfTheirOwn(left, right, 20, 10), 'as near as columns are')
})

t.test('the same word for sizes at the left of each needs no wide gap', async (t) => {
  const [left, right] = sidesOf(100, [{ 0: 'Size', 60: 'Chest', 110: 'Size', 170: 'Hip' }, { 0: 'S', 60: '88', 110: 'S', 170: '90' }])
  t.ok(haveKeysOfTheirOwn(left, right, 25, 10))
})

t.test('sizes of several countries are columns of one table, and so is what has no sizes at its left', async (t) => {
  const [left, right] = sidesOf(100, [{ 0: 'EU size', 50: 'UK size', 120: 'US size', 170: 'IT size' }, { 0: '36', 50: '8', 120: '4', 170: '40' }])
  t.notOk(haveKeysOfTheirOwn(left, right, 35, 10))
  const [body, garment] = sidesOf(100, [{ 0: 'Size', 40: 'Chest', 120: 'Length', 170: 'Width' }, { 0: 'S', 40: '88', 120: '70', 170: '50' }])
  t.notOk(haveKeysOfTheirOwn(body, garment, 55, 10))
})

t.test('two tables each have a title at their left edge', async (t) => {
  const rows = [{ 4: 'EU', 40: 'cm', 114: 'EU', 150: 'cm' }, { 4: '36', 40: '23', 114: '40', 150: '25' }, { 4: '37', 40: '24', 114: '41', 150: '26' }]
  const [left, right] = sidesOf(100, [{ 0: 'Women', 110: 'Men' }, ...rows])
  t.ok(haveTitlesOfTheirOwn(left, right, 60, 10))
  const [one, other] = sidesOf(100, [{ 40: 'Women', 150: 'Men' }, ...rows])
  t.notOk(haveTitlesOfTheirOwn(one, other, 60, 10), 'heads of columns but the first')
})

t.test('a gap far wider than all others, with sizes behind it, may be between two tables, but where a line goes over it', async (t) => {
  const cell = (text: string): { text: string, pieces: Piece[] } => ({ text, pieces: [] })
  const table = { columns: [{ left: 0, right: 20 }, { left: 30, right: 50 }, { left: 120, right: 140 }, { left: 150, right: 170 }], rows: [['36', '23.0', '40', '25.0'].map(cell), ['37', '24.0', '41', '26.0'].map(cell)] }
  t.ok(mayBeTwo(table, [], 10))
  t.notOk(mayBeTwo(table, [{ at: 0, from: 0, to: 170 }], 10))
})
