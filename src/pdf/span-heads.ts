/**
 * The upper lines of a head. A line as far above as rows are from each other is a row of its own, and its texts share the columns that have heads below:
 * each its neighbours', in the middle or at an edge of which it stands. A nearer line is more of the heads below.
 */
import { overlaps, spanOf, type Column, type Placed } from './columns.js'
import { tight } from './find-rows.js'
import type { Rule } from './page-geometry.js'
import { textOf, type Piece } from './text-lines.js'
import { hanging, nearlyAt, smallLetter, textSpacing } from './typography.js'

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
  /** Lines that are drawn across: one under a text says which columns it is over. */
  rules: readonly Rule[]
}

interface Span { from: number, to: number }

/** Of a font's size, on average: a padding of a cell, which nobody knows, is about one size on each side, and moves the middle by half of what the two differ. */
const maxOff = 1.2
/** Of a font's size: another way of sharing must be worse by the rounding of two places, or it is as good. */
const clearlyWorse = 2 * nearlyAt
/** Of a font's size: where heads that come again say the columns, a text is no further off than a letter is wide. */
const nearly = 0.6
/** What is not in the middle stands at an edge, within a third of what the middle may be off: the edge of a text is seen, that of a cell is not. */
const strict = 3
/** In points: a line over all columns ends where they do, within its own width. */
const lineWidth = 1

/** Gives what is not certain. */
export function placeAbove ({ lines, placed, upper, columns, leaf, pitch, outside, rules }: Head): string[] {
  const leafPieces = placed[leaf] ?? []
  const leafBaseline = leafPieces[0]?.piece.baseline ?? 0
  const doubts: string[] = []
  for (const line of upper) {
    const pieces = (lines[line] ?? []).filter((piece) => !outside(piece))
    const baseline = pieces[0]?.baseline ?? 0
    const single = (piece: Piece): boolean => columns.filter((column) => overlaps(column, piece)).length === 1
    // A head of one line beside heads of several has nothing below it.
    const isAlone = (piece: Piece): boolean => single(piece) && !leafPieces.some(({ from, to }) => overlaps(columns[from] ?? piece, piece) || overlaps(columns[to] ?? piece, piece))
    const isRow = pieces.some((piece) => !isAlone(piece) && nextBaseline(lines.slice(line + 1), piece, leafBaseline) - baseline > tight * pitch)
    // Also columns that other texts of the head stand in, beside this line, have theirs.
    const taken = upper.filter((other) => other !== line).flatMap((other) => (lines[other] ?? []).filter((piece) => Math.abs(piece.baseline - baseline) < piece.size)).map((piece) => spanOf(piece, columns).from)
    const free = leafPieces.filter(({ from, to }) => from === to && !taken.includes(from)).map(({ from }) => from)
    const over = pieces.filter((piece) => columns.some((column, index) => free.includes(index) && overlaps(column, piece)) || !columns.some((column) => overlaps(column, piece)))
    const edges = edgesOf(columns, rules)
    const isTextAbove = isRow && pieces.every((piece) => single(piece) && nextBaseline(lines.slice(line + 1), piece, leafBaseline) - baseline < textSpacing * piece.size && !isUnderlined(piece, nextBaseline(lines.slice(line + 1), piece, leafBaseline), rules))
    const byRules = isRow ? ruled(over, free, columns, rules, leafBaseline) ?? repeated(over, leafPieces, columns) : null
    const sharing = byRules ?? (isRow || !pieces.every(single) ? shared(over, free, columns, edges) : null)
    const isSingle = sharing === null || over.every((piece) => sharing.get(piece)?.from === sharing.get(piece)?.to)
    // As near as lines of a text and as far as rows: it may be either.
    if (isRow && over.length > 0 && (isTextAbove ? byRules === null && !isSingle : sharing === null)) doubts.push('which columns a head is over is not certain')
    for (const piece of pieces) placed[line]?.push({ piece, ...sharing?.get(piece) ?? spanOf(piece, columns) })
  }
  return doubts
}

