/**
 * The upper lines of a head. A line as far above as rows are from each other is a row of its own, and its texts share the columns that have heads below:
 * each its neighbours', in the middle or at an edge of which it stands. A nearer line is more of the heads below.
 */
import { overlaps, spanOf, type Column, type Placed } from './columns.js'
import type { Piece } from './text-lines.js'

export interface Head {
  lines: ReadonlyArray<readonly Piece[]>
  /** By line; the upper ones get theirs here. */
  placed: Placed[][]
  upper: readonly number[]
  columns: readonly Column[]
  /** The line that has a head for most columns. */
  leaf: number
  /** The distance of rows. */
  pitch: number
  /** Those have their columns. */
  outside: (piece: Piece) => boolean
}

interface Span { from: number, to: number }

/** Of the distance of rows. */
const rowAbove = 0.85
/** Of a font's size: how far off a text may stand on average. */
const maxOff = 1.2

export function placeAbove ({ lines, placed, upper, columns, leaf, pitch, outside }: Head): void {
  const leafPieces = placed[leaf] ?? []
  const leafBaseline = leafPieces[0]?.piece.baseline ?? 0
  for (const line of upper) {
    const pieces = (lines[line] ?? []).filter((piece) => !outside(piece))
    const baseline = pieces[0]?.baseline ?? 0
    const single = (piece: Piece): boolean => columns.filter((column) => overlaps(column, piece)).length === 1
    const isRow = pieces.some((piece) => nextBaseline(lines.slice(line + 1), piece, leafBaseline) - baseline > rowAbove * pitch)
    // Also columns that other texts of the head stand in, beside this line, have theirs.
    const taken = upper.filter((other) => other !== line).flatMap((other) => (lines[other] ?? []).filter((piece) => Math.abs(piece.baseline - baseline) < piece.size)).map((piece) => spanOf(piece, columns).from)
    const free = leafPieces.filter(({ from, to }) => from === to && !taken.includes(from)).map(({ from }) => from)
    const over = pieces.filter((piece) => columns.some((column, index) => free.includes(index) && overlaps(column, piece)) || !columns.some((column) => overlaps(column, piece)))
    const named = over.some((piece) => columns[0] !== undefined && overlaps(columns[0], piece)) ? free : free.filter((column) => column !== 0)
    const spans = isRow || !pieces.every(single) ? shared(over, named, columns) : null
    for (const piece of pieces) placed[line]?.push({ piece, ...spans?.get(piece) ?? spanOf(piece, columns) })
  }
}

/** Of the line below that has a text under this one. */
const nextBaseline = (below: ReadonlyArray<readonly Piece[]>, piece: Piece, otherwise: number): number =>
  below.flat().find((other) => overlaps(other, piece))?.baseline ?? otherwise

/** The way of sharing the columns among the texts, in their order, that all of them stand best in; null: none is good. */
function shared (pieces: readonly Piece[], free: readonly number[], columns: readonly Column[]): Map<Piece, Span> | null {
  if (pieces.length === 0 || free.length < pieces.length) return null
  const edges = edgesOf(columns)
  const spanAt = (start: number, end: number): Span => ({ from: free[start] ?? 0, to: free[end - 1] ?? 0 })
  const centred = (piece: Piece, { from, to }: Span): number => Math.abs(piece.left + piece.right - (edges[from] ?? 0) - (edges[to + 1] ?? 0)) / 2
  const leftward = (piece: Piece, { from }: Span): number => Math.abs(piece.left - (columns[from]?.left ?? 0))
  const rightward = (piece: Piece, { to }: Span): number => Math.abs(piece.right - (columns[to]?.right ?? 0))
  const found = [centred, leftward, rightward].map((off) => bestSharing(pieces, free.length, (piece, start, end) => off(piece, spanAt(start, end))))
  const [best] = found.toSorted((one, other) => one.off - other.off)
  const size = Math.max(...pieces.map((piece) => piece.size))
  if (best === undefined || best.off > maxOff * size * pieces.length) return null
  return new Map(pieces.map((piece, index) => [piece, spanAt(best.starts[index] ?? 0, best.starts[index + 1] ?? free.length)]))
}

/** Between columns: in the middle of what neither has. */
function edgesOf (columns: readonly Column[]): number[] {
  const inner = columns.slice(1).map((column, index) => (column.left + (columns[index]?.right ?? 0)) / 2)
  const pad = Math.min(...columns.slice(1).map((column, index) => (column.left - (columns[index]?.right ?? 0)) / 2), Infinity)
  const outer = Number.isFinite(pad) ? Math.max(0, pad) : 0
  return [(columns[0]?.left ?? 0) - outer, ...inner, (columns.at(-1)?.right ?? 0) + outer]
}

interface Sharing { off: number, starts: number[] }

/** Each piece gets one or more columns that follow each other. */
function bestSharing (pieces: readonly Piece[], columns: number, off: (piece: Piece, start: number, end: number) => number): Sharing {
  let known: Sharing[] = Array.from({ length: columns + 1 }, (_, end) => end === 0 ? { off: 0, starts: [] } : { off: Infinity, starts: [] })
  for (const piece of pieces) {
    known = known.map((_, end) => {
      let best: Sharing = { off: Infinity, starts: [] }
      for (let start = 0; start < end; start++) {
        const before = known[start]
        if (before === undefined || !Number.isFinite(before.off)) continue
        const sum = before.off + off(piece, start, end)
        if (sum < best.off) best = { off: sum, starts: [...before.starts, start] }
      }
      return best
    })
  }
  return known[columns] ?? { off: Infinity, starts: [] }
}
