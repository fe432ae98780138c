/** What lines are drawn around on a page: frames, each of which may hold a table. */
import type { PageGeometry, Rule } from './page-geometry.js'
import type { Line, Piece } from './text-lines.js'

export interface Frame { left: number, right: number, top: number, bottom: number, horizontal: Rule[], vertical: Rule[] }

/** Of a page. `frame`: lines are drawn around these. */
export interface Part { lines: Line[], frame: Frame | null }

/** How far lines that touch may be apart, in points. */
export const reach = 4
/** Of the tallest row: a head may have several lines. */
const aRowMore = 5
/** Lines between the columns of one table, in parts of the taller one's height. */
const asTall = 0.7

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
  frames.push(...columnFrames(vertical.filter((rule) => !frames.some((frame) => frame.vertical.includes(rule)))))
  // One that others stand in is a page's or a column's border.
  return frames.filter((frame) => !frames.some((other) => other !== frame && other.left >= frame.left - reach && other.right <= frame.right + reach && other.top >= frame.top - reach && other.bottom <= frame.bottom + reach && frame.vertical.length <= 4))
}

/** Lines between columns alone, beside each other; one under a text over several columns is shorter. */
function columnFrames (vertical: readonly Rule[]): Frame[] {
  const groups: Rule[][] = []
  for (const rule of vertical) {
    const group = groups.find((known) => known.some(({ from, to }) => Math.min(to, rule.to) - Math.max(from, rule.from) > asTall * Math.max(to - from, rule.to - rule.from)))
    if (group === undefined) groups.push([rule])
    else group.push(rule)
  }
  return groups.filter(({ length }) => length > 1).map((group) => ({
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

export const centre = ({ left, right }: Piece): number => (left + right) / 2

export function holds (frame: Frame, piece: Piece): boolean {
  const y = piece.baseline - 0.3 * piece.size
  return frame.left - 1 <= centre(piece) && centre(piece) <= frame.right + 1 && frame.top - 1 <= y && y <= frame.bottom + 1
}
