/**
 * The gutter of a page that is set in columns: what no ink is in, from line to line. A page is looked at in strips, one for each line of text and
 * for the top, middle and bottom of each frame.
 */
import { isValue } from './cell-values.js'
import type { Part } from './page-frames.js'
import type { Rule } from './page-geometry.js'
import { isText, standsInRows } from './running-text.js'
import { textOf, type Line } from './text-lines.js'

export interface Strip { top: number, size: number, line: Line | null, frames: Part[], inked: Array<{ left: number, right: number }> }

interface Gap { left: number, right: number }

/** Goes through the strips from first to last, at this distance from the left. `isText`: a text runs on beside it. */
export interface Gutter { first: number, last: number, at: number, isText: boolean }

/** Pages with more are not set in columns. */
const maxStrips = 400
/** In points, and in parts of the font's size. */
const gutter = { least: 6, ems: 2, alone: 1.8 }
/** Strips beside a text that runs on, at least. */
const leastText = 3

export function stripsOf (framed: readonly Part[], lines: readonly Line[]): Strip[] {
  const beside = (y: number): Part[] => framed.filter(({ frame }) => frame !== null && frame.top <= y && y <= frame.bottom)
  const inkOf = (frames: readonly Part[]): Strip['inked'] => frames.flatMap(({ frame }) => frame === null ? [] : [frame])
  const strips: Strip[] = lines.map((line) => {
    const frames = beside(line.baseline)
    return { top: line.baseline, size: line.size, line, frames, inked: [...line.pieces, ...inkOf(frames)] }
  })
  for (const { frame } of framed) {
    if (frame === null) continue
    for (const y of [frame.top, (frame.top + frame.bottom) / 2, frame.bottom]) {
      const frames = beside(y)
      strips.push({ top: y, size: 10, line: null, frames, inked: inkOf(frames) })
    }
  }
  return strips.sort((one, other) => one.top - other.top)
}

/** null: the page is not set in columns. The longest run of strips that a gutter goes through; one beside a text before those between tables. */
export function findGutter (strips: readonly Strip[], rules: readonly Rule[]): Gutter | null {
  if (strips.length > maxStrips) return null
  let best: Gutter | null = null
  for (let first = 0; first < strips.length - 1; first++) {
    if (best?.isText === true && strips.length - first <= best.last - best.first + 1) break
    let gaps = gapsOf(strips.slice(first, first + 1))
    for (let last = first + 1; last < strips.length && gaps.length > 0; last++) {
      const next = gapsOf(strips.slice(last, last + 1))
      gaps = gaps.flatMap((one) => next.map((other) => ({ left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) }))).filter(({ left, right }) => right - left >= gutter.least)
      if (best !== null && (best.isText || last - first < leastText) && last - first <= best.last - best.first) continue
      if (!isWhole(strips, first, last)) continue
      const found = gaps.map((gap) => ({ gap, kind: gutterKind(strips.slice(first, last + 1), gap, rules) })).find(({ kind }) => kind === 'text' || (kind === 'tables' && (best === null || (!best.isText && last - first > best.last - best.first))))
      if (found !== undefined) best = { ...besideFrames(strips, first, last, found.gap), at: (found.gap.left + found.gap.right) / 2, isText: found.kind === 'text' }
    }
  }
  return best
}

/** The line before and the one after are no rows of the same table. */
function isWhole (strips: readonly Strip[], first: number, last: number): boolean {
  return [[first - 1, first], [last + 1, last]].every(([outer = 0, inner = 0]) => {
    const [strip, beside] = [strips[outer], strips[inner]]
    return strip?.line === undefined || strip.line === null || beside === undefined || strip.line.pieces.length < 2 || strip.frames.length > 0 || Math.abs(strip.top - beside.top) > 3 * strip.size
  })
}

const isInked = ({ inked }: Strip, { left }: Gap): boolean => inked.some((ink) => ink.left < left) && inked.some((ink) => ink.left > left)

