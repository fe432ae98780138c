/**
 * The rows of a table from the lines that its text stands on. Where no line is drawn between two, they are one row when they are nearer
 * than rows are, and do not both hold a value in one column.
 */
import { goesOnBelow, isValue } from './cell-values.js'
import type { Placed, PlacedLine } from './columns.js'
import { textOf } from './text-lines.js'
import { wrappedCells } from './wrapped-cells.js'

/** Lines so many parts of a font's size apart overlap: texts in the middle of cells that have one line more or less. */
export const overlapping = 0.95
/** Of the distance of rows. */
export const tight = 0.87
/** From line to line of one text, in parts of its font's size. */
export const lineSpacing = 1.4

export function splitIntoRows (lines: readonly PlacedLine[], columns: number): PlacedLine[][] {
  const rowGap = rowGapOf(lines, columns)
  const wrapped = wrappedCells(lines)
  const rows: PlacedLine[][] = []
  for (const line of lines) {
    const row = rows.at(-1)
    const last = row?.at(-1)
    if (row !== undefined && last !== undefined && (wrapped.has(line) || wrapped.has(last))) {
      if ((wrapped.get(line) ?? line) === (wrapped.get(last) ?? last)) row.push(line)
      else rows.push([line])
    } else if (row !== undefined && (continues(row, line, lines, rowGap) || standsBetween(row, line, lines, rowGap))) row.push(line)
    else rows.push([line])
  }
  return rows
}

const columnsOf = (placed: readonly Placed[]): Set<number> => new Set(placed.map(({ from }) => from))

/** Whether both hold a value of its own in one column. */
export const conflicts = (one: PlacedLine, other: PlacedLine): boolean =>
  one.placed.some(({ piece, from }) => isValue(textOf(piece)) && other.placed.some((second) => second.from === from && isValue(textOf(second.piece)) && !goesOnBelow(textOf(piece), textOf(second.piece))))

/** The least distance of lines that are different rows for certain. */
export function rowGapOf (lines: readonly PlacedLine[], columns: number): number | null {
  const pairs = lines.slice(1).map((line, index) => ({ line, before: lines[index] ?? line }))
  const gaps = (isSure: (one: PlacedLine, other: PlacedLine) => boolean): number[] => pairs.filter(({ line, before }) => isSure(before, line)).map(({ line, before }) => line.baseline - before.baseline)
  const sure = gaps(conflicts)
  if (sure.length > 0) return Math.min(...sure)
  const full = gaps((one, other) => [one, other].every(({ placed }) => placed.length >= Math.max(2, columns)))
  return full.length > 0 ? Math.min(...full) : widerGap(gaps(() => true), Math.max(...lines.map(({ size }) => size)))
}

/** Where the lines of cells are much nearer to each other than rows are, the distance of rows. */
function widerGap (gaps: readonly number[], size: number): number | null {
  const [near, far] = [gaps.filter((gap) => gap <= lineSpacing * size), gaps.filter((gap) => gap > lineSpacing * size)]
  return near.length > 0 && far.length > 0 && Math.min(...far) > 1.15 * Math.max(...near) ? Math.min(...far) : null
}

function continues (row: readonly PlacedLine[], line: PlacedLine, lines: readonly PlacedLine[], rowGap: number | null): boolean {
  const last = row.at(-1) ?? line
  const gap = line.baseline - last.baseline
  const size = Math.max(last.size, line.size)
  if (row.some((before) => conflicts(before, line))) return false
  if (gap < overlapping * size) return true
  const keyed = (one: PlacedLine): boolean => one.placed.some(({ from }) => from === 0)
  if (row.every(isKeyAlone) && goesOnInKey(line) && gap < lineSpacing * size && (rowGap === null || gap < tight * rowGap)) return true
  if (keyed(line) && line.placed.length > 1 && row.some(keyed) && !isLessThan(line, row)) return false
  if (row.some(({ placed }) => placed.length > 1) && isNearerToNext(last, line, lines)) return false
  if (isUnits(line) && gap < lineSpacing * size && row[0] === lines[0]) return true
  if (rowGap !== null && gap < tight * rowGap) return true
  return gap < lineSpacing * size && goesOn(row, line)
}

const isKeyAlone = ({ placed }: PlacedLine): boolean => placed.every(({ from, to }) => from === 0 && to === 0)

/** Where the cells of a row end on one line, the first line of the longest stands alone above the others: no name of rows goes on like this. */
const goesOnInKey = ({ placed: [key, ...others] }: PlacedLine): boolean => key?.from === 0 && others.length > 0 && /^[\p{Ll}([]/u.test(textOf(key.piece))

/** Text under text, of fewer columns. */
const isLessThan = (line: PlacedLine, row: readonly PlacedLine[]): boolean => {
  const filled = columnsOf(row.flatMap(({ placed }) => placed))
  const above = row.flatMap(({ placed }) => placed)
  return 2 * line.placed.length <= filled.size && line.placed.every(({ piece, from }) => filled.has(from) &&
    (!isValue(textOf(piece)) || above.some((one) => one.from === from && goesOnBelow(textOf(one.piece), textOf(piece)))))
}

/** Of text lines between two rows some belong to the upper, some to the lower; they part where it is widest. */
function isNearerToNext (last: PlacedLine, line: PlacedLine, lines: readonly PlacedLine[]): boolean {
  const isRow = ({ placed }: PlacedLine): boolean => placed.length > 1
  if (isRow(line)) return false
  const rest = lines.slice(lines.indexOf(line))
  const next = rest.findIndex(isRow)
  if (next === -1) return false
  const chain = [last, ...rest.slice(0, next + 1)]
  const [gap = 0, ...gaps] = chain.slice(1).map((one, index) => one.baseline - (chain[index]?.baseline ?? 0))
  return gap > 1.08 * Math.max(...gaps)
}

/** In the middle of a cell that spans an even number of rows: with the one above. */
function standsBetween (row: readonly PlacedLine[], line: PlacedLine, lines: readonly PlacedLine[], rowGap: number | null): boolean {
  const [before, after] = [row.at(-1), lines[lines.indexOf(line) + 1]]
  if (before === undefined || after === undefined || rowGap === null || line.placed.length > 1) return false
  return after.baseline - before.baseline < 1.1 * rowGap && !columnsOf(row.flatMap(({ placed }) => placed)).has(line.placed[0]?.from ?? 0)
}

const isUnits = ({ placed }: PlacedLine): boolean => placed.every(({ piece }) => /^[([].*[)\]]$/.test(textOf(piece)))

/** Text under text, in fewer columns than above, and none in the first: or there in small letters. */
function goesOn (row: readonly PlacedLine[], line: PlacedLine): boolean {
  const filled = columnsOf(row.flatMap(({ placed }) => placed))
  const own = columnsOf(line.placed)
  if (own.size >= filled.size) return false
  const isText = line.placed.every(({ piece, from }) => !isValue(textOf(piece)) && /\p{L}/u.test(textOf(piece)) &&
    row.some(({ placed }) => placed.some((above) => above.from === from && !isValue(textOf(above.piece)))))
  return isText && (!own.has(0) || (own.size === 1 && line.placed.every(({ piece }) => /^\p{Ll}/u.test(textOf(piece)))))
}
