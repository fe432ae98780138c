/**
 * The gutter of a page that is set in columns: what no ink is in, from line to line. A page is looked at in strips, one for each line of text and
 * for the top, middle and bottom of each frame.
 */
import { isValue } from './cell-values.js'
import type { Part } from './page-frames.js'
import type { Rule } from './page-geometry.js'
import { isText, standsInRows } from './running-text.js'
import { haveKeysOfTheirOwn, haveTitlesOfTheirOwn } from './side-by-side.js'
import { textOf, type Line } from './text-lines.js'
import { widestBlank } from './typography.js'

export interface Strip { top: number, size: number, line: Line | null, frames: Part[], inked: Array<{ left: number, right: number }> }

interface Gap { left: number, right: number }

/** Goes through the strips from first to last, at this distance from the left. `isText`: a text runs on beside it. */
export interface Gutter { first: number, last: number, at: number, isText: boolean }

/** Each first strip is tried with each last one. A page of A4 has 200 lines of the smallest type that is read, so one with more strips is no text. */
const maxStrips = 400
/** In parts of the font's size: columns of a table may be as near as words; a text is set apart by more, two of them by a whole size, a pica of type of 12 points. */
const ofText = { beside: 0.8, betweenTexts: 1 }
/** Between two tables that nothing else tells apart: two sizes, twice what parts two texts, and nearly twice the widest gap within them, which no two columns of one table are apart. */
const ofTables = { ems: 2, wider: 1.8, withOthers: 1 }
/** Two lines may be a name and its value; of three, one runs on between two others. */
const leastLines = 3
/** In parts of the font's size: a line that is no farther from a run than one empty line, and its own, may be a row of a table in it; and beyond a frame, where nothing but its nearness says so, a row is nearer still. */
const rowReach = { outside: 3, beyondFrame: 2.5 }
/** In parts of the font's size: a line that is drawn right under the last text, or over the first, goes through between; the edges of a table are a padding away. */
const ruleReach = { under: 0.4, ofTable: 2 }
/** In points: drawn ends meet within the width of a line. */
const lineWidth = 1
/** Of the least distance of rows: a row of two lines is not twice as far, what is farther is another table. */
const breakAfter = 2.2
/** In parts of the font's size: a letter is half of it wide, so that is four words or so; and from line to line of a text (running-text allows for as much). */
const paragraph = { width: 11, spacing: 1.5, lines: 4 }

export function stripsOf (framed: readonly Part[], lines: readonly Line[]): Strip[] {
  const beside = (y: number): Part[] => framed.filter(({ frame }) => frame !== null && frame.top <= y && y <= frame.bottom)
  const inkOf = (frames: readonly Part[]): Strip['inked'] => frames.flatMap(({ frame }) => frame === null ? [] : [frame])
  const strips: Strip[] = lines.map((line) => {
    const frames = beside(line.baseline)
    return { top: line.baseline, size: line.size, line, frames, inked: [...line.pieces, ...inkOf(frames)] }
  })
  for (const { frame, lines: own } of framed) {
    if (frame === null) continue
    const size = Math.max(0, ...own.map((line) => line.size))
    for (const y of [frame.top, (frame.top + frame.bottom) / 2, frame.bottom]) {
      const frames = beside(y)
      strips.push({ top: y, size, line: null, frames, inked: inkOf(frames) })
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
      const size = strips[last]?.size ?? 0
      gaps = gaps.flatMap((one) => next.map((other) => ({ left: Math.max(one.left, other.left), right: Math.min(one.right, other.right) }))).filter(({ left, right }) => right - left > widestBlank * size)
      if (best !== null && (best.isText || last - first < leastLines) && last - first <= best.last - best.first) continue
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
    return strip?.line === undefined || strip.line === null || beside === undefined || strip.line.pieces.length < 2 || strip.frames.length > 0 || Math.abs(strip.top - beside.top) > rowReach.outside * strip.size
  })
}

const isInked = ({ inked }: Strip, { left }: Gap): boolean => inked.some((ink) => ink.left < left) && inked.some((ink) => ink.left > left)