/** Beside a frame the columns end with it: text above and below is the page's, but for whole paragraphs. */
function besideFrames (strips: readonly Strip[], first: number, last: number, gap: Gap): { first: number, last: number } {
  const run = strips.slice(first, last + 1)
  const sides = [true, false].map((isLeft) => run.map((strip) => ({ ...strip, inked: strip.inked.filter(({ left }) => (left < gap.left) === isLeft) })).filter(({ inked }) => inked.length > 0))
  if (run.every(({ frames }) => frames.length === 0) || sides.some(hasParagraph)) return { first, last }
  const isWithin = (strip: Strip): boolean => strip.frames.length > 0 || isInked(strip, gap)
  return { first: first + run.findIndex(isWithin), last: first + run.findLastIndex(isWithin) }
}

/** What no ink is in, from the far left to the far right. */
function gapsOf (strips: readonly Strip[]): Gap[] {
  const gaps: Gap[] = []
  let right = -1e9
  for (const ink of strips.flatMap(({ inked }) => inked).toSorted((one, other) => one.left - other.left)) {
    if (ink.left - right >= gutter.least) gaps.push({ left: right, right: ink.left })
    right = Math.max(right, ink.right)
  }
  return [...gaps, { left: right, right: 1e9 }]
}

function gutterKind (strips: readonly Strip[], gap: Gap, rules: readonly Rule[]): 'text' | 'tables' | null {
  if (gap.left < -1e8 || gap.right > 1e8) return null
  const [top, bottom] = [strips[0]?.top ?? 0, strips.at(-1)?.top ?? 0]
  if (rules.some(({ at, from, to }) => at > top - 4 && at < bottom + 4 && from < gap.left && to > gap.right)) return null
  const width = gap.right - gap.left
  const sides = [true, false].map((isLeft) => strips.map((strip) => ({ ...strip, inked: strip.inked.filter(({ left }) => (left < gap.left) === isLeft), frames: strip.frames.filter(({ frame }) => ((frame?.left ?? 0) < gap.left) === isLeft) })).filter(({ inked }) => inked.length > 0))
  const [left = [], right = []] = sides
  if (!strips.some((strip) => isInked(strip, gap))) return null
  if (left.some(({ frames }) => frames.length > 0) || right.some(({ frames }) => frames.length > 0)) return 'tables'
  const size = Math.max(...strips.map((strip) => strip.size))
  const inner = sides.map((side) => gapsOf(side).filter((one) => one.left > -1e8 && one.right < 1e8))
  const widest = Math.max(...inner.flat().map((one) => one.right - one.left), 0)
  const areTables = sides.every((side) => side.filter(({ inked }) => inked.length > 1).length > 1)
  if (areTables && width >= gutter.ems * size && width >= gutter.alone * widest && differ(left, right)) return 'tables'
  if (left.length < 3 || right.length < 3 || width < 0.8 * size) return null
  const [isLeftText, isRightText] = [isText(left), isText(right)]
  const isBeside = isLeftText && isRightText ? width >= size : (isLeftText && !standsInRows(left, right)) || (isRightText && !standsInRows(right, left))
  return isBeside ? 'text' : null
}

/** Of one table both sides have as many rows, and other heads. */
function differ (...sides: readonly [readonly Strip[], readonly Strip[]]): boolean {
  // A title or a note of one side only, or more of a cell, is no row.
  const [left, right] = sides.map((side, index) => side.filter(({ line, inked }) => (inked.length > 1 && line?.pieces.some((piece) => inked.includes(piece) && isValue(textOf(piece)))) || sides[1 - index]?.some((other) => other.line === line) === true))
  if (left === undefined || right === undefined) return false
  const headOf = (side: readonly Strip[]): string => side.slice(0, 1).flatMap(({ line, inked }) => line?.pieces.filter((piece) => inked.includes(piece)).map(textOf) ?? []).join('|')
  return left.length !== right.length || headOf(left) === headOf(right)
}

/** Four lines of more than a few words under each other, as near as lines of a text are. */
function hasParagraph (side: ReadonlyArray<Pick<Strip, 'inked' | 'size' | 'top'>>): boolean {
  let lines = 0
  let before: number | undefined
  for (const { inked: [only, second], size, top } of side) {
    const isLine = only !== undefined && second === undefined && only.right - only.left > 11 * size
    lines = !isLine ? 0 : before !== undefined && top - before < 1.5 * size ? lines + 1 : 1
    if (lines > 3) return true
    before = top
  }
  return false
}
