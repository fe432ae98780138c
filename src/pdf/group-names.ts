/**
 * Names of groups of rows that stand in the first column once for each group, in the middle of its rows or beside the first of them. Lines that are
 * drawn across the first column part the groups, and so do sizes that begin anew; where there are neither, the one way is taken in which all names are in the middle of rows that follow each other,
 * none left out. Where they may as well be beside the first rows, it is not certain.
 */
import { isValue } from './cell-values.js'
import type { Column, Placed, PlacedLine } from './columns.js'
import { splitIntoRows } from './find-rows.js'
import type { Rule } from './page-geometry.js'
import { beginningsOf } from './size-order.js'
import { textOf, type Piece } from './text-lines.js'

export interface NamedRows { lines: PlacedLine[], doubts: string[] }

interface Row { first: PlacedLine, top: number, bottom: number }
interface Name { pieces: Piece[], centre: number, top: number, size: number }
/** For each name the row that its group begins with. */
type Starts = number[]

/** In parts of the distance of rows, and of the font's size. */
const [middle, onLine, lineSpacing] = [0.2, 0.15, 1.5]
const uncertain = 'which rows a name is of is not certain'

export function nameGroups (lines: readonly PlacedLine[], columns: readonly Column[], horizontal: readonly Rule[]): NamedRows {
  const unchanged = { lines: [...lines], doubts: [] }
  const body = lines.slice(lines.findIndex(({ placed }, index) => index > 0 && placed.some(({ piece, from, to }) => from > 0 && from === to && isValue(textOf(piece)))))
  const isName = ({ from, to }: Placed): boolean => from === 0 && to === 0
  const pieces = body.flatMap(({ placed }) => placed.filter(isName).map(({ piece }) => piece))
  const others = body.map((line) => ({ ...line, placed: line.placed.filter((placed) => !isName(placed)) })).filter(({ placed }) => placed.length > 0)
  const rows = splitIntoRows(others, columns.length - 1).map(rowOf)
  if (body.length === lines.length || columns.length < 3 || rows.length < 3 || pieces.length < 2 || pieces.length >= rows.length || pieces.some((piece) => isValue(textOf(piece)))) return unchanged
  if (body.some(({ placed }) => placed.length === 1 && placed.some(isName)) && hasNamesInRowsOfTheirOwn(body, isName)) return unchanged
  const parted = bordersAcross(rows, horizontal, columns[0])
  const apart = pieces.map((piece) => nameOf([piece]))
  const ways = [apart, joined(pieces)].map((names) => ({ names, starts: surely(names, rows, parted) ?? centred(names, rows, parted) }))
  const found = ways.find(({ starts }) => starts !== null)
  const asBeside = besideFirst(apart, rows, parted)
  const asLast = besideLast(apart, rows, parted)
  if (found === undefined || found.starts === null) {
    if (asBeside !== null) return unchanged
    return asLast === null ? { ...unchanged, doubts: [uncertain] } : { lines: moved(lines, apart, asLast.map((start) => rows[start])), doubts: [] }
  }
  const isLast = asLast === null || asLast.every((start, index) => start === found.starts?.[index])
  if (!isLast && surely(found.names, rows, parted) === null) return { ...unchanged, doubts: [uncertain] }
  if (asBeside !== null && beginAlike(asBeside.map((start) => rows[start]))) return unchanged
  const isSame = asBeside?.every((start, index) => start === found.starts?.[index]) ?? true
  if (!isSame && surely(found.names, rows, parted) === null) return { ...unchanged, doubts: [uncertain] }
  return { lines: moved(lines, found.names, found.starts.map((start) => rows[start])), doubts: [] }
}

/** The sizes begin anew with each name. */
function beginAlike (rows: ReadonlyArray<Row | undefined>): boolean {
  const [first, ...others] = rows.map((row) => row?.first.placed.find(({ from }) => from === 1)?.piece).map((piece) => piece === undefined ? '' : textOf(piece))
  return first !== undefined && first !== '' && others.every((text) => text === first)
}

/** A name above its rows, farther from the line before and after it than half of the distance of these. */
function hasNamesInRowsOfTheirOwn (body: readonly PlacedLine[], isName: (placed: Placed) => boolean): boolean {
  const gaps = body.slice(1).map((line, index) => line.baseline - (body[index]?.baseline ?? 0))
  const pitch = Math.max(...gaps)
  const isMore = ({ baseline, placed, size }: PlacedLine, index: number): boolean =>
    body.slice(0, index).some((line) => line.placed.some(isName) && baseline - line.baseline < lineSpacing * size) && !/^\p{Lu}/u.test(placed.map(({ piece }) => textOf(piece)).join(' '))
  return body.some((line, index) => line.placed.every(isName) && !isMore(line, index) && Math.min(gaps[index - 1] ?? Infinity, gaps[index] ?? Infinity) > 0.65 * pitch)
}

function rowOf (lines: readonly PlacedLine[]): Row {
  const baselines = lines.flatMap(({ placed }) => placed.map(({ piece }) => piece.baseline))
  const first = lines.toSorted((one, other) => one.baseline - other.baseline)[0]
  return { first: first ?? { baseline: 0, size: 0, placed: [] }, top: Math.min(...baselines), bottom: Math.max(...baselines) }
}

const nameOf = (pieces: Piece[]): Name => {
  const baselines = pieces.map(({ baseline }) => baseline)
  return { pieces, centre: (Math.min(...baselines) + Math.max(...baselines)) / 2, top: Math.min(...baselines), size: Math.max(...pieces.map(({ size }) => size)) }
}

