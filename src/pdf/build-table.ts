/**
 * Builds a table from the lines of text of its region and the rules that are drawn there. Rules decide where there are some: those between columns
 * over columns, those between rows over rows; the rest is found by find-columns and find-rows.
 */
import { isValue } from './cell-values.js'
import type { Column, Placed, PlacedLine } from './columns.js'
import { findColumns } from './find-columns.js'
import { conflicts, rowGapOf, splitIntoRows, tight } from './find-rows.js'
import { nameGroups } from './group-names.js'
import { isRightToLeft } from './logical-order.js'
import type { Rule } from './page-geometry.js'
import type { Table, TableCell } from './page-model.js'
import { mayBeTwo } from './side-by-side.js'
import { textOf, type Line, type Piece } from './text-lines.js'

export interface Region {
  lines: Line[]
  horizontal: Rule[]
  vertical: Rule[]
}

/** How much of the table's width a line between rows goes over at least, all its parts together. */
const rowRuleShare = 0.3
const slack = 3
/** From line to line of a head, in parts of its font's size. */
const headSpacing = 1.55

export function buildTable (region: Region, page: number): Table | null {
  const { columns, lines: placed, isGrid, doubts } = placedInColumns(region)
  if (columns.length < 2) return null
  const { lines, doubts: doubtfulNames } = isGrid ? { lines: placed, doubts: [] } : nameGroups(placed, columns, region.horizontal)
  const rows = rowsOf(lines, columns, region.horizontal, isGrid)
  const { title, head, body } = headOf(rows, columns.length)
  if (head.length === 0) return null
  const used = columns.map((_, column) => [...head, ...body].some(({ placed }) => placed.some(({ from, to }) => from <= column && column <= to)))
  const cellsOf = (row: readonly Placed[], isHead: boolean): TableCell[] => columns.map((_, column) => {
    const pieces = row.filter(({ from, to }) => isHead ? from <= column && column <= to : from === column).map(({ piece }) => piece)
    return { pieces, text: cellText(pieces) }
  }).filter((_, column) => used[column])
  const headPlaced = head.flatMap(({ placed }) => placed)
  const table: Table = {
    title: title.map((row) => row.placed.map(({ piece }) => textOf(piece)).join(' ')),
    head: cellsOf(headPlaced, true),
    rows: withNamesInFront(body, columns, region.horizontal).map(({ placed }) => cellsOf(placed, false)),
    repeated: headPlaced.flatMap(({ piece, from, to }) => Array.from({ length: used.slice(from, to + 1).filter(Boolean).length - 1 }, () => textOf(piece))),
    doubts: [...doubts, ...doubtfulNames, ...doubtsOf(body, columns.length)],
    page,
    columns: columns.filter((_, column) => used[column]),
    isGrid
  }
  if (!isGrid && mayBeTwo(table, region.horizontal, region.lines[0]?.size ?? 0)) table.doubts.push('two tables may stand side by side')
  return readsLeftward(region.lines) ? turned(table) : table
}

/** Written from right to left, in a script that reads so: the first column is the rightmost. */
function readsLeftward (lines: readonly Line[]): boolean {
  const pieces = lines.flatMap((line) => line.pieces)
  const leftward = pieces.filter((piece) => isRightToLeft(textOf(piece))).length
  if (leftward * 4 < pieces.length) return false
  const steps = lines.flatMap(({ pieces: row }) => row.slice(1).map((piece, index) => piece.order - (row[index]?.order ?? 0)))
  return steps.filter((step) => step < 0).length > steps.length / 2
}

const turned = (table: Table): Table => ({ ...table, head: table.head.toReversed(), rows: table.rows.map((row) => row.toReversed()) })

function cellText (pieces: readonly Piece[]): string {
  const lines = pieces.toSorted((one, other) => Math.abs(one.baseline - other.baseline) < 0.3 * one.size ? one.left - other.left : one.baseline - other.baseline)
  return lines.map(textOf).join(' ')
}

interface Found { columns: Column[], lines: PlacedLine[], isGrid: boolean, doubts: string[] }

const placedLine = ({ baseline, size }: Line, placed: Placed[]): PlacedLine => ({ baseline, size, placed })

