/** Whether a page is set in columns, and where. */
import t from 'tap'
import type { Part } from '../../../src/pdf/page-frames.js'
import type { Rule } from '../../../src/pdf/page-geometry.js'
import { findGutter, stripsOf, type Gutter } from '../../../src/pdf/page-gutter.js'
import type { Line } from '../../../src/pdf/text-lines.js'
import { lineOf } from './placed-texts.js'

/** What stands on one line is one. */
function together (lines: Line[]): Line[] {
  const tops = [...new Set(lines.map(({ baseline }) => baseline))].toSorted((one, other) => one - other)
  return tops.map((top) => ({ baseline: top, size: 10, pieces: lines.filter(({ baseline }) => baseline === top).flatMap(({ pieces }) => pieces) }))
}

const gutterOf = (lines: Line[], { rules = [], framed = [] }: { rules?: Rule[], framed?: Part[] } = {}): Gutter | null =>
  findGutter(stripsOf(framed, lines.toSorted((one, other) => one.baseline - other.baseline)), rules)

const sizes = [0, 20, 40, 60].map((top, index) => lineOf(top, index === 0 ? { 0: 'Size', 60: 'Chest' } : { 0: 'SML'.charAt(index - 1), 60: String(84 + 4 * index) }))
const text = (left: number, lines = 4): Line[] => ['How to measure: place the', 'tape around your chest, and', 'keep it level all around', 'while you breathe out as', 'you always do'].slice(0, lines).map((each, index) => lineOf(12 * index, { [left]: each }))

t.test('a text that runs on beside a table is a column of the page', async (t) => {
  const gutter = gutterOf(together([...sizes, ...text(200)]))
  t.match(gutter, { isText: true })
  t.ok(gutter !== null && gutter.at > 85 && gutter.at < 200)
})

t.test('it is set apart by more than a blank between words', async (t) => {
  t.strictSame([gutterOf(together([...sizes, ...text(92)])), gutterOf(together([...sizes, ...text(94)]))?.isText], [null, true])
})

t.test('two lines beside a table are none', async (t) => {
  t.strictSame([gutterOf(together([...sizes, ...text(200, 2)])), gutterOf(together([...sizes, ...text(200, 3)]))?.isText], [null, true])
})

t.test('two texts are a whole size of the font apart', async (t) => {
  const beside = (left: number): Gutter | null => gutterOf(Array.from({ length: 5 }, (_, index) => lineOf(12 * index, { 0: 'How to measure: place the', [left]: 'tape around your chest, and' })))
  t.strictSame([beside(134), beside(136)?.isText], [null, true])
})

/** On the same lines; the right one has `more` further rows. */
function tables ({ at = 100, more = 1, size = 10 }: { at?: number, more?: number, size?: number } = {}): Line[] {
  const left = (row: number): Record<number, string> => row < 3 ? (row === 0 ? { 0: 'EU', 30: 'cm' } : { 0: String(35 + row), 30: String(22 + row) }) : {}
  const right = (row: number): Record<number, string> => row === 0 ? { [at]: 'UK', [at + 30]: 'in' } : { [at]: String(3 + row), [at + 30]: String(8 + row) }
  return Array.from({ length: 3 + more }, (_, row) => lineOf(20 * row, { ...left(row), ...right(row) }, size))
}

t.test('tables side by side have rows of their own, and nearly twice as wide a gap as within them', async (t) => {
  t.match(gutterOf(tables()), { first: 0, isText: false })
  t.equal(gutterOf(tables({ more: 0 })), null, 'as many rows, and other heads: one table')
  t.strictSame([gutterOf(tables({ at: 75 })), gutterOf(tables({ at: 77 }))?.isText], [null, false])
})

t.test('that gap is two sizes of the font wide', async (t) => {
  t.strictSame([gutterOf(tables({ size: 29 }))?.isText, gutterOf(tables({ size: 31 }))], [false, null])
})