/** Lines as near as those of a text are one name's. */
function joined (pieces: readonly Piece[]): Name[] {
  const names: Piece[][] = []
  for (const piece of pieces) {
    const last = names.at(-1)
    const before = last?.at(-1)
    if (last !== undefined && before !== undefined && piece.baseline - before.baseline < lineSpacing * piece.size) last.push(piece)
    else names.push([piece])
  }
  return names.map(nameOf)
}

/** The rows, but the first, that a line is drawn above, across the first column. */
function bordersAcross (rows: readonly Row[], horizontal: readonly Rule[], column: Column | undefined): Set<number> {
  const centre = ((column?.left ?? 0) + (column?.right ?? 0)) / 2
  const across = horizontal.filter(({ from, to }) => from <= centre && centre <= to)
  const parted = rows.map((_, index) => index).filter((index) => index > 0 && across.some(({ at }) => (rows[index - 1]?.bottom ?? 0) - 1 < at && at < (rows[index]?.top ?? 0)))
  // Lines between all rows, or the edges of every other one's shade, part no groups.
  return new Set(parted.length === rows.length - 1 ? [] : parted)
}

const surely = (names: readonly Name[], rows: readonly Row[], parted: ReadonlySet<number>): Starts | null => byLines(names, rows, parted) ?? bySizes(names, rows)

/** The sizes begin anew, or are of another kind, as often as there are names, each of which stands in its own rows. */
function bySizes (names: readonly Name[], rows: readonly Row[]): Starts | null {
  const starts = beginningsOf(rows.map(({ first }) => first.placed.find(({ from, to }) => from === 1 && to === 1)?.piece).map((piece) => piece === undefined ? '' : textOf(piece)))
  return starts !== null && areWithin(names, rows, starts) ? starts : null
}

/** Lines part all groups: each has one name. */
function byLines (names: readonly Name[], rows: readonly Row[], parted: ReadonlySet<number>): Starts | null {
  const starts = [0, ...parted]
  return parted.size < rows.length - 1 && areWithin(names, rows, starts) ? starts : null
}

/** Each group has one name. */
function areWithin (names: readonly Name[], rows: readonly Row[], starts: Starts): boolean {
  const isWithin = ({ centre, size }: Name, group: number): boolean =>
    centre > (rows[starts[group] ?? 0]?.top ?? 0) - size && centre < (rows[(starts[group + 1] ?? rows.length) - 1]?.bottom ?? 0) + size
  return starts.length === names.length && names.every((name, index) => isWithin(name, index))
}

/** Each is in the middle of its rows; all rows have one. */
function centred (names: readonly Name[], rows: readonly Row[], parted: ReadonlySet<number>): Starts | null {
  const starts: Starts = []
  let start = 0
  for (const { centre } of names) {
    const from = start
    const pitch = ((rows.at(-1)?.bottom ?? 0) - (rows[0]?.top ?? 0)) / Math.max(1, rows.length - 1)
    const offs = rows.map(({ bottom }, end) => end < from ? Infinity : Math.abs(((rows[from]?.top ?? 0) + bottom) / 2 - centre))
    const end = offs.indexOf(Math.min(...offs))
    if (from >= rows.length || (offs[end] ?? Infinity) > middle * pitch) return null
    if ([...parted].some((border) => from < border && border <= end)) return null
    starts.push(from)
    start = end + 1
  }
  return start === rows.length ? starts : null
}

/** Each is on the first line of its first row. */
function besideFirst (names: readonly Name[], rows: readonly Row[], parted: ReadonlySet<number>): Starts | null {
  const starts = names.map(({ top, size }) => rows.findIndex((row) => Math.abs(row.top - top) < onLine * size))
  const isParted = [...parted].every((border) => starts.includes(border))
  return starts[0] === 0 && isParted && starts.every((start, index) => start > (starts[index - 1] ?? -1)) ? starts : null
}

/** Each is on the last line of its last row, as in sheets. */
function besideLast (names: readonly Name[], rows: readonly Row[], parted: ReadonlySet<number>): Starts | null {
  const ends = names.map(({ top, size }) => rows.findIndex((row) => Math.abs(row.bottom - top) < onLine * size))
  const starts = [0, ...ends.slice(0, -1).map((end) => end + 1)]
  const isParted = [...parted].every((border) => starts.includes(border))
  return ends.at(-1) === rows.length - 1 && isParted && ends.every((end, index) => end > (ends[index - 1] ?? -1)) ? starts : null
}

function moved (lines: readonly PlacedLine[], names: readonly Name[], rows: ReadonlyArray<Row | undefined>): PlacedLine[] {
  const named = new Set(names.flatMap(({ pieces }) => pieces))
  return lines.map((line) => {
    const own = names.flatMap(({ pieces }, index) => rows[index]?.first.baseline === line.baseline ? pieces.toSorted((one, other) => one.baseline - other.baseline) : [])
    const [first, ...rest] = own
    // As one text on the row's line.
    const piece = first === undefined ? [] : [{ ...first, words: [first, ...rest].flatMap(({ words }) => words), right: Math.max(...own.map(({ right }) => right)), left: Math.min(...own.map(({ left }) => left)), baseline: line.baseline }]
    return { ...line, placed: [...piece.map((each) => ({ piece: each, from: 0, to: 0 })), ...line.placed.filter((placed) => !named.has(placed.piece))] }
  }).filter(({ placed }) => placed.length > 0)
}