function placedInColumns ({ lines, horizontal, vertical }: Region): Found {
  const walls = wallsOf(vertical)
  if (walls.length < 3) {
    const found = findColumns(lines.map(({ pieces }) => pieces), horizontal)
    return { ...found, lines: lines.map((line, index) => placedLine(line, found.lines[index] ?? [])), isGrid: false }
  }
  const slotAt = (x: number): number => Math.max(0, Math.min(walls.length - 2, walls.findLastIndex((wall) => wall <= x)))
  const isWall = (wall: number, y: number): boolean => vertical.some(({ at, from, to }) => Math.abs(at - wall) <= slack && from <= y && y <= to)
  const bandAt = (y: number): number => horizontal.filter(({ at }) => at <= y).length
  const slotOf = (piece: Piece): number => slotAt((piece.left + piece.right) / 2)
  // Of every other row shaded, those between have no lines at their sides: texts beside each other are in columns all the same.
  const open = new Set(lines.filter(({ pieces, baseline, size }) => pieces.slice(1).some((piece, index) => {
    const [before, slot] = [slotOf(pieces[index] ?? piece), slotOf(piece)]
    return before < slot && !walls.slice(before + 1, slot + 1).some((wall) => isWall(wall, baseline - 0.3 * size))
  })).map(({ baseline, size }) => bandAt(baseline - 0.3 * size)))
  const placed = lines.map(({ pieces, baseline, size }) => pieces.map((piece): Placed => {
    const y = baseline - 0.3 * size
    let from = slotOf(piece)
    let to = from
    if (open.has(bandAt(y))) return { piece, from, to }
    while (from > 0 && !isWall(walls[from] ?? 0, y)) from -= 1
    while (to < walls.length - 2 && !isWall(walls[to + 1] ?? 0, y)) to += 1
    return { piece, from, to }
  }))
  return withInnerColumns(lines, placed, walls, horizontal)
}

/** Of the vertical lines: each place once. */
function wallsOf (vertical: readonly Rule[]): number[] {
  const walls: number[] = []
  for (const at of vertical.map((rule) => rule.at).toSorted((one, other) => one - other)) if (at - (walls.at(-1) ?? -Infinity) > slack) walls.push(at)
  return walls
}

/** Where lines are drawn between some of the columns only, the others are found between them. */
function withInnerColumns (lines: readonly Line[], placed: readonly Placed[][], walls: readonly number[], horizontal: readonly Rule[]): Found {
  const slots = walls.slice(1).map((_, slot) => {
    const own = placed.map((line) => line.filter(({ from, to }) => from === slot && to === slot).map(({ piece }) => piece))
    const several = own.filter((pieces) => pieces.length > 1).length
    const inner = several >= 2 && several >= 0.6 * own.filter((pieces) => pieces.length > 0).length ? findColumns(own, horizontal) : null
    return inner ?? { columns: [{ left: walls[slot] ?? 0, right: walls[slot + 1] ?? 0 }], doubts: [], lines: own.map((pieces) => pieces.map((piece): Placed => ({ piece, from: 0, to: 0 }))) }
  })
  const starts = slots.map((_, slot) => slots.slice(0, slot).reduce((sum, { columns }) => sum + columns.length, 0))
  return {
    columns: slots.flatMap(({ columns }) => columns),
    isGrid: horizontal.length > 0 && slots.every(({ columns }) => columns.length === 1),
    doubts: slots.flatMap(({ doubts }) => doubts),
    lines: lines.map((line, index) => placedLine(line, [
      ...slots.flatMap((slot, column) => (slot.lines[index] ?? []).map(({ piece, from, to }) => ({ piece, from: (starts[column] ?? 0) + from, to: (starts[column] ?? 0) + to }))),
      ...(placed[index] ?? []).filter(({ from, to }) => from !== to).map(({ piece, from, to }) => ({ piece, from: starts[from] ?? 0, to: (starts[to] ?? 0) + (slots[to]?.columns.length ?? 1) - 1 }))
    ].toSorted((one, other) => one.piece.left - other.piece.left)))
  }
}

interface Row { placed: Placed[], band: number, lastBand: number }

