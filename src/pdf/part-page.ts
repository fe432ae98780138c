/**
 * Parts a page into what is read one after the other: tables that lines are drawn around, and the text and tables between them; what stands
 * side by side in columns of the page, the left one first.
 */
import { isValue } from './cell-values.js'
import { isListed } from './find-tables.js'
import { withOuterColumns } from './outer-columns.js'
import { centre, framesOf, holds, reach, type Part } from './page-frames.js'
import type { PageGeometry, Rule } from './page-geometry.js'
import { findGutter, stripsOf } from './page-gutter.js'
import { isText } from './running-text.js'
import { splitAtWalls } from './split-pieces.js'
import { textOf, withPieces, type Line, type Piece } from './text-lines.js'

export function partPage (lines: readonly Line[], geometry: PageGeometry): Part[] {
  const frames = framesOf(geometry).map((frame) => withOuterColumns(frame, lines, geometry.horizontal)).filter((frame) => frame !== null)
  const split = lines.map((line) => ({ ...line, pieces: line.pieces.flatMap((piece) => splitAtWalls(piece, frames.flatMap(({ vertical }) => vertical), line.pieces)) }))
  const only = (keeps: (piece: Piece) => boolean): Line[] => split.map((line) => withPieces(line, line.pieces.filter(keeps))).filter(({ pieces }) => pieces.length > 0)
  const framed = frames.map((frame): Part => ({ frame, lines: only((piece) => holds(frame, piece)) }))
    .filter(({ lines: own }) => own.some(({ pieces }) => pieces.length > 1) && own.length > 1)
    .filter((part) => !isHeadOnly(part, split) && !isWithinTable(part, split))
  const rest = only((piece) => !framed.some(({ frame }) => frame !== null && holds(frame, piece)))
  return ordered(framed, rest, geometry.horizontal)
}

function ordered (framed: readonly Part[], lines: readonly Line[], rules: readonly Rule[]): Part[] {
  const strips = stripsOf(framed, lines)
  const found = findGutter(strips, rules)
  if (found === null) return inSequence(framed, lines)
  const { first, last, at } = found
  const within = strips.slice(first, last + 1)
  const [top, bottom] = [within[0]?.top ?? 0, within.at(-1)?.top ?? 0]
  const isBetween = (y: number): boolean => y >= top && y <= bottom
  const frameTop = ({ frame }: Part): number => frame?.top ?? 0
  const inside = framed.filter((part) => within.some((strip) => strip.frames.includes(part)))
  const outside = framed.filter((part) => !inside.includes(part))
  const some = (keeps: (line: Line) => boolean): Line[] => lines.filter(keeps)
  const side = (isLeft: boolean): Part[] => {
    const own = some(({ baseline }) => isBetween(baseline)).map((line) => withPieces(line, line.pieces.filter((piece) => (piece.left < at) === isLeft))).filter(({ pieces }) => pieces.length > 0)
    const frames = inside.filter(({ frame }) => ((frame?.left ?? 0) < at) === isLeft)
    const isRunning = frames.length === 0 && isText(own.map((line) => ({ line, size: line.size, top: line.baseline, inked: line.pieces })))
    return ordered(frames, isRunning ? own.map(asOneText) : own, rules.filter(({ from, to }) => ((from + to) / 2 < at) === isLeft))
  }
  return [
    ...ordered(outside.filter((part) => frameTop(part) < top), some(({ baseline }) => baseline < top), rules),
    ...side(true), ...side(false),
    ...ordered(outside.filter((part) => frameTop(part) >= top), some(({ baseline }) => baseline > bottom), rules)
  ]
}

/** However wide its blanks are. */
function asOneText (line: Line): Line {
  const [first] = line.pieces
  return first === undefined ? line : { ...line, pieces: [{ ...first, words: line.pieces.flatMap(({ words }) => words), right: Math.max(...line.pieces.map(({ right }) => right)) }] }
}

/** Lines and frames from above; lines beside a frame after it or within. */
function inSequence (framed: readonly Part[], lines: readonly Line[]): Part[] {
  const frames = framed.toSorted((one, other) => (one.frame?.top ?? 0) - (other.frame?.top ?? 0) || (one.frame?.left ?? 0) - (other.frame?.left ?? 0))
  const parts: Part[] = []
  let left = [...lines]
  for (const part of frames) {
    const above = left.filter(({ baseline }) => baseline <= (part.frame?.top ?? 0) + 1)
    left = left.filter((line) => !above.includes(line))
    const head = headOf(above, part)
    const text = above.slice(0, above.length - head.length)
    if (text.length > 0) parts.push({ lines: text, frame: null })
    const [last] = left
    const hasLast = last !== undefined && isLastOf(last, part)
    if (hasLast) left = left.slice(1)
    parts.push({ ...part, lines: [...head, ...part.lines, ...hasLast ? [last] : []] })
  }
  if (left.length > 0) parts.push({ lines: left, frame: null })
  return parts
}

