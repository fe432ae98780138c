/** What speaks against the head of a table: that it is not all of it, or more than it. */
import { isValue } from './cell-values.js'
import type { Table, TableCell } from './page-model.js'
import { textOf, type Piece } from './text-lines.js'

/** Of a numeric column's cells. */
const mostly = 0.6
/** Of a font's size: letters may lean over the next column. */
const lean = 0.35

/** null: nothing does. */
export function headFault ({ head, rows, isGrid }: Table): string | null {
  if (sharesColumn(head)) return 'a text over several columns stands beside the head of one of them'
  if (!isGrid && isHeadInTwo(head, rows)) return 'a head may be more of the one beside it'
  if (hasHeadBelow(head, rows)) return 'a part of the head is in the rows'
  if (isNameInHead(head, rows)) return 'the name of a group of rows is in the head'
  if (2 * head.filter(({ text }) => text === '').length > head.length) return 'most columns have no head'
  if (2 * head.filter(isOverValue).length >= head.length) return 'a row is in the head'
  if (rows.some((row) => isHead(row, rows))) return 'a head is in the rows'
  return !isGrid && head.some(({ text }, column) => column > 0 && text === '') && head[0]?.text !== '' ? 'a column has no head' : null
}

/** What is said for several columns is above what each of them has for itself. */
function sharesColumn (head: readonly TableCell[]): boolean {
  return head.some(({ pieces }) => pieces.some((piece) => head.filter((cell) => cell.pieces.includes(piece)).length > 1 &&
    (isTwoInOne(piece) || pieces.some((other) => other !== piece && Math.abs(other.baseline - piece.baseline) < 0.3 * piece.size))))
}

/** A column that holds nothing, and whose head stands beside the next one as words of one text do. */
function isHeadInTwo (head: readonly TableCell[], rows: ReadonlyArray<readonly TableCell[]>): boolean {
  return head.some(({ pieces }, column) => rows.every((row) => row[column]?.text === '') && [head[column - 1], head[column + 1]].some((beside) => beside?.pieces.some((other) => pieces.some((piece) =>
    Math.abs(piece.baseline - other.baseline) < lean * piece.size && Math.max(other.left - piece.right, piece.left - other.right) < piece.size))))
}

/** The ends of two heads that touch. */
const isTwoInOne = ({ words }: Piece): boolean => words.some(({ text }) => /^(\p{L}{3,})\1$|\p{Ll}{2}\p{Lu}\p{Ll}{2}/u.test(text))

/** Words in all its cells, where the other rows hold values. */
function isHead (row: readonly TableCell[], rows: ReadonlyArray<readonly TableCell[]>): boolean {
  const columns = [...row.keys()].filter((column) => column > 0 && rows.every((other) => other === row || isValue(other[column]?.text ?? '')))
  return rows.length > 3 && columns.length > 0 && 2 * columns.length >= row.length - 1 && row.every(({ text }) => /\p{L}{2}/u.test(text) && !isValue(text))
}

/** Texts in columns of values, where the head has none. */
function hasHeadBelow (head: readonly TableCell[], [first, ...rows]: ReadonlyArray<readonly TableCell[]>): boolean {
  return head.some(({ text }, column) => {
    const below = rows.map((row) => row[column]?.text ?? '').filter((cell) => cell !== '')
    const own = first?.[column]?.text ?? ''
    return text === '' && own !== '' && !isValue(own) && below.length > 1 && below.filter(isValue).length >= mostly * below.length
  })
}

/** Only the first cell of the head has two lines, and names of groups stand alone in rows: the second may be one. */
function isNameInHead ([key, ...others]: readonly TableCell[], rows: ReadonlyArray<readonly TableCell[]>): boolean {
  const isTall = ({ pieces }: TableCell): boolean => Math.max(...pieces.map(({ baseline }) => baseline)) - Math.min(...pieces.map(({ baseline }) => baseline)) > 0.9 * (pieces[0]?.size ?? 0)
  const hasNames = rows.some(([first, ...rest]) => first?.text !== '' && rest.every(({ text }) => text === ''))
  return key !== undefined && hasNames && ((isTall(key) && !others.some(isTall)) || hasLoneLastLine([key, ...others]))
}

/** One text under all others of a head, farther from them than they are from each other. */
function hasLoneLastLine (head: readonly TableCell[]): boolean {
  const pieces = [...new Set(head.flatMap((cell) => cell.pieces))].toSorted((one, other) => other.baseline - one.baseline)
  const [last, before] = pieces
  const baselines = pieces.slice(1).map(({ baseline }) => baseline)
  const gaps = baselines.slice(1).map((baseline, index) => (baselines[index] ?? 0) - baseline).filter((gap) => gap > 1)
  return last !== undefined && before !== undefined && last.baseline - before.baseline > Math.max(0.3 * last.size, 1.1 * Math.min(...gaps, last.size))
}

/** A text with a value below it. */
function isOverValue ({ pieces }: TableCell): boolean {
  const lines = pieces.toSorted((one, other) => one.baseline - other.baseline)
  const [first, last] = [lines[0], lines.at(-1)]
  return first !== undefined && last !== undefined && last.baseline - first.baseline > 0.5 * last.size && isValue(textOf(last)) && !isValue(textOf(first))
}

/** What stands where the head should is a row like the others: the head is somewhere else, or missing. */
export function isHeadless ({ head, title }: Table): boolean {
  const [key, ...others] = head.map(({ text }) => text)
  const isSize = (text: string): boolean => /^(?:\d?X*[SL]|M)$/iu.test(text)
  const isRow = key !== undefined && (isValue(key) || isSize(key) || others.some(isSize))
  return title.length === 0 && isRow && 2 * others.filter(isValue).length >= others.length
}