/** Between two lines that are drawn across lies a band; most often a row. */
function rowsOf (lines: readonly PlacedLine[], columns: readonly Column[], horizontal: readonly Rule[], isGrid: boolean): Row[] {
  const borders = bordersOf(horizontal, columns)
  const isBorder = (border: number, column: Column): boolean => horizontal.some(({ at, from, to }) => Math.abs(at - border) <= slack && from <= (column.left + column.right) / 2 && (column.left + column.right) / 2 <= to)
  const bands = new Map<number, PlacedLine[]>()
  const reach = new Map<Placed, number>()
  for (const line of lines) {
    for (const placed of line.placed) {
      const y = placed.piece.baseline - 0.3 * placed.piece.size
      const column = columns[placed.from] ?? { left: 0, right: 0 }
      let first = borders.filter((border) => border <= y).length
      let last = first
      const isOpen = (border: number | undefined): boolean => isGrid && border !== undefined && !isBorder(border, column)
      while (first > 1 && isOpen(borders[first - 1])) first -= 1
      while (last < borders.length - 1 && isOpen(borders[last])) last += 1
      reach.set(placed, last)
      const band = bands.get(first) ?? []
      if (!bands.has(first)) bands.set(first, band)
      const known = band.find(({ baseline }) => baseline === line.baseline)
      if (known === undefined) band.push({ ...line, placed: [placed] })
      else known.placed.push(placed)
    }
  }
  const rowGap = rowGapOf(lines, columns.length)
  const sorted = [...bands].toSorted(([one], [other]) => one - other).map(([band, own]) => ({ band, own: own.toSorted((one, other) => one.baseline - other.baseline) }))
  return sorted.flatMap(({ band, own }, index) => {
    const groups = sorted.length > 1 && isOneRow(own, index, sorted.length, isGrid, rowGap) ? [own] : splitIntoRows(own, columns.length)
    return groups.map((group) => {
      const placed = group.flatMap((line) => line.placed)
      return { placed, band, lastBand: Math.max(...placed.map((one) => reach.get(one) ?? band)) }
    })
  })
}

/** In a grid a band is a row, but where the lines between rows were left out; where lines only part the head from the rest, it holds many. */
function isOneRow (lines: readonly PlacedLine[], index: number, bands: number, isGrid: boolean, rowGap: number | null): boolean {
  const isKeyed = ({ placed }: PlacedLine): boolean => placed.some(({ from }) => from === 0)
  const keyed = lines.filter(isKeyed).length
  const conflicting = [...pairsOf(lines), ...pairsOf(lines.filter(isKeyed))].filter(({ one, other }) => conflicts(one, other))
  if (index === 0) return conflicting.length === 0 && !isHeadWithRows(lines, rowGap)
  if (conflicting.length === 0) return isGrid || keyed < 2
  if (keyed > 1) return false
  return isGrid && bands > 2 && conflicting.every(({ one, other }) => other.baseline - one.baseline < 1.45 * Math.max(one.size, other.size))
}

const pairsOf = (lines: readonly PlacedLine[]): Array<{ one: PlacedLine, other: PlacedLine }> => lines.slice(1).map((line, before) => ({ one: lines[before] ?? line, other: line }))

/** Under each other, and farther apart than the lines of a text, or nearly as far as rows; or values under texts. */
function isHeadWithRows (lines: readonly PlacedLine[], rowGap: number | null): boolean {
  const isApart = (one: PlacedLine, other: PlacedLine): boolean =>
    other.baseline - one.baseline > Math.max(headSpacing * Math.max(one.size, other.size), tight * (rowGap ?? 0)) && other.placed.some(({ from }) => one.placed.some((above) => above.from === from))
  return pairsOf(lines).some(({ one, other }) => isApart(one, other)) ||
    pairsOf(lines.filter(({ placed }) => placed.length > 1)).some(({ one, other }) => isBelowHead(one, other))
}

/** Values under texts. */
function isBelowHead (head: PlacedLine, { placed }: PlacedLine): boolean {
  const isText = (column: number): boolean => head.placed.some(({ piece, from }) => from === column && !isValue(textOf(piece)))
  const under = placed.filter(({ from }) => isText(from))
  const values = under.filter(({ piece }) => isValue(textOf(piece))).length
  return under.length > 1 && (2 * values >= under.length || (values > 0 && placed.length >= head.placed.length))
}

function bordersOf (horizontal: readonly Rule[], columns: readonly Column[]): number[] {
  const [left, right] = [Math.min(...columns.map((column) => column.left)), Math.max(...columns.map((column) => column.right))]
  const borders: number[] = []
  for (const { at } of horizontal.toSorted((one, other) => one.at - other.at)) {
    const parts = horizontal.filter((rule) => Math.abs(rule.at - at) <= slack)
    const covered = parts.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, right) - Math.max(from, left)), 0)
    if (covered >= rowRuleShare * (right - left) && at - (borders.at(-1) ?? -Infinity) > slack) borders.push(at)
  }
  return borders
}