/** Each has a line under it, or shares one with those beside it, that goes over some of the columns. */
function ruled (pieces: readonly Piece[], free: readonly number[], columns: readonly Column[], rules: readonly Rule[], leafBaseline: number): Map<Piece, Span> | null {
  const spans = new Map<Piece, Span>()
  for (const piece of pieces) {
    const below = rules.filter(({ at, from, to }) => at > piece.baseline - hanging * piece.size && at < leafBaseline - smallLetter * piece.size && from < piece.right && to > piece.left)
    const [line] = below.toSorted((one, other) => one.at - other.at)
    if (line === undefined || pieces.some((other) => other !== piece && other.left < line.to && other.right > line.from)) return null
    const covered = free.filter((index) => {
      const column = columns[index]
      return column !== undefined && line.from < (column.left + column.right) / 2 && (column.left + column.right) / 2 < line.to
    })
    const [from, to] = [covered[0], covered.at(-1)]
    // One over all columns is the table's.
    if (from === undefined || to === undefined || (from <= 1 && to === columns.length - 1)) return null
    spans.set(piece, { from, to })
  }
  return spans
}

/** Below each the same head comes first, and none twice: where it comes again the next text's columns begin. */
function repeated (pieces: readonly Piece[], leaf: readonly Placed[], columns: readonly Column[]): Map<Piece, Span> | null {
  const heads = leaf.filter(({ from, to }) => from === to).toSorted((one, other) => one.from - other.from).map(({ piece, from }) => ({ text: textOf(piece), from }))
  // What names the rows may be among them.
  for (const own of [heads, heads.filter(({ from }) => from > 0)]) {
    const starts = [...own.keys()].filter((index) => own[index]?.text === own[0]?.text)
    const groups = starts.map((start, index) => own.slice(start, starts[index + 1]))
    const spans = groups.map((group): Span => ({ from: group[0]?.from ?? 0, to: group.at(-1)?.from ?? 0 }))
    // All in the middle, or all at the same edge.
    const offs = [(piece: Piece, { from, to }: Span): number => (piece.left + piece.right - (columns[from]?.left ?? 0) - (columns[to]?.right ?? 0)) / 2, (piece: Piece, { from }: Span): number => piece.left - (columns[from]?.left ?? 0), (piece: Piece, { to }: Span): number => piece.right - (columns[to]?.right ?? 0)]
    const areOver = offs.some((off) => pieces.every((piece, index) => spans.some((span, at) => at === index && Math.abs(off(piece, span)) < nearly * piece.size)))
    const areNamed = groups.every((group) => group.length > 1 && new Set(group.map(({ text }) => text)).size === group.length)
    if (pieces.length > 1 && groups.length === pieces.length && areNamed && areOver) {
      return new Map(pieces.map((piece, index) => [piece, spans[index] ?? { from: 0, to: 0 }]))
    }
  }
  return null
}

/** A line is drawn between it and what is below. */
const isUnderlined = (piece: Piece, next: number, rules: readonly Rule[]): boolean =>
  rules.some(({ at, from, to }) => at > piece.baseline - hanging * piece.size && at < next - smallLetter * piece.size && from < piece.right && to > piece.left)

/** Of the line below that has a text under this one. */
const nextBaseline = (below: ReadonlyArray<readonly Piece[]>, piece: Piece, otherwise: number): number =>
  below.flat().find((other) => overlaps(other, piece))?.baseline ?? otherwise

/** The way of sharing the columns among the texts, in their order, that all of them stand best in; null: none is good, or another is nearly as good. */
function shared (pieces: readonly Piece[], free: readonly number[], columns: readonly Column[], edges: readonly number[]): Map<Piece, Span> | null {
  if (pieces.length === 0) return null
  // What names the rows need not be under it: a title is over all columns.
  const keyless = free.filter((column) => column !== 0)
  const all = [...columns.keys()]
  const choices = pieces.length === 1 ? [all, free, keyless] : pieces.some((piece) => columns[0] !== undefined && overlaps(columns[0], piece)) ? [free] : [free, keyless]
  const ways = choices.filter(({ length }) => length >= pieces.length).flatMap((choice) => waysOfSharing(pieces, choice, columns, edges)).toSorted((one, other) => one.off - other.off)
  const [best] = ways
  const size = Math.max(...pieces.map((piece) => piece.size)) * pieces.length
  if (best === undefined || best.off > maxOff * size) return null
  const isSame = (one: readonly Span[]): boolean => one.every(({ from, to }, index) => from === best.spans[index]?.from && to === best.spans[index]?.to)
  if (ways.some(({ off, spans }) => off - best.off < clearlyWorse * size && !isSame(spans))) return null
  const begun = beginnings(pieces, free, columns)
  if (begun !== null && best.spans.some(({ from }, index) => from !== begun[index])) return null
  return new Map(pieces.map((piece, index) => [piece, best.spans[index] ?? { from: 0, to: 0 }]))
}