/** Beside a frame the columns end with it: text above and below is the page's, but for whole paragraphs. */
function besideFrames (strips: readonly Strip[], first: number, last: number, gap: Gap): { first: number, last: number } {
  const run = strips.slice(first, last + 1)
  const sides = [true, false].map((isLeft) => run.map((strip) => ({ ...strip, inked: strip.inked.filter(({ left }) => (left < gap.left) === isLeft) })).filter(({ inked }) => inked.length > 0))
  if (run.every(({ frames }) => frames.length === 0) || sides.some(hasParagraph)) return { first, last }
  const isWithin = (strip: Strip): boolean => strip.frames.length > 0 || isInked(strip, gap)
  const goesOn = (strip: Strip | undefined, beside: Strip | undefined): boolean => strip?.line !== null && strip?.line !== undefined && beside !== undefined &&
    strip.line.pieces.length > 1 && !isInked(strip, gap) && Math.abs(strip.top - beside.top) < rowReach.beyondFrame * strip.size
  let [from, to] = [run.findIndex(isWithin), run.findLastIndex(isWithin)]
  // Rows of a table that is longer than the frame beside it.
  while (goesOn(run[from - 1], run[from])) from -= 1
  while (goesOn(run[to + 1], run[to])) to += 1
  return { first: first + from, last: first + to }
}

/** What no ink is in, from the far left to the far right, and is wider than the blank between two words. */
function gapsOf (strips: readonly Strip[]): Gap[] {
  const gaps: Gap[] = []
  const size = Math.max(...strips.map((strip) => strip.size))
  let right = -1e9
  for (const ink of strips.flatMap(({ inked }) => inked).toSorted((one, other) => one.left - other.left)) {
    if (ink.left - right > widestBlank * size) gaps.push({ left: right, right: ink.left })
    right = Math.max(right, ink.right)
  }
  return [...gaps, { left: right, right: 1e9 }]
}

function gutterKind (strips: readonly Strip[], gap: Gap, rules: readonly Rule[]): 'text' | 'tables' | null {
  if (gap.left < -1e8 || gap.right > 1e8) return null
  const [top, bottom] = [strips[0]?.top ?? 0, strips.at(-1)?.top ?? 0]
  const size = Math.max(...strips.map((strip) => strip.size))
  const beside = (reach: number): Rule[] => rules.filter(({ at }) => at > top - reach * size && at < bottom + reach * size)
  if (beside(ruleReach.under).some(({ from, to }) => from < gap.left && to > gap.right)) return null
  const width = gap.right - gap.left
  const sides = [true, false].map((isLeft) => strips.map((strip) => ({ ...strip, inked: strip.inked.filter(({ left }) => (left < gap.left) === isLeft), frames: strip.frames.filter(({ frame }) => ((frame?.left ?? 0) < gap.left) === isLeft) })).filter(({ inked }) => inked.length > 0))
  const [left = [], right = []] = sides
  if (!strips.some((strip) => isInked(strip, gap))) return null
  if (strips.some(({ frames }) => frames.length > 0)) {
    const isBesideFrame = strips.some((strip) => strip.frames.length > 0 && isInked(strip, gap))
    return !isBesideFrame && areRows(strips, gap) && !differ(left, right) ? null : 'tables'
  }
  if (areDrawnApart(beside(ruleReach.ofTable), gap, left, right)) return 'tables'
  const inner = sides.map((side) => gapsOf(side).filter((one) => one.left > -1e8 && one.right < 1e8))
  const widest = Math.max(...inner.flat().map((one) => one.right - one.left), 0)
  const areTables = sides.every((side) => side.filter(({ inked }) => inked.length > 1).length > 1)
  if (areTables && width >= ofTables.withOthers * size && 2 * strips.filter((strip) => isInked(strip, gap)).length < Math.min(left.length, right.length)) return 'tables'
  if (areTables && width >= ofTables.ems * size && width >= ofTables.wider * widest && differ(left, right)) return 'tables'
  if (areTables && (haveKeysOfTheirOwn(left, right, width, size) || haveTitlesOfTheirOwn(left, right, width, size))) return 'tables'
  if (left.length < leastLines || right.length < leastLines || width < ofText.beside * size) return null
  const [isLeftText, isRightText] = [isText(left), isText(right)]
  const isBeside = isLeftText && isRightText ? width >= ofText.betweenTexts * size : (isLeftText && !standsInRows(left, right)) || (isRightText && !standsInRows(right, left))
  return isBeside ? 'text' : null
}

