/**
 * Parts a page into what is read one after the other: tables that lines are drawn around, and the text and tables between them; what stands
 * side by side in columns of the page, the left one first.
 */
import { isValue } from './cell-values.js'
import { isListed } from './find-tables.js'
import type { PageGeometry, Rule } from './page-geometry.js'
import { isText, standsInRows } from './running-text.js'
import { splitAtWalls } from './split-pieces.js'
import { textOf, withPieces, type Line, type Piece } from './text-lines.js'

export interface Frame { left: number, right: number, top: number, bottom: number, horizontal: Rule[], vertical: Rule[] }

/** `frame`: lines are drawn around these. */
export interface Part { lines: Line[], frame: Frame | null }

const reach = 4
/** Of the tallest row: a head may have several lines. */
const aRowMore = 5
/** Lines between the columns of one table, in parts of the taller one's height. */
const asTall = 0.7
/** Pages with more are not set in columns. */
const maxStrips = 400
/** In points, and in parts of the font's size. */
const gutter = { least: 6, ems: 2, alone: 1.8 }

/** Rules that touch make one frame; it holds a table when at least two lines cross it in each direction, and three in one. */
export function framesOf ({ horizontal, vertical }: Pick<PageGeometry, 'horizontal' | 'vertical'>): Frame[] {
  const groups: Frame[] = []
  for (const rule of vertical) {
    const crossing = horizontal.filter(({ at, from, to }) => from - reach <= rule.at && rule.at <= to + reach && rule.from - reach <= at && at <= rule.to + reach)
    const touched = groups.filter((group) => group.horizontal.some((known) => crossing.includes(known)))
    const merged: Frame = { left: 0, right: 0, top: 0, bottom: 0, vertical: [rule, ...touched.flatMap((group) => group.vertical)], horizontal: [...new Set([...crossing, ...touched.flatMap((group) => group.horizontal)])] }
    for (const group of touched) groups.splice(groups.indexOf(group), 1)
    if (crossing.length > 0) groups.push(merged)
  }
  const frames = groups.map(withOpenSides).filter((group) => group.vertical.length >= 2 && group.horizontal.length >= 2 && group.vertical.length + group.horizontal.length >= 5 && group.vertical.some(({ at }) => at > Math.min(...group.vertical.map((rule) => rule.at)) + reach)).map((group) => ({
    ...group,
    left: Math.min(...group.vertical.map(({ at }) => at)), right: Math.max(...group.vertical.map(({ at }) => at)),
    ...heightOf(group)
  }))
  frames.push(...columnFrames(vertical.filter((rule) => !groups.some((group) => group.vertical.includes(rule)))))
  // One that others stand in is a page's or a column's border.
  return frames.filter((frame) => !frames.some((other) => other !== frame && other.left >= frame.left - reach && other.right <= frame.right + reach && other.top >= frame.top - reach && other.bottom <= frame.bottom + reach && frame.vertical.length <= 4))
}

/** Lines between columns alone, three at least, beside each other; one under a text over several columns is shorter. */
function columnFrames (vertical: readonly Rule[]): Frame[] {
  const groups: Rule[][] = []
  for (const rule of vertical) {
    const group = groups.find((known) => known.some(({ from, to }) => Math.min(to, rule.to) - Math.max(from, rule.from) > asTall * Math.max(to - from, rule.to - rule.from)))
    if (group === undefined) groups.push([rule])
    else group.push(rule)
  }
  return groups.filter(({ length }) => length > 2).map((group) => ({
    vertical: group, horizontal: [], top: Math.min(...group.map(({ from }) => from)), bottom: Math.max(...group.map(({ to }) => to)), left: Math.min(...group.map(({ at }) => at)), right: Math.max(...group.map(({ at }) => at))
  }))
}