/** Rows above whose one text goes over all columns are no head; where texts of the head span columns, what they span stands below them. */
function headOf (rows: readonly Row[], columns: number): { title: Row[], head: Row[], body: Row[] } {
  const isTitle = ({ placed: [one, second] }: Row): boolean => one !== undefined && second === undefined && one.from === 0 && one.to === columns - 1
  let start = 0
  while (start < rows.length - 1 && isTitle(rows[start] ?? { placed: [], band: 0, lastBand: 0 })) start += 1
  // What they span has no heads of its own in the same row yet.
  const spans = ({ placed }: Row): boolean => placed.some(({ from, to }) => to > from && !placed.some((other) => other.from === other.to && from <= other.from && other.to <= to))
  let end = start + 1
  while (end < rows.length - 1 && end < start + 4 && spans(rows[end - 1] ?? { placed: [], band: 0, lastBand: 0 })) end += 1
  const last = Math.max(...rows.slice(start, end).filter(spans).map(({ lastBand }) => lastBand), 0)
  // Where no line is drawn below it, the band is the table.
  const isParted = last < (rows.at(-1)?.band ?? 0)
  if (isParted) while (end < rows.length - 1 && (rows[end]?.band ?? Infinity) <= last && (rows[end]?.band ?? 0) > 0) end += 1
  while (end < rows.length - 1 && isMoreOfHead(rows, end)) end += 1
  return { title: rows.slice(0, start), head: rows.slice(start, end), body: rows.slice(end) }
}

/** Texts as near below the head as lines of a text are, and nearer than rows; not the name of a group alone. */
function isMoreOfHead (rows: readonly Row[], at: number): boolean {
  const [before, row, next] = [rows[at - 1], rows[at], rows[at + 1]]
  if (before === undefined || row === undefined || next === undefined || (row.placed.length === 1 && row.placed[0]?.from === 0) || row.placed.some(({ piece }) => isValue(textOf(piece)))) return false
  const baselines = (of: Row): number[] => of.placed.map(({ piece }) => piece.baseline)
  const gap = Math.min(...baselines(row)) - Math.max(...baselines(before))
  const body = rows.slice(at + 1)
  const pitch = Math.min(...body.slice(1).map((each, index) => Math.min(...baselines(each)) - Math.max(...baselines(body[index] ?? each))))
  const size = Math.max(...row.placed.map(({ piece }) => piece.size))
  return gap < headSpacing * size && gap < 0.95 * pitch && (next.placed.some(({ piece }) => isValue(textOf(piece)) || next.placed.length === 1) || isMoreOfHead(rows, at + 1))
}

/** A text alone in its row, in the middle of the table or at its right edge, names the rows below: where columns hold values it is in none of them. */
function withNamesInFront (body: readonly Row[], columns: readonly Column[], rules: readonly Rule[]): Row[] {
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0]
  // Cells are wider than their texts: what is drawn over all of them says how wide.
  const wide = rules.find(({ from, to }) => from <= left + 1 && to >= right - 1)
  const holdsValues = (column: number): boolean => {
    const own = body.flatMap(({ placed }) => placed.filter(({ from, to }) => from === column && to === column))
    const values = own.filter(({ piece }) => isValue(textOf(piece))).length
    return values > 1 && values >= 0.6 * own.length
  }
  return body.map((row, index) => {
    const [name, second] = row.placed
    const next = body[index + 1]
    if (name === undefined || second !== undefined || name.to === 0 || next === undefined || next.placed.length < 2 || !/^\p{Lu}|^\p{Lo}/u.test(textOf(name.piece))) return row
    const { piece } = name
    const middle = columns.length % 2 === 1 ? columns[(columns.length - 1) / 2] : undefined
    const isCentredOn = (column: Column): boolean => Math.abs(piece.left + piece.right - column.left - column.right) < 3 * piece.size
    const isPlaced = isCentredOn({ left, right }) || (wide !== undefined && isCentredOn({ left: wide.from, right: wide.to })) || (middle !== undefined && isCentredOn(middle)) || Math.abs(piece.right - right) < piece.size
    return isPlaced && holdsValues(name.to) ? { ...row, placed: [{ ...name, from: 0, to: 0 }] } : row
  })
}

/** A text that lies over several columns of a row that has others, or two texts beside each other in one. */
function doubtsOf (body: readonly Row[], columns: number): string[] {
  const doubts: string[] = []
  for (const { placed } of body) {
    if (placed.length > 1 && placed.some(({ from, to }) => to > from && to - from < columns)) doubts.push('a text spans columns')
    if (placed.some((one, index) => placed.slice(index + 1).some((other) => other.from === one.from && Math.abs(other.piece.baseline - one.piece.baseline) < 0.3 * one.piece.size && other.piece.left < one.piece.right - 0.2 * one.piece.size && one.piece.left < other.piece.right - 0.2 * one.piece.size))) doubts.push('texts lie over each other')
  }
  return doubts
}
