/** Tells text that runs on from line to line, beside a table, from a column of the table that has texts. */
import { isValue } from './cell-values.js'
import { textOf, type Line } from './text-lines.js'

interface Ink { left: number, right: number }

/** What stands on one line, on one side of a gap. */
export interface SideLine { line: Line | null, size: number, top: number, inked: readonly Ink[] }

/** In parts of the font's size: from line to line of a paragraph, and how far off two baselines are that were meant to be one. */
const [nearest, onLine] = [1.6, 0.08]
/** Of the lines of a side. */
const mostly = 0.8
/** Of the rows. */
const inRows = 0.8
const wordsPerLine = 2.5

const textsOf = ({ line, inked }: SideLine): string[] => line?.pieces.filter((piece) => inked.includes(piece)).map(textOf) ?? []
const wordsOf = (text: string): number => text.split(' ').filter((word) => /\p{L}/u.test(word)).length

/** Lines of several words without values, some of which go on in the next. Where they are spaced out, from edge to edge, one may be several texts. */
export function isText (side: readonly SideLine[]): boolean {
  const [left, right] = [Math.min(...side.flatMap(({ inked }) => inked.map((ink) => ink.left))), Math.max(...side.flatMap(({ inked }) => inked.map((ink) => ink.right)))]
  const isOneText = ({ inked }: SideLine): boolean => inked.length === 1 || (Math.min(...inked.map((ink) => ink.left)) < left + 2 && Math.max(...inked.map((ink) => ink.right)) > right - 2)
  const texts = side.map((each) => textsOf(each).join(' '))
  const lines = side.filter((each, index) => isOneText(each) && (each.inked.length === 1 || !textsOf(each).some(isValue)) && texts[index] !== '' && !isValue(texts[index] ?? '')).length
  const goesOn = side.filter((each, index) => {
    const [next, text] = [side[index + 1], texts[index] ?? '']
    return next !== undefined && wordsOf(text) > 1 && next.top - each.top < nearest * each.size && !/[.!?:]$/u.test(text)
  }).length
  return lines >= mostly * side.length && goesOn > 0 && texts.reduce((sum, text) => sum + wordsOf(text), 0) >= wordsPerLine * side.length
}

/**
 * Whether the texts are a column of the rows beside them: those of each row begin on its line, or end on it, or it is in their middle; in all rows the same way.
 */
export function standsInRows (text: readonly SideLine[], rows: readonly SideLine[]): boolean {
  const lines = baselinesOf(text)
  const all = baselinesOf(rows)
  const [first, last] = [lines[0]?.baseline ?? 0, lines.at(-1)?.baseline ?? 0]
  const within = all.filter(({ baseline, size }) => baseline > first - size && baseline < last + size)
  if (within.length < 2) return true
  const groups = (rowOf: (baseline: number) => number): number[][] => {
    const found = new Map<number, number[]>()
    for (const { baseline } of lines) found.set(rowOf(baseline), [...found.get(rowOf(baseline)) ?? [], baseline])
    return [...found].map(([row, own]) => [row, ...own])
  }
  const reach = onLine * Math.max(...lines.map(({ size }) => size))
  const above = groups((baseline) => within.findLast((row) => row.baseline < baseline + reach)?.baseline ?? -Infinity)
  const below = groups((baseline) => within.find((row) => row.baseline > baseline - reach)?.baseline ?? Infinity)
  const nearest = groups((baseline) => within.toSorted((one, other) => Math.abs(one.baseline - baseline) - Math.abs(other.baseline - baseline))[0]?.baseline ?? 0)
  // What is beside may begin or end within a row's.
  const inner = (found: number[][]): number[][] => found.length > 2 ? found.slice(1, -1) : found
  const share = (found: number[][], placeOf: (own: number[]) => number): number => inner(found).filter(([row = 0, ...own]) => Math.abs(placeOf(own) - row) < reach).length / inner(found).length
  return Math.max(share(above, (own) => Math.min(...own)), share(below, (own) => Math.max(...own)), share(nearest, (own) => (Math.min(...own) + Math.max(...own)) / 2)) > inRows
}

const baselinesOf = (side: readonly SideLine[]): Array<{ baseline: number, size: number }> =>
  side.flatMap(({ line, inked }) => line?.pieces.find((piece) => inked.includes(piece)) ?? []).map(({ baseline, size }) => ({ baseline, size }))