/** Where only the head is shaded, the rows below are of the same table. */
function isHeadOnly ({ lines: own, frame }: Part, lines: readonly Line[]): boolean {
  const hasValue = ({ pieces }: Line): boolean => pieces.some((piece) => isValue(textOf(piece)))
  const bottom = frame?.bottom ?? 0
  // More of the first row's cells, or the name of the first rows, may stand between.
  const below = lines.filter(({ baseline }) => baseline > bottom).slice(0, 3)
  const row = below.findIndex((line) => line.pieces.length > 1 && hasValue(line))
  return !own.some(hasValue) && row !== -1 && below.slice(0, row + 1).every(({ baseline, size }, index) => baseline - (below[index - 1]?.baseline ?? bottom) < 2.5 * size + (index > 0 ? size : 0))
}

/** Rows of values go on above it, or on both sides of a single row: some rows are shaded, and the table is larger. */
function isWithinTable ({ lines: own, frame }: Part, lines: readonly Line[]): boolean {
  const [first, last] = [own[0], own.at(-1)]
  if (frame === null || first === undefined || last === undefined) return false
  const isRow = ({ pieces }: Line): boolean => pieces.filter((piece) => piece.left > frame.left - reach && piece.right < frame.right + reach).length > 1 && pieces.some((piece) => isValue(textOf(piece)))
  const above = lines.filter(({ baseline }) => baseline < frame.top).slice(-3)
  const below = lines.filter(({ baseline, size }) => baseline - 0.3 * size > frame.bottom).slice(0, 3)
  const isAbove = frame.top - (above.at(-1)?.baseline ?? -Infinity) < 1.2 * first.size && above.some((line) => isRow(line) && frame.top - line.baseline < 3 * first.size)
  const isBelow = (below[0]?.baseline ?? Infinity) - frame.bottom < 2 * last.size && below.some((line) => isRow(line) && line.baseline - frame.bottom < 3.6 * last.size)
  return own.some(isRow) && (isAbove || (isBelow && frame.horizontal.length === 2 && own.filter(isRow).length === 1))
}

/** Nothing is drawn around some heads, but around the values below them. */
function headOf (above: readonly Line[], { lines: own, frame }: Part): Line[] {
  // The name of the first rows may stand above them.
  const first = own.slice(0, 2).find(({ pieces }, index) => index > 0 || pieces.length > 1)
  if (first === undefined || frame === null || !first.pieces.some((piece) => isValue(textOf(piece)))) return []
  const head: Line[] = []
  const isInOneColumn = ({ left, right }: Piece): boolean => left >= frame.left - 1 && right <= frame.right + 1 && !frame.vertical.some(({ at }) => at > left + 2 && at < right - 2)
  // A head in two rows is as high as two rows are.
  const rows = own.filter(({ pieces }) => pieces.length > 1).map(({ baseline }) => baseline)
  const pitch = Math.min(...rows.slice(1).map((baseline, index) => baseline - (rows[index] ?? 0)))
  for (const line of above.toReversed()) {
    const next = head[0]
    const isNear = next === undefined ? frame.top - line.baseline < 2 * line.size : next.baseline - line.baseline < Math.max(1.45 * line.size, line.pieces.length > 1 && Number.isFinite(pitch) ? 1.05 * pitch : 0)
    if (!isNear || line.size > 1.1 * (next?.size ?? line.size) || !line.pieces.every((piece) => isInOneColumn(piece) && !isValue(textOf(piece)))) break
    head.unshift(line)
  }
  return head.some(({ pieces }) => pieces.length > 1) ? head : []
}

/** Where every other row is shaded, the last may have nothing around it. */
function isLastOf (line: Line, { lines, frame }: Part): boolean {
  const { pieces, baseline, size } = line
  const before = lines.at(-1)
  if (before === undefined || frame === null || pieces.length < 2 || isListed(line) || !pieces.some((piece) => isValue(textOf(piece)))) return false
  return baseline - frame.bottom < 2 * size && pieces.length <= before.pieces.length + 1 && pieces.every((piece) => frame.left <= centre(piece) && centre(piece) <= frame.right)
}
