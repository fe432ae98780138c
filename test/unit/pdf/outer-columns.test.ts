/** Columns that stand outside of the lines between the others. */
import t from 'tap'
import { withOuterColumns } from '../../../src/pdf/outer-columns.js'
import type { Frame } from '../../../src/pdf/page-frames.js'
import type { Line } from '../../../src/pdf/text-lines.js'
import { lineOf } from './placed-texts.js'

/** Lines at 100, 160 and 220, from 10 to 90. */
const vertical = [100, 160, 220].map((at) => ({ at, from: 10, to: 90 }))
const frame: Frame = { left: 100, right: 220, top: 10, bottom: 90, horizontal: [], vertical }
const rows = [0, 1, 2, 3].map((row) => lineOf(25 + 20 * row, { 60: 'Size', 120: '88', 180: '70', 240: 'wide' }))
const edgesOf = (lines: readonly Line[], given = frame): [number, number] | null => {
  const found = withOuterColumns(given, lines, [])
  return found === null ? null : [found.left, found.right]
}

t.test('texts on the lines of the rows, left and right of all lines, are columns', async (t) => {
  t.strictSame(edgesOf(rows), [59, 261])
  t.strictSame(withOuterColumns(frame, rows, [])?.vertical.map(({ at }) => at), [100, 160, 220, 59, 261])
})

t.test('what stands farther away than columns do is none', async (t) => {
  t.strictSame(edgesOf(rows.map(({ baseline }) => lineOf(baseline, { 0: 'A', 120: '88', 180: '70', 300: 'wide' }))), [100, 220])
})

t.test('names in the middle of their rows are a column, a text of the page that goes on above and below is none', async (t) => {
  const inside = [0, 1, 2].map((row) => lineOf(30 + 20 * row, { 120: '88', 180: '70' }))
  const withText = (...baselines: number[]): Line[] => [...inside, ...baselines.map((baseline) => lineOf(baseline, { 60: 'Size' }))].sort((one, other) => one.baseline - other.baseline)
  t.strictSame(edgesOf(withText(25, 35, 45, 55, 65, 75)), [59, 220])
  t.strictSame(edgesOf(withText(5, 25, 35, 45, 55, 65, 75, 95)), [100, 220])
})

t.test('where lines are drawn between rows, too, they say how wide the table is', async (t) => {
  const drawn = { ...frame, horizontal: [{ at: 50, from: 100, to: 220 }] }
  t.equal(withOuterColumns(drawn, rows, []), drawn)
})

t.test('two lines and nothing beside them are no table', async (t) => {
  t.equal(edgesOf(rows.map(({ baseline }) => lineOf(baseline, { 120: '88' })), { ...frame, right: 160, vertical: vertical.slice(0, 2) }), null)
})
