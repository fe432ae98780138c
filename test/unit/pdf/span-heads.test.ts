/** Which columns the upper lines of a head are over. */
import t from 'tap'
import { spanOf, type Column } from '../../../src/pdf/columns.js'
import type { Rule } from '../../../src/pdf/page-geometry.js'
import { placeAbove } from '../../../src/pdf/span-heads.js'
import { textOf } from '../../../src/pdf/text-lines.js'
import { lineOf } from './placed-texts.js'

const certain: string[] = []
const doubt = ['which columns a head is over is not certain']

/** Each text with its columns, and the doubts; the heads are `far` below, rows 20 from each other. */
function spans (texts: Record<number, string>, { rules = [], far = 20, heads = ['Size', 'Chest', 'Waist', 'Width'], pitch = 20, end = 175 }: { rules?: Rule[], far?: number, heads?: string[], pitch?: number, end?: number } = {}): [Record<string, [number, number]>, string[]] {
  const columns: Column[] = [{ left: 0, right: 20 }, { left: 50, right: 75 }, { left: 100, right: 125 }, { left: 150, right: end }]
  const lines = [lineOf(0, texts).pieces, lineOf(far, Object.fromEntries(heads.map((head, column) => [50 * column, head]))).pieces]
  const placed = [[], (lines[1] ?? []).map((piece) => ({ piece, ...spanOf(piece, columns) }))]
  const doubts = placeAbove({ lines, placed, upper: [0], columns, leaf: 1, pitch, outside: () => false, rules })
  return [Object.fromEntries((placed[0] ?? []).map(({ piece, from, to }) => [textOf(piece), [from, to]])), doubts]
}

t.test('a text in the middle of columns is over them', async (t) => {
  t.strictSame(spans({ 114: 'Body' }, { end: 200 }), [{ Body: [1, 3] }, certain], 'all but the first, which names the rows')
  t.strictSame(spans({ 85: 'Shirts' }, { end: 200 }), [{ Shirts: [0, 3] }, certain], 'a title')
})

t.test('it may be a size of the font off, at an edge a third of that', async (t) => {
  t.strictSame([spans({ 66.5: 'Body' })[0], spans({ 64: 'Body' })[1]], [{ Body: [0, 3] }, doubt])
  t.strictSame([spans({ 53: 'Body' })[0], spans({ 55: 'Body' })[1]], [{ Body: [1, 3] }, doubt])
})

t.test('texts share the columns in the way that all of them stand best in', async (t) => {
  t.strictSame(spans({ 50: 'Body', 150: 'Cut' }), [{ Body: [1, 2], Cut: [3, 3] }, certain], 'at their left edges')
  t.strictSame(spans({ 77: 'Body', 155: 'Cut' }), [{ Body: [1, 2], Cut: [3, 3] }, certain], 'in their middles')
})

t.test('where none is good, or two are, it is a doubt', async (t) => {
  t.strictSame(spans({ 57: 'Body' })[1], doubt)
  t.strictSame([spans({ 88: 'Body' })[0], spans({ 88.5: 'Body' })[1]], [{ Body: [0, 3] }, doubt], 'in the middle of all, and of all but the first, but for a point')
})

t.test('a line that is nearer than rows are is more of the heads below', async (t) => {
  t.strictSame(spans({ 57: 'Body' }, { far: 17 }), [{ Body: [1, 1] }, certain])
  t.strictSame(spans({ 57: 'Body' }, { far: 18 })[1], doubt)
})

t.test('as near as lines of a text are, where rows are as near, it may be either, and is over its own column', async (t) => {
  t.strictSame(spans({ 57: 'Body' }, { far: 14, pitch: 14 }), [{ Body: [1, 1] }, certain])
  t.strictSame(spans({ 57: 'Body' }, { far: 15, pitch: 14 })[1], doubt)
})

t.test('a line under a text says which columns it is over, wherever it stands', async (t) => {
  const ruledAt = (at: number, [from, to] = [48, 128]): unknown => spans({ 57: 'Body' }, { rules: [{ at, from, to }] })
  t.strictSame(ruledAt(8), [{ Body: [1, 2] }, certain])
  t.strictSame(ruledAt(14), [{ Body: [1, 2] }, certain], 'just over the heads')
  t.strictSame([ruledAt(16), ruledAt(-3)], [spans({ 57: 'Body' }), spans({ 57: 'Body' })], 'through their letters, or its own')
  t.strictSame(ruledAt(8, [-5, 180]), spans({ 57: 'Body' }), 'the table\'s')
})

t.test('where the same heads come again, the next text\'s columns begin', async (t) => {
  const heads = ['Size', 'cm', 'Size', 'cm']
  t.strictSame(spans({ 2: 'Men', 103: 'Women' }, { heads }), [{ Men: [0, 1], Women: [2, 3] }, certain])
  t.strictSame(spans({ 9: 'Men', 109: 'Women' }, { heads })[1], doubt, 'a letter is the most that they may be off')
  t.strictSame(spans({ 2: 'Men', 103: 'Women' }, { heads: ['Size', 'cm', 'Size', 'Width'] })[0]['Women'], [2, 3])
})

t.test('texts in the middle of columns that all begin as far beside others may stand at the left edges of those: it is a doubt', async (t) => {
  t.strictSame(spans({ 30: 'Men', 130: 'Boy' })[1], doubt)
  t.strictSame(spans({ 30: 'Men', 128: 'Boy' }), [{ Men: [0, 1], Boy: [2, 3] }, certain])
})
