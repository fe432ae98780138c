/**
 * A page as it is read: turned upright by the direction that most of its text has, without what nobody sees. Points, y downwards.
 */
import type { Box, Colour, InkArea, InkGlyph, InkLine, PageInk } from './page-ink.js'

/** A character with the marks that stand on it. */
export interface Glyph {
  text: string
  left: number
  right: number
  baseline: number
  size: number
  run: number
  /** The later it was written, the higher. */
  order: number
}

/** A horizontal or vertical line, drawn or the edge of an area: where it is, and from where to where it goes. */
export interface Rule { at: number, from: number, to: number }

/** Text across the others' direction: a word of a head that was turned, or a watermark. */
export interface TurnedText { text: string, left: number, right: number, top: number, bottom: number, isUpright: boolean }

export interface PageGeometry {
  /** In the order in which it was written. */
  glyphs: Glyph[]
  turned: TurnedText[]
  horizontal: Rule[]
  vertical: Rule[]
  /** Whether a text goes on outside of what is shown, or much is hidden by what is drawn over or under it: what is read may not be what is meant. */
  isCut: boolean
}

/** Angles that still are upright or across. */
const slantDegrees = 8
/** Lines this near are one: the two edges of a thick one, the borders of two neighbours. */
const ruleTolerance = 3
/** Shorter ones are ticks, dashes and parts of letters. */
const minRuleLength = 5
/** Of a colour's parts. Less is not seen. */
const minContrast = 24
/** Of the font's size: how far a character is drawn beside itself to look bold. */
const boldOffset = 0.12

export function geometryOf (ink: PageInk): PageGeometry {
  const visible = visibleGlyphs(ink)
  const seen = withoutDoubles(named(visible))
  const quarter = commonQuarter(seen)
  const straight = seen.filter(({ angle }) => offBy(angle, 90 * quarter) <= slantDegrees)
  const others = seen.filter(({ angle }) => offBy(angle, 90 * quarter) > slantDegrees)
  const edges = seenAreas(ink.areas).filter(({ isRectangle }) => isRectangle).flatMap(({ box: { left, bottom, right, top } }) => [
    { x1: left, y1: bottom, x2: right, y2: bottom }, { x1: left, y1: top, x2: right, y2: top }, { x1: left, y1: bottom, x2: left, y2: top }, { x1: right, y1: bottom, x2: right, y2: top }
  ])
  const [drawn, edged] = [rulesOf(ink.lines, quarter), rulesOf(edges, quarter)]
  return {
    glyphs: withMarks(straight, quarter),
    turned: turnedTexts(others, quarter),
    horizontal: withEdges(drawn.horizontal, edged.horizontal),
    vertical: withEdges(drawn.vertical, edged.vertical),
    isCut: isCut(ink, visible)
  }
}

function rulesOf (lines: readonly InkLine[], quarter: number): { horizontal: Rule[], vertical: Rule[] } {
  const boxes = lines.map(({ x1, y1, x2, y2 }) => turnedBox({ left: Math.min(x1, x2), right: Math.max(x1, x2), bottom: Math.min(y1, y2), top: Math.max(y1, y2) }, quarter))
  return {
    horizontal: mergedRules(boxes.filter((box) => box.right - box.left >= box.bottom - box.top).map(({ left, right, top, bottom }) => ({ at: (top + bottom) / 2, from: left, to: right }))),
    vertical: mergedRules(boxes.filter((box) => box.right - box.left < box.bottom - box.top).map(({ left, right, top, bottom }) => ({ at: (left + right) / 2, from: top, to: bottom })))
  }
}

/** Where a line is drawn along a part of an area's edge, the rest of the edge parts nothing: a cell goes over it. */
function withEdges (drawn: readonly Rule[], edges: readonly Rule[]): Rule[] {
  const isMeant = ({ at, from, to }: Rule): boolean => drawn.some((line) => Math.abs(line.at - at) <= ruleTolerance && line.from < to && line.to > from)
  return mergedRules([...drawn, ...edges.filter((edge) => !isMeant(edge))])
}