/** Nothing is drawn around some tables, only between their cells: their sides are where the lines between rows end. */
function withOpenSides (group: Frame): Frame {
  const [first, last] = [Math.min(...group.vertical.map(({ at }) => at)), Math.max(...group.vertical.map(({ at }) => at))]
  const [from, to] = [Math.min(...group.vertical.map((rule) => rule.from)), Math.max(...group.vertical.map((rule) => rule.to))]
  const left = group.horizontal.map((rule) => rule.from).filter(isShared).filter((end) => end < first - 2 * reach)
  const right = group.horizontal.map((rule) => rule.to).filter(isShared).filter((end) => end > last + 2 * reach)
  const open = [...left.length > 0 ? [Math.min(...left)] : [], ...right.length > 0 ? [Math.max(...right)] : []]
  return open.length === 0 ? group : { ...group, vertical: [...group.vertical, ...open.map((at) => ({ at, from, to }))] }
}

const isShared = (end: number, index: number, ends: readonly number[]): boolean => ends.some((other, at) => at !== index && Math.abs(other - end) <= reach)

/** From the first line between rows to the last, and a row beyond each where the lines between columns go on so far. */
function heightOf ({ horizontal, vertical }: Frame): { top: number, bottom: number } {
  const lines = horizontal.map(({ at }) => at).toSorted((one, other) => one - other)
  const [first = 0, last = 0] = [lines[0], lines.at(-1)]
  const tallest = Math.max(...lines.slice(1).map((at, index) => at - (lines[index] ?? at)))
  const [from, to] = [Math.min(...vertical.map((rule) => rule.from)), Math.max(...vertical.map((rule) => rule.to))]
  return { top: first - from < aRowMore * tallest ? Math.min(first, from) : first, bottom: to - last < aRowMore * tallest ? Math.max(last, to) : last }
}

const centre = ({ left, right }: Piece): number => (left + right) / 2
const holds = (frame: Frame, piece: Piece): boolean => {
  const y = piece.baseline - 0.3 * piece.size
  return frame.left - 1 <= centre(piece) && centre(piece) <= frame.right + 1 && frame.top - 1 <= y && y <= frame.bottom + 1
}

export function partPage (lines: readonly Line[], geometry: PageGeometry): Part[] {
  const frames = framesOf(geometry)
  const split = lines.map((line) => ({ ...line, pieces: line.pieces.flatMap((piece) => splitAtWalls(piece, frames.flatMap(({ vertical }) => vertical))) }))
  const only = (keeps: (piece: Piece) => boolean): Line[] => split.map((line) => withPieces(line, line.pieces.filter(keeps))).filter(({ pieces }) => pieces.length > 0)
  const framed = frames.map((frame): Part => ({ frame, lines: only((piece) => holds(frame, piece)) }))
    .filter(({ lines: own }) => own.some(({ pieces }) => pieces.length > 1) && own.length > 1)
    .filter((part) => !isHeadOnly(part, split) && !isWithinTable(part, split))
  const rest = only((piece) => !framed.some(({ frame }) => frame !== null && holds(frame, piece)))
  return ordered(framed, rest, geometry.horizontal)
}

interface Strip { top: number, size: number, line: Line | null, frames: Part[], inked: Array<{ left: number, right: number }> }

function ordered (framed: readonly Part[], lines: readonly Line[], rules: readonly Rule[]): Part[] {
  const strips = stripsOf(framed, lines)
  const found = strips.length <= maxStrips ? gutterIn(strips, rules) : null
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
function headOf (above: readonly Line[], { lines: [first], frame }: Part): Line[] {
  if (first === undefined || frame === null || !first.pieces.some((piece) => isValue(textOf(piece)))) return []
  const head: Line[] = []
  const isInOneColumn = ({ left, right }: Piece): boolean => left >= frame.left - 1 && right <= frame.right + 1 && !frame.vertical.some(({ at }) => at > left + 2 && at < right - 2)
  for (const line of above.toReversed()) {
    const next = head[0]
    const isNear = next === undefined ? frame.top - line.baseline < 2 * line.size : next.baseline - line.baseline < 1.45 * line.size
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

function stripsOf (framed: readonly Part[], lines: readonly Line[]): Strip[] {
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

interface Gap { left: number, right: number }
interface Gutter { first: number, last: number, at: number, isText: boolean }

/** Strips beside a text that runs on, at least. */
const leastText = 3

/** The longest run of strips that a gutter goes through; one beside a text before those between tables. */
function gutterIn (strips: readonly Strip[], rules: readonly Rule[]): Gutter | null {
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
