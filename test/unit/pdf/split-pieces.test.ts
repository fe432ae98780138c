/** What was written over a line between two columns. */
import t from 'tap'
import type { Rule } from '../../../src/pdf/page-geometry.js'
import { splitAtWalls } from '../../../src/pdf/split-pieces.js'
import { textOf, type Piece } from '../../../src/pdf/text-lines.js'
import { piece } from './placed-texts.js'

/** From 80 to 120, between `Size`, which ends at 20, and `Chest`, which begins at 25. */
const wall: Rule = { at: 22, from: 80, to: 120 }
const partsOf = (text: Piece, walls: Rule[], beside: Piece[] = []): string[] => splitAtWalls(text, walls, [text, ...beside]).map(textOf)

t.test('a text over a line between two columns is in both', async (t) => {
  const [left, right] = splitAtWalls(piece('Size Chest', 0, 100), [wall], [])
  t.match([left, right], [{ left: 0, right: 20 }, { left: 25, right: 50 }])
  t.strictSame(partsOf(piece('Size Chest cm', 0, 100), [wall]), ['Size', 'Chest cm'])
})

t.test('a text that reaches into a cell with a text of its own stays whole', async (t) => {
  t.strictSame(partsOf(piece('Size Chest', 0, 100), [wall], [piece('88', 60, 100)]), ['Size Chest'])
})

t.test('one word stays whole, and so does what stands above the line', async (t) => {
  t.strictSame(partsOf(piece('Measurements', 0, 100), [wall]), ['Measurements'])
  t.strictSame(partsOf(piece('Size Chest', 0, 70), [wall]), ['Size Chest'])
})