/** In degrees, from 0 to 180. */
function offBy (angle: number, from: number): number {
  const off = Math.abs(angle - from) % 360
  return Math.min(off, 360 - off)
}

function visibleGlyphs ({ glyphs, areas, visible }: PageInk): InkGlyph[] {
  const under = areasByTile(areas)
  return glyphs.filter((glyph) => {
    const { box, depth, colour, isPainted, text } = glyph
    const [x, y] = [(box.left + box.right) / 2, (box.bottom + box.top) / 2]
    if (!lies(x, y, visible)) return false
    if (/^\s$/.test(text) && !unnamed.test(text)) return true
    if (!isPainted || colour.alpha < minContrast) return false
    let ground: Colour | null = white
    for (const area of under(x, y)) {
      if (!lies(x, y, area.box) || (area.hole !== null && lies(x, y, area.hole))) continue
      if (area.colour !== null && area.colour.alpha < 255) continue
      if (area.isClipped) ground = null
      else if (area.depth > depth) return false
      else ground = area.colour
    }
    return ground === null || Math.max(Math.abs(ground.red - colour.red), Math.abs(ground.green - colour.green), Math.abs(ground.blue - colour.blue)) >= minContrast
  })
}

/** Nobody sees the edges of what is drawn within an area of the same colour: the ground of words on that of their row. */
function seenAreas (areas: readonly InkArea[]): InkArea[] {
  const under = areasByTile(areas)
  return areas.filter(({ box, colour, depth }) => {
    const ground = under((box.left + box.right) / 2, (box.bottom + box.top) / 2).findLast((area) => area.depth < depth && lies((box.left + box.right) / 2, (box.bottom + box.top) / 2, area.box))
    return !(ground !== undefined && colour !== null && ground.hole === null && isSameColour(ground.colour, colour) && colour.alpha === 255 && isWithin(box, ground.box))
  })
}

const isSameColour = (one: Colour | null, other: Colour): boolean => one !== null && one.red === other.red && one.green === other.green && one.blue === other.blue && one.alpha === other.alpha

const isWithin = (inner: Box, outer: Box): boolean => inner.left >= outer.left && inner.right <= outer.right && inner.bottom >= outer.bottom && inner.top <= outer.top

/** Of the characters that are painted. */
const mostHidden = 0.15
/** Lines that go on beside the page: a column is missing. */
const cutRows = 3

function isCut ({ glyphs, visible }: PageInk, seen: readonly InkGlyph[]): boolean {
  const painted = glyphs.filter(({ isPainted, text }) => isPainted && !/^\s$/.test(text))
  const isShown = ({ box }: InkGlyph): boolean => lies((box.left + box.right) / 2, (box.bottom + box.top) / 2, visible)
  const outside = new Set(painted.filter((glyph) => !isShown(glyph)).map(({ run }) => run))
  const kept = new Set(seen)
  const beside = new Set(painted.filter(({ box }) => isBeside(box, visible)).map(({ y }) => Math.round(y)))
  const rows = new Set(seen.filter(({ text, y }) => !/^\s$/.test(text) && beside.has(Math.round(y))).map(({ y }) => Math.round(y)))
  if (rows.size >= cutRows) return true
  const shown = painted.filter(isShown)
  return shown.some((glyph) => kept.has(glyph) && outside.has(glyph.run)) || shown.filter((glyph) => !kept.has(glyph)).length > mostHidden * shown.length
}

/** To the left or right of what is shown. */
const isBeside = ({ left, right, bottom, top }: Box, visible: Box): boolean => (left >= visible.right || right <= visible.left) && bottom >= visible.bottom && top <= visible.top

const lies = (x: number, y: number, { left, right, bottom, top }: Box): boolean => x >= left && x <= right && y >= bottom && y <= top

const white: Colour = { red: 255, green: 255, blue: 255, alpha: 255 }
const tile = 64

