import t from 'tap'
import { nameGroups } from '../../../src/pdf/group-names.js'
import type { PlacedLine } from '../../../src/pdf/columns.js'
import { textOf } from '../../../src/pdf/text-lines.js'

const columns = [{ left: 0, right: 40 }, { left: 60, right: 80 }, { left: 100, right: 120 }]

/** Texts by their column. */
const line = (baseline: number, texts: Record<number, string>): PlacedLine => ({
  baseline,
  size: 10,
  placed: Object.entries(texts).map(([column, text]) => {
    const { left, right } = columns[Number(column)] ?? { left: 0, right: 0 }
    return { piece: { words: [{ text, left, right }], left, right, baseline, size: 10, order: 0 }, from: Number(column), to: Number(column) }
  })
})

/** Six rows, 20 apart, with names at these heights. */
const chart = (names: Record<number, string>): PlacedLine[] => {
  const rows = Array.from({ length: 6 }, (_, row) => line(20 + 20 * row, { ...(names[20 + 20 * row] === undefined ? {} : { 0: names[20 + 20 * row] }), 1: `${36 + row}`, 2: `${80 + row}` }))
  const between = Object.entries(names).filter(([baseline]) => (Number(baseline) - 20) % 20 !== 0).map(([baseline, name]) => line(Number(baseline), { 0: name }))
  return [line(0, { 0: 'Group', 1: 'Size', 2: 'Chest' }), ...[...rows, ...between].sort((one, other) => one.baseline - other.baseline)]
}

const named = (lines: PlacedLine[]): string[] => lines.slice(1).flatMap(({ placed }) => {
  const [key, ...others] = placed
  return key?.from === 0 ? [`${textOf(key.piece)} ${others.map(({ piece }) => textOf(piece)).join(' ')}`] : []
})

t.test('names in the middle of their rows name the first of them', async (t) => {
  const { lines, doubts } = nameGroups(chart({ 40: 'Men', 100: 'Women' }), columns, [])
  t.strictSame(named(lines), ['Men 36 80', 'Women 39 83'])
  t.strictSame(doubts, [])
})

t.test('a name between two rows of an even number is in their middle', async (t) => {
  t.strictSame(named(nameGroups(chart({ 50: 'Men', 110: 'Women' }), columns, []).lines), ['Men 36 80', 'Women 40 84'])
})

t.test('names beside the first of their rows stay there', async (t) => {
  const lines = chart({ 20: 'Men', 60: 'Women', 80: 'All' })
  t.strictSame(nameGroups(lines, columns, []), { lines, doubts: [] })
})

t.test('where they may be either, or neither, which rows they name is not certain', async (t) => {
  const uncertain = ['which rows a name is of is not certain']
  t.strictSame(nameGroups(chart({ 20: 'Men', 80: 'Women' }), columns, []).doubts, uncertain)
  t.strictSame(nameGroups(chart({ 40: 'Men', 80: 'Women' }), columns, []).doubts, uncertain)
})

t.test('where the sizes begin anew with each name, it is beside the first of its rows', async (t) => {
  const lines = chart({ 20: 'Men', 80: 'Women' }).map((one) => ({ ...one, placed: one.placed.map((placed) => ({ ...placed, piece: { ...placed.piece, words: placed.piece.words.map((word) => ({ ...word, text: word.text === '39' ? '36' : word.text })) } })) }))
  t.strictSame(nameGroups(lines, columns, []), { lines, doubts: [] })
})

t.test('lines between all rows part no groups', async (t) => {
  const lines = chart({ 20: 'Men', 60: 'Women', 80: 'All' })
  t.strictSame(nameGroups(lines, columns, [28, 48, 68, 88, 108].map((at) => ({ at, from: 0, to: 120 }))), { lines, doubts: [] })
})

t.test('lines across the first column say which rows are whose', async (t) => {
  t.strictSame(named(nameGroups(chart({ 20: 'Men', 80: 'Women' }), columns, [{ at: 68, from: 0, to: 120 }]).lines), ['Men 36 80', 'Women 39 83'])
  t.strictSame(named(nameGroups(chart({ 40: 'Men', 80: 'Women' }), columns, [{ at: 48, from: 0, to: 120 }]).lines), ['Men 36 80', 'Women 38 82'])
})

t.test('where the sizes are of another kind with each name, these are its rows, wherever in them it stands', async (t) => {
  const letters = ['S', 'M', 'L', 'XL']
  const chartOf = (names: Record<number, string>): PlacedLine[] => chart(names).map((one, row) => ({ ...one, placed: one.placed.map((placed) => placed.from === 1 && row > 2 ? { ...placed, piece: { ...placed.piece, words: placed.piece.words.map((word) => ({ ...word, text: letters[row - 3] ?? '' })) } } : placed) }))
  for (const names of [{ 20: 'Men', 60: 'Women' }, { 40: 'Men', 120: 'Women' }]) {
    const { lines, doubts } = nameGroups(chartOf(names), columns, [])
    t.strictSame(named(lines), ['Men 36 80', 'Women S 82'])
    t.strictSame(doubts, [])
  }
})