t.test('tables with hardly a line in common need not be as far apart', async (t) => {
  const beside = (at: number): Gutter | null => gutterOf(together([
    ...[0, 20, 40].map((top, row) => lineOf(top, { 0: row === 0 ? 'EU' : String(35 + row), 30: row === 0 ? 'cm' : String(22 + row) })),
    ...[0, 27, 54].map((top, row) => lineOf(top, { [at]: row === 0 ? 'UK' : String(3 + row), [at + 30]: row === 0 ? 'in' : String(8 + row) }))
  ]))
  t.strictSame([beside(49), beside(51)?.isText], [null, false])
})

t.test('a line that is drawn across says that there is one table', async (t) => {
  const drawnAt = (at: number): Gutter | null => gutterOf(tables(), { rules: [{ at, from: 0, to: 150 }] })
  t.strictSame([drawnAt(30), drawnAt(-3), drawnAt(63)], [null, null, null], 'between rows, over the first, under the last')
  t.match([drawnAt(-5), drawnAt(65)], [{ isText: false }, { isText: false }], 'beyond')
})

t.test('lines that end before the gap and begin behind it say that there are two', async (t) => {
  const drawn = (at: number, [to, from]: [number, number]): Gutter | null => gutterOf(tables({ more: 0 }), { rules: [{ at, from: 0, to }, { at, from, to: 140 }] })
  t.match(drawn(10, [45, 95]), { isText: false })
  t.equal(drawn(10, [60, 62]), null, 'they meet, as wide as they are')
  t.match(drawn(58, [45, 95]), { isText: false }, 'the edge of the table')
  t.equal(drawn(62, [45, 95]), null, 'of what is farther away')
})

t.test('what stands further below is another table: its rows are not counted', async (t) => {
  const further = (gap: number): Gutter | null => gutterOf([...tables({ more: 0 }), ...[0, 20].map((row) => lineOf(40 + gap + row, { 100: '7', 130: '12' }))])
  t.strictSame([further(43)?.isText, further(45)], [false, null])
})

t.test('beside a frame the columns end with it, unless rows go on as near', async (t) => {
  const frame: Part = { lines: [lineOf(5, { 0: 'Size', 60: 'Chest' })], frame: { left: 0, right: 100, top: 0, bottom: 40, horizontal: [], vertical: [] } }
  const beside = (next: number): number | undefined => {
    const lines = [lineOf(10, { 200: 'EU', 260: 'cm' }), lineOf(30, { 200: '36', 260: '23' }), lineOf(next, { 200: '37', 260: '24' })]
    const strips = stripsOf([frame], lines)
    const gutter = findGutter(strips, [])
    return gutter === null ? undefined : strips[gutter.last]?.top
  }
  t.strictSame([beside(62), beside(67)], [62, 40])
})

t.test('a paragraph beside a frame goes on below it', async (t) => {
  const frame: Part = { lines: [lineOf(5, { 0: 'Size', 60: 'Chest' })], frame: { left: 0, right: 100, top: 0, bottom: 20, horizontal: [], vertical: [] } }
  const end = (lines: number, letters: number, spacing: number): number | undefined => {
    const strips = stripsOf([frame], Array.from({ length: lines }, (_, index) => lineOf(10 + spacing * index, { 200: 'a'.repeat(letters) })))
    const gutter = findGutter(strips, [])
    return gutter === null ? undefined : strips[gutter.last]?.top
  }
  t.equal(end(4, 24, 12), 46)
  t.strictSame([end(3, 24, 12), end(4, 20, 12), end(4, 24, 16)], [20, 20, 20], 'three lines, narrow ones, and such as are far from each other, are none')
})

t.test('of a page with more strips than lines of text are, no columns are looked for', async (t) => {
  const page = (lines: number): Line[] => Array.from({ length: lines }, (_, index) => lineOf(12 * index, { 0: 'How to measure: place the', 200: 'tape around your chest, and' }))
  t.strictSame([gutterOf(page(250))?.isText, gutterOf(page(401))], [true, null])
})
