/**
 * Where lines are drawn between columns alone, the first column and the last stand outside of them. Their texts are on the lines of the rows; those of cells
 * with several lines are about there, which a text of the page beside a table is too, but that goes on above or below it.
 */
import { meet } from './columns.js'
import { centre, reach, type Frame } from './page-frames.js'
import type { Rule } from './page-geometry.js'
import type { Line, Piece } from './text-lines.js'

/** Of a table's rows that have a text in each column. */
const [most, nearlyAll] = [0.6, 0.9]
/** Of a font's size. */
const near = { sameLine: 0.1, middle: 0.2, nextColumn: 4, above: 1.5, below: 2 }

/** `horizontal`: the page's. null: too few columns for a table. */
export function withOuterColumns (frame: Frame, lines: readonly Line[], horizontal: readonly Rule[]): Frame | null {
  if (frame.horizontal.length > 0) return frame
  const { left, right, top, bottom } = frame
  const rows = lines.filter(({ baseline, size }) => baseline > top && baseline - 0.5 * size < bottom)
  const inside = rows.filter(({ pieces }) => pieces.some((piece) => centre(piece) > left && centre(piece) < right))
  const widest = Math.max(...gapsBetween(frame.vertical.map(({ at }) => at)))

  function sideOf (isBeyond: (piece: Piece) => boolean, distanceOf: (piece: Piece) => number): Piece[] | null {
    const nearestOf = (some: readonly Line[]): Piece[] => some.flatMap(({ pieces }) => pieces.filter(isBeyond).toSorted((one, other) => distanceOf(one) - distanceOf(other)).slice(0, 1))
    const isNear = (texts: readonly Piece[]): boolean => texts.length > 1 && Math.min(...texts.map(distanceOf)) <= Math.max(widest, near.nextColumn * Math.max(...texts.map(({ size }) => size)))
    const [onRows, all] = [nearestOf(inside), nearestOf(rows)]
    const nearest = onRows.length >= most * inside.length ? onRows : hasTextInMiddle(inside, all) && !goesOnOutside(all) ? all : []
    // Further lines of its cells may be wider.
    return isNear(nearest) ? rows.flatMap(({ pieces }) => pieces.filter((piece) => isBeyond(piece) && nearest.some((text) => meet(text, piece)))) : null
  }

  const goesOnOutside = (texts: readonly Piece[]): boolean => lines.some(({ baseline, size, pieces }) =>
    ((baseline <= top && baseline > top - near.above * size) || (baseline - 0.5 * size >= bottom && baseline < bottom + near.below * size)) &&
    // A title is of another size.
    pieces.some((piece) => texts.some((text) => meet(text, piece) && Math.abs(text.size - piece.size) < 0.5)))

  const before = sideOf((piece) => piece.right < left + 1, (piece) => left - piece.right)
  const behind = sideOf((piece) => piece.left > right - 1, (piece) => piece.left - right)
  const sides = {
    left: before === null ? left : Math.min(...before.map((piece) => piece.left)) - 1,
    right: behind === null ? right : Math.max(...behind.map((piece) => piece.right)) + 1
  }
  const [from, to] = [Math.min(...frame.vertical.map((rule) => rule.from)), Math.max(...frame.vertical.map((rule) => rule.to))]
  const open = [...before === null ? [] : [sides.left], ...behind === null ? [] : [sides.right]].map((at) => ({ at, from, to }))
  const vertical = [...frame.vertical, ...open]
  const across = horizontal.filter((rule) => rule.at > from - reach && rule.at < to + reach && rule.from < left + reach && rule.to > right - reach)
  return vertical.length < 3 ? null : { ...frame, ...sides, vertical, horizontal: across }
}

/** Nearly each row has a text on its line, or lines of one that are as far above it as below. */
function hasTextInMiddle (rows: readonly Line[], texts: readonly Piece[]): boolean {
  const byRow = new Map<Line, Piece[]>()
  for (const text of texts) {
    const [nearest] = rows.toSorted((one, other) => Math.abs(one.baseline - text.baseline) - Math.abs(other.baseline - text.baseline))
    if (nearest !== undefined) byRow.set(nearest, [...byRow.get(nearest) ?? [], text])
  }
  const isInMiddle = (row: Line): boolean => {
    const baselines = byRow.get(row)?.map(({ baseline }) => baseline) ?? []
    return baselines.some((baseline) => Math.abs(baseline - row.baseline) < near.sameLine * row.size) ||
      (baselines.length > 1 && Math.abs((Math.min(...baselines) + Math.max(...baselines)) / 2 - row.baseline) < near.middle * row.size)
  }
  return rows.filter(isInMiddle).length >= nearlyAll * rows.length
}

function gapsBetween (places: readonly number[]): number[] {
  const sorted = places.toSorted((one, other) => one - other)
  return sorted.slice(1).map((at, index) => at - (sorted[index] ?? at))
}
