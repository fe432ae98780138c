/**
 * Tells two tables that stand side by side on the same lines from one: each has a column of its own that names its sizes. The names of a
 * column are the field's: a word for size, sizes in letters, ages. One table has such a column at its left alone.
 */
import { textOf, type Line, type Piece } from './text-lines.js'

interface Ink { left: number, right: number }

/** What stands on one line, on one side of a gap. */
interface SideLine { line: Line | null, inked: readonly Ink[] }

interface Column extends Ink { texts: string[] }

/** In points. */
const leastGap = 3
/** Of a column's texts. */
const mostly = 0.7
/** How much wider a gap between tables is than those between columns. */
const wider = 1.25

const words = [
  'sizes?', 'gr(?:ö|oe)(?:ß|ss)en?', 'tailles?', 'pointures?', 'tallas?', 'taglia', 'taglie', 'misura', 'tamanhos?', 'maat', 'maten', 'storlek', 'størrelse', 'koko', 'rozmiar', 'velikost', 'veľkosť', 'méret', 'mărime', 'veličina',
  'размер', 'розмір', 'μέγεθος', 'beden', 'ukuran', 'kích cỡ', 'size guide', 'サイズ', '尺码', '尺碼', '사이즈', 'ขนาด', 'ال?مقاس', 'מידה', 'age', 'alter', 'âge', 'età', 'edad', 'leeftijd'
]
const sizeWord = new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu')
/** XS, 3XL, S (36), M/L, 2-3 years, 6 months. */
const label = /^(?:\p{N}{0,2}X*[SML]|X{2,}[SL]|XS|XL)(?:$|[\s/(–-])|^\p{N}+(?:\s?[-–/]\s?\p{N}+)?\s?(?:years?|yrs?|y|months?|mths?|m|jahre?|monate|ans|mois|años|meses|anni|mesi|jaar|lat)\.?$/iu

const isKey = ({ texts: [head, ...cells] }: Column): boolean =>
  head !== undefined && (sizeWord.test(head) || (cells.length > 1 && cells.filter((text) => label.test(text)).length >= mostly * cells.length))

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
  // Behind a gap that another key follows, the next table begins.
  const inner = [one, other].flatMap((columns) => columns.slice(1).map((column, index) => isKey(column) ? 0 : column.left - (columns[index]?.right ?? 0)))
  return key.texts[0]?.toLowerCase() === otherKey.texts[0]?.toLowerCase() || width > wider * Math.max(...inner)
}