/** Finds the areas that may lie at a point, earlier ones first. */
function areasByTile (areas: readonly InkArea[]): (x: number, y: number) => readonly InkArea[] {
  const tiles = new Map<string, InkArea[]>()
  const everywhere: InkArea[] = []
  for (const area of areas) {
    const { left, bottom, right, top } = area.box
    if (!((right - left) * (top - bottom) < 100 * tile * tile)) {
      everywhere.push(area)
      continue
    }
    for (let column = Math.floor(left / tile); column <= Math.floor(right / tile); column++) {
      for (let row = Math.floor(bottom / tile); row <= Math.floor(top / tile); row++) {
        const key = `${column} ${row}`
        append(tiles, key, area)
      }
    }
  }
  return (x, y) => {
    const near = tiles.get(`${Math.floor(x / tile)} ${Math.floor(y / tile)}`) ?? []
    return everywhere.length === 0 ? near : [...everywhere, ...near].sort((one, other) => one.depth - other.depth)
  }
}

/** Controls and characters that no standard names: what a font draws without saying what it is. */
export const unnamed = /^[\p{Cc}\p{Co}\p{Cn}\ufffd]$/u

/** Characters by which dots may be written before or after their letter. */
const near = 40

/** Some programs draw a letter and its dots each by itself, and name the dots only: the letter then is what they say. */
function named (glyphs: readonly InkGlyph[]): InkGlyph[] {
  const bare = glyphs.filter(({ text }) => unnamed.test(text))
  if (bare.length === 0) return [...glyphs]
  const taken = new Set<InkGlyph>()
  const places = new Map(glyphs.map((glyph, index) => [glyph, index]))
  const names = new Map(bare.map((glyph) => {
    const index = places.get(glyph) ?? 0
    const name = glyphs.slice(Math.max(0, index - near), index + near).find((other) => other !== glyph && !taken.has(other) && /^\p{L}$/u.test(other.text) && Math.abs(other.y - glyph.y) < 0.5 * glyph.size &&
      (other.box.left + other.box.right) / 2 > glyph.box.left && (other.box.left + other.box.right) / 2 < glyph.box.right && other.box.right - other.box.left < 0.8 * (glyph.box.right - glyph.box.left))
    if (name !== undefined) taken.add(name)
    return [glyph, name?.text]
  }))
  return glyphs.filter((glyph) => !taken.has(glyph)).map((glyph) => ({ ...glyph, text: names.get(glyph) ?? glyph.text }))
}

/** What is drawn twice, a little beside itself, is one character in bold. */
function withoutDoubles (glyphs: readonly InkGlyph[]): InkGlyph[] {
  const kept = new Map<string, InkGlyph[]>()
  return glyphs.filter((glyph) => {
    const { x, y, size, text, run } = glyph
    const reach = Math.max(boldOffset * size, 0.3)
    const cell = (value: number): number => Math.floor(value / 2)
    for (let column = cell(x - reach); column <= cell(x + reach); column++) {
      for (let row = cell(y - reach); row <= cell(y + reach); row++) {
        const twins = kept.get(`${text} ${column} ${row}`) ?? []
        if (twins.some((twin) => twin.run !== run && Math.abs(twin.x - x) <= reach && Math.abs(twin.y - y) <= reach && Math.abs(twin.size - size) < 0.1 * size)) return false
      }
    }
    const key = `${text} ${cell(x)} ${cell(y)}`
    append(kept, key, glyph)
    return true
  })
}

