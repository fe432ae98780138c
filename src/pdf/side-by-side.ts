/**
 * Tells two tables that stand side by side on the same lines from one: each has a column of its own that names its sizes. The names of a
 * column are the field's: a word for size, sizes in letters, ages. One table has such a column at its left alone.
 */
import type { Rule } from './page-geometry.js'
import type { Table } from './page-model.js'
import { textOf, type Line, type Piece } from './text-lines.js'

interface Ink { left: number, right: number }

/** What stands on one line, on one side of a gap. */
interface SideLine { line: Line | null, inked: readonly Ink[] }

interface Column extends Ink { texts: string[] }

/** In points. */
const leastGap = 1
/** Of a column's texts. */
const mostly = 0.7
/** How much wider a gap between tables is than those between columns; what nothing else speaks for. */
const wider = 1.25
const alone = { wider: 1.8, ems: 2 }
/** In parts of the font's size: what is between the edge of a cell and its text. */
const besideCells = 1.2
/** Of the size of the heads below. */
const largerTitle = 1.15

const words = [
  'sizes?', 'gr(?:ö|oe)(?:ß|ss)en?', 'tailles?', 'pointures?', 'tallas?', 'taglia', 'taglie', 'misura', 'tamanhos?', 'maat', 'maten', 'storlek', 'størrelse', 'koko', 'rozmiar', 'velikost', 'veľkosť', 'méret', 'mărime', 'veličina',
  'размер', 'розмір', 'μέγεθος', 'beden', 'ukuran', 'kích cỡ', 'size guide', 'サイズ', '尺码', '尺碼', '사이즈', 'ขนาด', 'ال?مقاس', 'מידה', 'age', 'alter', 'âge', 'età', 'edad', 'leeftijd'
]
export const sizeWord = new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu')
/** XS, 3XL, S (36), M/L, 2-3 years, 6 months. */
const label = /^(?:\p{N}{0,2}X*[SML]|X{2,}[SL]|XS|XL)(?:$|[\s/(–-])|^\p{N}+(?:\s?[-–/]\s?\p{N}+)?\s?(?:years?|yrs?|y|months?|mths?|m|jahre?|monate|ans|mois|años|meses|anni|mesi|jaar|lat)\.?$/iu

/** Titles of tables may stand above. */
const sizeHead = ({ texts }: Column): string | undefined => texts.slice(0, 3).find((text) => sizeWord.test(text))?.toLowerCase()

/** 38, 38½. */
const plainSize = /^\p{N}{1,3}½?$/u

const isKey = (column: Column): boolean => {
  const [, ...cells] = column.texts
  return sizeHead(column) !== undefined || (cells.length > 1 && cells.filter((text) => label.test(text)).length >= mostly * cells.length)
}

/** Of the lines that have several texts on this side. */
function columnsOf (side: readonly SideLine[]): Column[] {
  const rows = side.filter(({ inked }) => inked.length > 1)
  const columns: Column[] = []
  for (const { left, right } of rows.flatMap(({ inked }) => inked).toSorted((one, other) => one.left - other.left)) {
    const last = columns.at(-1)
    if (last !== undefined && left - last.right < leastGap) last.right = Math.max(last.right, right)
    else columns.push({ left, right, texts: [] })
  }
  for (const { line, inked } of rows) for (const piece of piecesOf(line, inked)) columns.find(({ left, right }) => left <= piece.left && piece.right <= right)?.texts.push(textOf(piece))
  return columns
}

const piecesOf = (line: Line | null, inked: readonly Ink[]): Piece[] => line?.pieces.filter((piece) => inked.includes(piece)) ?? []

/** `width`: of the gap between the two, in which nothing stands; `size`: the font's. */
export function haveKeysOfTheirOwn (left: readonly SideLine[], right: readonly SideLine[], width: number, size: number): boolean {
  const [one, other] = [columnsOf(left), columnsOf(right)]
  const [key, otherKey] = [one[0], other[0]]
  if (key === undefined || otherKey === undefined || one.length < 2 || other.length < 2 || width < size || !isKey(key) || !isKey(otherKey)) return false
  // Sizes of several countries beside each other are one table's.
  if ([one[1], other[1]].some((column) => column !== undefined && isKey(column))) return false
  const head = sizeHead(key)
  if (head !== undefined && head === sizeHead(otherKey)) return true
  const inner = [one, other].flatMap((columns) => columns.slice(1).map((column, index) => ({ gap: column.left - (columns[index]?.right ?? 0), isBeforeKey: isKey(column) })))
  // A further table begins behind as wide a gap; columns of sizes that are nearer are conversions of one table.
  return inner.every(({ gap, isBeforeKey }) => isBeforeKey ? gap > width / wider : width > wider * gap)
}

/** Each begins with a title at its left edge, or in its middle, on one line; the first is over the column that names the sizes, which heads of several columns are not. */
export function haveTitlesOfTheirOwn (left: readonly SideLine[], right: readonly SideLine[], width: number, size: number): boolean {
  // A title of the page may stand above.
  const from = left.findIndex(({ line }) => right.some((each) => each.line === line))
  const titled = left[from]
  const beside = right.findIndex(({ line }) => line === titled?.line)
  const [one, other] = [columnsOf(left.slice(from + 1)), columnsOf(right.slice(beside + 1))]
  const [[text, more] = [], [over, next] = []] = [titled, right[beside]].map((side) => side === undefined ? [] : piecesOf(side.line, side.inked))
  if (text === undefined || over === undefined || more !== undefined || width < size || one.length < 2 || other.length < 2) return false
  // What begins where a further title stands is a further table's.
  const own = next === undefined ? other : other.filter((column) => column.left < next.left - size)
  const isTitle = (piece: Piece, columns: readonly Column[]): boolean => {
    const [start, end] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0]
    return (piece.left > start - besideCells * size && piece.left < start + 0.2 * size) || Math.abs(piece.left + piece.right - start - end) < 0.4 * size
  }
  const inner = [one, own].flatMap((columns) => columns.slice(1).map((column, index) => column.left - (columns[index]?.right ?? 0)))
  const heads = left[from + 1]?.line?.size ?? text.size
  return isTitle(text, one) && isTitle(over, own) && (text.size > largerTitle * heads || width > wider * Math.max(...inner))
}

/** Two columns or more on each side of a gap that is far wider than all others, and that no line goes over, and sizes first on both: nothing says whether it is one table. */
export function mayBeTwo ({ columns, rows }: Pick<Table, 'columns' | 'rows'>, rules: readonly Rule[], size: number): boolean {
  const gaps = columns.slice(1).map((column, index) => ({ left: columns[index]?.right ?? 0, right: column.left, width: column.left - (columns[index]?.right ?? 0) }))
  const holdsSizes = (column: number): boolean => rows.every((row) => plainSize.test(row[column]?.text ?? '') || label.test(row[column]?.text ?? ''))
  return gaps.some(({ left, right, width }, index) => index > 0 && index < gaps.length - 1 && width > alone.ems * size && holdsSizes(0) && holdsSizes(index + 1) &&
    gaps.every((gap, at) => at === index || width > alone.wider * gap.width) && !rules.some(({ from, to }) => from < left && to > right))
}
