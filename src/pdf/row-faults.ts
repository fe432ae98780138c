/** What speaks against the rows of a table: that one is not all of it, more than it, or none. */
import { isValue } from './cell-values.js'
import { isOffItsRows, runsOn } from './lost-lines.js'
import type { Table, TableCell } from './page-model.js'

/** null: nothing does. */
export function rowFault (table: Table): string | null {
  const { head, rows, isGrid } = table
  if (rows.some((row) => row.length !== head.length)) return 'a row has other columns than the head'
  if (rows.length === 0 || rows.some((row) => row.every(({ text }) => text === ''))) return 'a row is empty'
  if (!isGrid && head.length > 2 && rows.some(holdsOneText)) return 'a row holds one text only'
  if (!isGrid && rows.some((row) => holdsOneText(row) && row.some(({ text }) => isValue(text)))) return 'a row holds one value only'
  if (!isGrid && rows.filter(holdsKeyOnly).length > 1) return 'the first cells of rows stand on lines of their own'
  if (rows.some((row, index) => isRestOfRow(row, rows[index - 1], rows[index + 1] ?? rows[index - 2]))) return 'a row is more of the one above'
  if (rows.some((row, index) => isBeginningOfRow(row, rows[index + 1], rows))) return 'a row may be the beginning of the one below'
  if (rows.some((row) => isNote(row, rows))) return 'a note is in the rows'
  if (rows.flat().some(standsApart)) return 'texts of one cell stand beside each other on different lines'
  if (rows.flat().some(standsAskew)) return 'texts of one cell stand on different lines'
  if (rows.flat().some(({ text }) => /\p{N}\s*[-–—]$/u.test(text))) return 'a range has no end'
  if (isNameBetweenRows(rows)) return 'the name of a group of rows stands beside one of them'
  if (!isGrid && isOffItsRows(table)) return 'texts stand on no line of their rows'
  if (runsOn(table)) return 'a text runs on from row to row'
  return !isGrid && head[0]?.text === '' && rows.filter(([key]) => key?.text !== '').length < 2 ? 'the first column is empty' : null
}

const holdsOneText = (row: readonly TableCell[]): boolean => row.filter(({ text }) => text !== '').length === 1 && row[0]?.text === ''

const isKeyAlone = (row: readonly TableCell[]): boolean => row.every(({ text }, column) => (text === '') === (column > 0))

/** A value, as no name of a group of rows is. */
const holdsKeyOnly = (row: readonly TableCell[]): boolean => isKeyAlone(row) && isValue(row[0]?.text ?? '')

const topOf = (row: readonly TableCell[]): number => Math.min(...row.flatMap(({ pieces }) => pieces.map(({ baseline }) => baseline)))

const baselineOf = (row: readonly TableCell[]): number => Math.max(...row.flatMap(({ pieces }) => pieces.map(({ baseline }) => baseline)))

/** In few columns, as near to the row above as lines of a text are, and nearer than to another. */
function isRestOfRow (row: readonly TableCell[], above: readonly TableCell[] | undefined, other: readonly TableCell[] | undefined): boolean {
  const filled = row.filter(({ text }) => text !== '')
  const [first, ...others] = filled
  if (above === undefined || first === undefined || 2 * filled.length > row.length) return false
  const size = Math.max(...filled.flatMap(({ pieces }) => pieces.map((piece) => piece.size)))
  const gap = baselineOf(row) - baselineOf(above)
  if (gap < 0 || gap > 1.45 * size) return false
  if (row[0] === first && others.length === 0) return /^\p{Ll}/u.test(first.text) && above[0]?.text !== ''
  if (row[0]?.text === '' && above[0]?.text !== '') return true
  return other !== undefined && gap < 0.75 * Math.abs(baselineOf(other) - (baselineOf(other) > baselineOf(row) ? baselineOf(row) : baselineOf(above)))
}

/** A first cell alone, nearer to the row below than any other two rows are: the first line of that one's cell, or the name of the rows below. */
function isBeginningOfRow (row: readonly TableCell[], below: readonly TableCell[] | undefined, rows: ReadonlyArray<readonly TableCell[]>): boolean {
  if (below === undefined || !isKeyAlone(row) || below[0]?.text === '' || isKeyAlone(below)) return false
  const gap = topOf(below) - baselineOf(row)
  const others = rows.slice(1).flatMap((one, index) => isKeyAlone(rows[index] ?? one) ? [] : [topOf(one) - baselineOf(rows[index] ?? one)]).filter((each) => each > 0)
  return gap > 0 && others.length > 0 && gap < 0.85 * Math.min(...others)
}

/** In the middle of a group of rows: which it names is a guess. */
function isNameBetweenRows (rows: ReadonlyArray<readonly TableCell[]>): boolean {
  const [first, ...others] = rows.map(([key, ...cells]) => ({ isNamed: key?.text !== '', hasValues: cells.some(({ text }) => isValue(text)) }))
  return first?.isNamed === false && first.hasValues && others.some(({ isNamed, hasValues }) => isNamed && hasValues) && others.some(({ isNamed }) => !isNamed)
}

/** Alone in the last row, with the sign of a list. */
const isNote = (row: readonly TableCell[], rows: ReadonlyArray<readonly TableCell[]>): boolean =>
  row === rows.at(-1) && isKeyAlone(row) && /^[•◦▪‣·*†‡] ?\S/u.test(row[0]?.text ?? '')

/** Lines of one text lie over each other. */
const standsApart = ({ pieces }: TableCell): boolean => pieces.some((one) => {
  const line = pieces.filter((other) => Math.abs(one.baseline - other.baseline) < 0.6 * one.size)
  const [left, right] = [Math.min(...line.map((piece) => piece.left)), Math.max(...line.map((piece) => piece.right))]
  return pieces.some((other) => !line.includes(other)) && pieces.every((other) => line.includes(other) || right < other.left || other.right < left)
})

/** Beside each other and nearly on one line: whether a small sign is raised, and beside what, is a guess. */
const standsAskew = ({ pieces }: TableCell): boolean => pieces.some((one, index) => pieces.slice(index + 1).some((other) => {
  const off = Math.abs(one.baseline - other.baseline) / Math.max(one.size, other.size)
  return off > 0.05 && off < 0.6 && (one.right <= other.left + 0.1 * one.size || other.right <= one.left + 0.1 * one.size)
}))