function append<Key, Value> (map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

/** The quarter turns, against the clock, of most characters. */
function commonQuarter (glyphs: readonly InkGlyph[]): number {
  const counts = [0, 0, 0, 0]
  for (const { angle, text } of glyphs) {
    if (/\s/.test(text)) continue
    const quarter = ((Math.round(angle / 90) % 4) + 4) % 4
    if (offBy(angle, 90 * quarter) <= slantDegrees) counts[quarter] = (counts[quarter] ?? 0) + 1
  }
  return counts.indexOf(Math.max(...counts))
}

/** A point so turned that text which runs at that many quarters runs to the right, and y downwards. */
function turnedPoint (x: number, y: number, quarter: number): [number, number] {
  if (quarter === 1) return [y, x]
  if (quarter === 2) return [-x, y]
  if (quarter === 3) return [-y, -x]
  return [x, -y]
}

function turnedBox ({ left, bottom, right, top }: Box, quarter: number): { left: number, right: number, top: number, bottom: number } {
  const [x1, y1] = turnedPoint(left, bottom, quarter)
  const [x2, y2] = turnedPoint(right, top, quarter)
  return { left: Math.min(x1, x2), right: Math.max(x1, x2), top: Math.min(y1, y2), bottom: Math.max(y1, y2) }
}

/** Marks belong to the character before them, and so do the later letters of a ligature, which the library tells apart. */
function withMarks (glyphs: readonly InkGlyph[], quarter: number): Glyph[] {
  const made: Glyph[] = []
  let before: InkGlyph | undefined
  for (const glyph of glyphs) {
    const { left, right } = turnedBox(glyph.box, quarter)
    const [, baseline] = turnedPoint(glyph.x, glyph.y, quarter)
    const last = made.at(-1)
    const isPart = before !== undefined && glyph.run === before.run &&
      (/^\p{M}$/u.test(glyph.text) || (Math.abs(glyph.x - before.x) < 0.01 && Math.abs(glyph.y - before.y) < 0.01))
    if (isPart && last !== undefined) last.text += glyph.text
    else made.push({ text: glyph.text, left, right, baseline, size: glyph.size, run: glyph.run, order: glyph.depth })
    before = glyph
  }
  return made
}

function turnedTexts (glyphs: readonly InkGlyph[], quarter: number): TurnedText[] {
  const runs = new Map<string, InkGlyph[]>()
  for (const glyph of glyphs) {
    // One after the other in the same direction and on the same line.
    const radians = glyph.angle * Math.PI / 180
    const across = glyph.x * Math.sin(radians) - glyph.y * Math.cos(radians)
    const key = `${Math.round(glyph.angle)} ${Math.round(across)}`
    append(runs, key, glyph)
  }
  return [...runs.values()].flatMap((run) => apart(run)).flatMap((run): TurnedText[] => {
    const text = run.map((glyph) => glyph.text).join('').replace(/\s+/g, ' ').trim()
    if (text === '') return []
    const boxes = run.map(({ box }) => turnedBox(box, quarter))
    const [angle = 0] = run.map((glyph) => glyph.angle)
    return [{
      text,
      left: Math.min(...boxes.map(({ left }) => left)),
      right: Math.max(...boxes.map(({ right }) => right)),
      top: Math.min(...boxes.map(({ top }) => top)),
      bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
      isUpright: offBy(angle, 90 * Math.round(angle / 90)) <= slantDegrees
    }]
  })
}

/** Where there is more than a wide blank between two characters, there are two texts. */
function apart (run: readonly InkGlyph[]): InkGlyph[][] {
  const texts: InkGlyph[][] = []
  let end = { x: NaN, y: NaN }
  for (const glyph of run) {
    const { x, y, box, size } = glyph
    const last = texts.at(-1)
    if (last !== undefined && Math.hypot(x - end.x, y - end.y) < 1.6 * size) last.push(glyph)
    else texts.push([glyph])
    end = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2 }
  }
  return texts
}

/** Collinear ones that touch become one; those side by side too, at their middle. */
export function mergedRules (rules: readonly Rule[]): Rule[] {
  const merged: Rule[] = []
  const sorted = rules.filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to)).toSorted((one, other) => one.at - other.at)
  for (let start = 0; start < sorted.length;) {
    const first = sorted[start]?.at ?? 0
    let end = start
    while (end < sorted.length && (sorted[end]?.at ?? Infinity) - first <= ruleTolerance) end++
    const near = sorted.slice(start, end)
    const at = ((near[0]?.at ?? 0) + (near.at(-1)?.at ?? 0)) / 2
    let current: Rule | null = null
    for (const { from, to } of near.toSorted((one, other) => one.from - other.from)) {
      if (current !== null && from <= current.to + ruleTolerance) current.to = Math.max(current.to, to)
      else merged.push(current = { at, from, to })
    }
    start = end
  }
  return merged.filter(({ from, to }) => to - from >= minRuleLength)
}