/** Where all begin as far beside a column's texts, as at the left edges of cells, in which these are in the middle: the columns; null: they do not. */
function beginnings (pieces: readonly Piece[], free: readonly number[], columns: readonly Column[]): number[] | null {
  if (pieces.length < 2) return null
  const nearest = pieces.map((piece) => free.toSorted((one, other) => Math.abs((columns[one]?.left ?? 0) - piece.left) - Math.abs((columns[other]?.left ?? 0) - piece.left))[0] ?? 0)
  const off = pieces.map((piece, index) => piece.left - (columns[nearest[index] ?? 0]?.left ?? 0))
  const isInOrder = nearest.every((column, index) => index === 0 || column > (nearest[index - 1] ?? 0))
  return isInOrder && Math.max(...off) - Math.min(...off) < nearlyAt * (pieces[0]?.size ?? 0) ? nearest : null
}

interface Way { off: number, spans: Span[] }

function waysOfSharing (pieces: readonly Piece[], free: readonly number[], columns: readonly Column[], edges: readonly number[]): Way[] {
  const spanAt = (start: number, end: number): Span => ({ from: free[start] ?? 0, to: free[end - 1] ?? 0 })
  const centred = (piece: Piece, { from, to }: Span): number => Math.abs(piece.left + piece.right - (edges[from] ?? 0) - (edges[to + 1] ?? 0)) / 2
  const leftward = (piece: Piece, { from }: Span): number => strict * Math.abs(piece.left - (columns[from]?.left ?? 0))
  const rightward = (piece: Piece, { to }: Span): number => strict * Math.abs(piece.right - (columns[to]?.right ?? 0))
  return [centred, leftward, rightward].flatMap((off) => bestSharings(pieces, free.length, (piece, start, end) => off(piece, spanAt(start, end)))
    .map(({ off: sum, starts }) => ({ off: sum, spans: starts.map((start, index) => spanAt(start, starts[index + 1] ?? free.length)) })))
}

/** Between columns: in the middle of what neither has. The outer ones are where lines over all columns end, if there are any. */
function edgesOf (columns: readonly Column[], rules: readonly Rule[]): number[] {
  const inner = columns.slice(1).map((column, index) => (column.left + (columns[index]?.right ?? 0)) / 2)
  const pad = Math.min(...columns.slice(1).map((column, index) => (column.left - (columns[index]?.right ?? 0)) / 2), Infinity)
  const outer = Number.isFinite(pad) ? Math.max(0, pad) : 0
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0]
  const line = rules.find(({ from, to }) => from <= left + lineWidth && to >= right - lineWidth)
  return [line?.from ?? left - outer, ...inner, line?.to ?? right + outer]
}

interface Sharing { off: number, starts: number[] }

/** Each piece gets one or more columns that follow each other. The two ways in which they stand best. */
function bestSharings (pieces: readonly Piece[], columns: number, off: (piece: Piece, start: number, end: number) => number): Sharing[] {
  let known: Sharing[][] = Array.from({ length: columns + 1 }, (_, end) => end === 0 ? [{ off: 0, starts: [] }] : [])
  for (const piece of pieces) {
    known = known.map((_, end) => {
      const best: Sharing[] = []
      for (let start = 0; start < end; start++) {
        for (const before of known[start] ?? []) {
          const sum = before.off + off(piece, start, end)
          if (best.length > 1 && sum >= (best[1]?.off ?? 0)) continue
          best.push({ off: sum, starts: [...before.starts, start] })
          best.sort((one, other) => one.off - other.off)
          best.length = Math.min(best.length, 2)
        }
      }
      return best
    })
  }
  return known[columns] ?? []
}
