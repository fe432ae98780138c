/** What speaks against the places of a table's texts: text that stands on none of its rows, or around the table where it may be a part of it. */
import { isValue } from './cell-values.js'
import { meet, type Column } from './columns.js'
import type { Block, Table, TableCell } from './page-model.js'
import { textOf, type Piece } from './text-lines.js'

/** In parts of the font's size. */
const [onLine, textSpacing] = [0.15, 1.6]

/** Cells begin, end or have their middle on the line that most texts of their row stand on. */
export function isOffItsRows ({ head, rows }: Table): boolean {
  const off = head.map((_, column) => column === 0 ? 0 : rows.filter((row) => isOffLine(row[column], lineOf(row, column))).length)
  return off.some((count) => count > 1)
}

/** Where the row's other cells that have one line stand. */
function lineOf (row: readonly TableCell[], column: number): number | null {
  const lines = row.filter((cell, index) => index !== column && cell.pieces.length === 1).map(({ pieces: [piece] }) => piece?.baseline ?? 0).toSorted((one, other) => one - other)
  return lines[Math.floor(lines.length / 2)] ?? null
}

function isOffLine (cell: TableCell | undefined, line: number | null): boolean {
  if (cell === undefined || cell.pieces.length === 0 || line === null) return false
  const baselines = cell.pieces.map(({ baseline }) => baseline)
  const [first, last] = [Math.min(...baselines), Math.max(...baselines)]
  const reach = onLine * Math.max(...cell.pieces.map(({ size }) => size))
  return [first, last, (first + last) / 2].every((place) => Math.abs(place - line) > reach)
}

/** A row's text that begins small goes on from the one above, where the column has others that do not. */
export function runsOn ({ head, rows }: Table): boolean {
  return head.some((_, column) => {
    const texts = [head, ...rows].map((row) => row[column]?.text ?? '')
    const small = texts.filter((text, index) => /^\p{Ll}/u.test(text) && wordsOf(texts[index - 1] ?? '') > 3 && !/[.!?:;]$/u.test(texts[index - 1] ?? ''))
    // More of it is with the row above, where it begins after the end of another.
    if (rows.some((row, index) => isSmall(row[column]) && (rows[index - 1]?.[column]?.pieces.slice(1) ?? []).some((piece) => /^\p{Lu}/u.test(textOf(piece))))) return true
    return small.length > 1 && 3 * small.length >= texts.length && texts.some((text) => /^\p{Lu}/u.test(text) && wordsOf(text) > 2)
  })
}

const isSmall = (cell: TableCell | undefined): boolean => /^\p{Ll}{2}/u.test(cell?.text ?? '')

const wordsOf = (text: string): number => (text.match(/\p{L}+/gu) ?? []).length

/** Right above a head, over one of its columns but the first, or over the first where that has none: it may be more of it. */
export function isAboveHead (block: Block | undefined, next: Block): boolean {
  if (block === undefined || !('lines' in block) || !('table' in next)) return false
  const [line, first] = [block.lines.at(-1), firstBaseline(next.table)]
  const [text, other] = line?.pieces ?? []
  const [key, second] = [next.table.columns[0], next.table.columns[1]]
  if (line === undefined || text === undefined || other !== undefined || key === undefined || second === undefined) return false
  const gap = first - line.baseline
  // As far above as the lines of the head below it are from each other.
  const own = next.table.head.map(({ pieces }) => pieces).find((pieces) => pieces.some((piece) => meet(piece, text)))?.map(({ baseline }) => baseline).toSorted((one, other) => one - other) ?? []
  const spacing = Math.max(textSpacing * line.size, own[0] === undefined || own[1] === undefined ? 0 : 1.1 * (own[1] - own[0]))
  const isOver = text.left > key.right && text.left > second.left - line.size
  return (isOver || (next.table.head[0]?.text === '' && text.right < second.left)) && text.left < (next.table.columns.at(-1)?.right ?? 0) && gap > 0 && gap < spacing
}

/** Values where the head of a table should be, in the columns of one above that has another head: the same goes on. */
export function isCutInTwo (table: Table, next: Table): boolean {
  const valued = next.head.map(({ text }, index) => isValue(text) ? index : -1).filter((index) => index !== -1)
  const columnOver = (column: number): number => table.columns.findIndex((known) => next.columns[column] !== undefined && meet(known, next.columns[column]))
  const isSame = (_: Column, column: number): boolean => columnOver(column) !== -1
  return valued.length > 0 && next.columns.every(isSame) && firstBaseline(next) > firstBaseline(table) && valued.every((column) => !isValue(table.head[columnOver(column)]?.text ?? ''))
}

const piecesOf = ({ head }: Table): Piece[] => head.flatMap(({ pieces }) => pieces).filter((piece) => textOf(piece) !== '')
const firstBaseline = (table: Table): number => Math.min(...piecesOf(table).map(({ baseline }) => baseline))

/** The last row goes on at the top of the next page: what is there has no name, where all other rows have one. */
export function isRowCutInTwo (table: Table, next: Table): boolean {
  const textOfRow = (row: readonly TableCell[]): string => row.map(({ text }) => text).join('|')
  const [first, ...others] = textOfRow(next.head) === textOfRow(table.head) ? next.rows : [next.head, ...next.rows]
  const isNamed = (row: readonly TableCell[]): boolean => row[0]?.text !== ''
  return next.page === table.page + 1 && first !== undefined && first.length === table.head.length && !isNamed(first) && [...table.rows, ...others].every(isNamed)
}