/** Lines across the columns of each side, or edges of what is shaded there, end and begin within the gap, one after the other. */
function areDrawnApart (rules: readonly Rule[], gap: Gap, ...sides: readonly [readonly Strip[], readonly Strip[]]): boolean {
  const [before, behind] = sides.map((side, index) => {
    const ink = side.flatMap(({ inked }) => inked)
    const [from, to] = [Math.min(...ink.map((each) => each.left)), Math.max(...ink.map((each) => each.right))]
    return side.some(({ inked }) => inked.length > 1) ? rules.filter((rule) => index === 0 ? rule.from < from + lineWidth && rule.to > to - lineWidth && rule.to < gap.right : rule.to > to - lineWidth && rule.from < from + lineWidth && rule.from > gap.left) : []
  })
  if (before === undefined || behind === undefined || before.length === 0 || behind.length === 0) return false
  return Math.min(...behind.map(({ from }) => from)) - Math.max(...before.map(({ to }) => to)) > 2 * lineWidth
}

/** Three with a value at least, above or below a frame: a table that the frame is not of. */
const areRows = (strips: readonly Strip[], gap: Gap): boolean =>
  strips.filter((strip) => isInked(strip, gap) && strip.line?.pieces.some((piece) => isValue(textOf(piece))) === true).length >= leastLines

/** Of one table both sides have as many rows, and other heads. */
function differ (...sides: readonly [readonly Strip[], readonly Strip[]]): boolean {
  // A title or a note of one side only, or more of a cell, is no row.
  const [left, right] = sides.map((side, index) => untilBreak(side.filter(({ line, inked }) => (inked.length > 1 && line?.pieces.some((piece) => inked.includes(piece) && isValue(textOf(piece)))) || sides[1 - index]?.some((other) => other.line === line) === true)))
  if (left === undefined || right === undefined || isInterrupted(left, right) || isInterrupted(right, left)) return false
  const headOf = (side: readonly Strip[]): string => side.slice(0, 1).flatMap(({ line, inked }) => line?.pieces.filter((piece) => inked.includes(piece)).map(textOf) ?? []).join('|')
  return left.length !== right.length || headOf(left) === headOf(right)
}

/** All rows of one side go on at the other, where the rows of a further table stand between them: the gap is within the first. */
function isInterrupted (rows: readonly Strip[], others: readonly Strip[]): boolean {
  const lines = new Set(others.map(({ line }) => line))
  const own = new Set(rows.map(({ line }) => line))
  const [first, last] = [rows[0], rows.at(-1)]
  return first !== undefined && last !== undefined && rows.length > 2 && rows.every(({ line }) => lines.has(line)) && others.some(({ line, top }) => !own.has(line) && top > first.top && top < last.top)
}

/** What stands further below is another table. */
function untilBreak (rows: readonly Strip[]): readonly Strip[] {
  const gaps = rows.slice(1).map(({ top }, index) => top - (rows[index]?.top ?? top))
  const pitch = Math.min(...gaps.filter((gap) => gap > lineWidth))
  const end = gaps.findIndex((gap) => gap > breakAfter * pitch)
  return end === -1 ? rows : rows.slice(0, end + 1)
}

/** Four lines of more than a few words under each other, as near as lines of a text are. */
function hasParagraph (side: ReadonlyArray<Pick<Strip, 'inked' | 'line' | 'size' | 'top'>>): boolean {
  let lines = 0
  let before: number | undefined
  for (const { inked: [only, second], line, size, top } of side) {
    const isLine = line !== null && only !== undefined && second === undefined && only.right - only.left > paragraph.width * size
    lines = !isLine ? 0 : before !== undefined && top - before < paragraph.spacing * size ? lines + 1 : 1
    if (lines >= paragraph.lines) return true
    before = top
  }
  return false
}
