/** Reads a page's ink from PDFium. Bounded: a page with more objects or characters than any chart has is not looked at. */
import type { Pdfium } from './pdfium.js'
import type { Box, Colour, InkArea, InkGlyph, PageInk } from './page-ink.js'

/** Objects, those in forms counted again for each time that they are drawn; and parts of their paths. */
export const maxObjects = 60_000
/** A chart has at most 50,000 in all; blanks, and what is drawn twice, come on top. */
export const maxCharacters = 150_000
const maxDepthOfForms = 12

export class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex'
}

type Matrix = readonly [number, number, number, number, number, number]
interface Point { x: number, y: number }

const objectTypes = { text: 1, path: 2, image: 3, shading: 4, form: 5 }
/** Filling, stroking or both; 3 draws nothing, from 4 on it also clips. */
const painted = (mode: number): boolean => mode !== 3 && mode !== 7
/** How far out of true a line or an edge may be, in points. */
const slack = 0.7

export function readPage (pdfium: Pdfium, page: number): PageInk {
  const { malloc, free } = pdfium.pdfium.wasmExports
  const scratch = malloc(64)
  try {
    return readInk(pdfium, page, scratch)
  } finally {
    free(scratch)
  }
}

function readInk (pdfium: Pdfium, page: number, scratch: number): PageInk {
  const float = (index: number): number => pdfium.pdfium.HEAPF32[(scratch >> 2) + index] ?? 0
  const whole = (index: number): number => pdfium.pdfium.HEAP32[(scratch >> 2) + index] ?? 0
  const double = (index: number): number => pdfium.pdfium.HEAPF64[(scratch >> 3) + index] ?? 0
  const at = (index: number): number => scratch + 4 * index
  const floats = (count: number): number[] => Array.from({ length: count }, (_, index) => float(index))
  const colourOf = (isKnown: boolean): Colour => isKnown ? { red: whole(0), green: whole(1), blue: whole(2), alpha: whole(3) } : { red: 0, green: 0, blue: 0, alpha: 255 }

  const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.FPDF_GetPageBoundingBox(page, scratch) ? floats(4) : [-Infinity, Infinity, Infinity, -Infinity]
  const ink: PageInk = { visible: { left, top, right, bottom }, glyphs: [], lines: [], areas: [] }
  const depths = new Map<number, number>()
  let depth = 0

  const count = (objects: number): void => {
    if (objects > maxObjects - depth) throw new PageTooComplex()
  }
  const walk = (objects: number, objectAt: (index: number) => number, outer: Matrix, level: number): void => {
    count(objects)
    for (let index = 0; index < objects; index++) {
      const object = objectAt(index)
      const type = pdfium.FPDFPageObj_GetType(object)
      const matrix = pdfium.FPDFPageObj_GetMatrix(object, scratch) ? times(floats(6) as unknown as Matrix, outer) : outer
      count(1)
      depth += 1
      if (type === objectTypes.text) depths.set(object, depth)
      else if (type === objectTypes.path) readPath(object, matrix)
      else if (type === objectTypes.image) {
        ink.areas.push({ box: boxOf([[0, 0], [1, 0], [0, 1], [1, 1]].map(([x = 0, y = 0]) => moved({ x, y }, matrix))), hole: null, colour: null, depth, isRectangle: false, isClipped: false })
      } else if (type === objectTypes.form && level < maxDepthOfForms) {
        walk(pdfium.FPDFFormObj_CountObjects(object), (inner) => pdfium.FPDFFormObj_GetObject(object, inner), matrix, level + 1)
      }
    }
  }

  const readPath = (path: number, matrix: Matrix): void => {
    if (!pdfium.FPDFPath_GetDrawMode(path, at(0), at(1))) return
    const [isFilled, isStroked] = [whole(0) !== 0, whole(1) !== 0]
    if (!isFilled && !isStroked) return
    const isAlternate = whole(0) === 1
    const fill = pdfium.FPDFPageObj_GetFillColor(path, at(0), at(1), at(2), at(3)) ? colourOf(true) : null
    const own = depth
    const clips = isFilled ? clipsOf(path) : []
    let before: { area: InkArea, turn: number } | null = null
    for (const { points, isStraight } of subpaths(path, matrix)) {
      const edges = points.slice(1).map((end, index) => ({ start: points[index] ?? end, end }))
      const box = boxOf(points)
      const isClipped = clips.some((clip) => clip === null || !contains(clip, box))
      const area: InkArea = { box, hole: null, colour: fill, depth: own, isRectangle: isStraight && edges.every(isAlongAnAxis), isClipped }
      const turn = Math.sign(turnOf(points))
      const isPair = before !== null && before.area.hole === null && (isAlternate || turn !== before.turn)
      // One of the two is cut out of the other.
      if (before !== null && isPair && contains(before.area.box, area.box)) before.area.hole = area.box
      else if (isFilled && fill?.alpha !== 0) {
        if (before !== null && isPair && contains(area.box, before.area.box)) area.hole = ink.areas.pop()?.box ?? null
        ink.areas.push(area)
        before = { area, turn }
      }
      if (!isStroked) continue
      for (const edge of edges) if (isAlongAnAxis(edge)) ink.lines.push({ x1: edge.start.x, y1: edge.start.y, x2: edge.end.x, y2: edge.end.y })
    }
  }

  /** What a path is cut to; null: to something else than one rectangle. */
  const clipsOf = (path: number): Array<Box | null> => {
    const clip = pdfium.FPDFPageObj_GetClipPath(path)
    const clips = clip === 0 ? 0 : Math.max(0, pdfium.FPDFClipPath_CountPaths(clip))
    count(clips)
    return Array.from({ length: clips }, (_, index) => {
      const segments = pdfium.FPDFClipPath_CountPathSegments(clip, index)
      if (segments < 1 || segments > 5) return null
      const { left, right, top, bottom } = boxOf(Array.from({ length: segments }, (_, segment) => {
        pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFClipPath_GetPathSegment(clip, index, segment), at(0), at(1))
        return { x: float(0), y: float(1) }
      }))
      return { left: left - slack, right: right + slack, top: top + slack, bottom: bottom - slack }
    })
  }

  const subpaths = (path: number, matrix: Matrix): Array<{ points: Point[], isStraight: boolean }> => {
    const segments = pdfium.FPDFPath_CountSegments(path)
    count(segments)
    depth += segments
    const all: Array<{ points: Point[], isStraight: boolean }> = []
    for (let index = 0; index < segments; index++) {
      const segment = pdfium.FPDFPath_GetPathSegment(path, index)
      pdfium.FPDFPathSegment_GetPoint(segment, at(0), at(1))
      const point = moved({ x: float(0), y: float(1) }, matrix)
      const type = pdfium.FPDFPathSegment_GetType(segment)
      if (type === 2) all.push({ points: [point], isStraight: true })
      const current = all.at(-1)
      if (current === undefined) continue
      if (type !== 2) current.points.push(point)
      if (type === 1) current.isStraight = false
      const [first] = current.points
      if (pdfium.FPDFPathSegment_GetClose(segment) && first !== undefined) current.points.push(first)
    }
    return all.filter(({ points }) => points.length > 1)
  }

  walk(pdfium.FPDFPage_CountObjects(page), (index) => pdfium.FPDFPage_GetObject(page, index), [1, 0, 0, 1, 0, 0], 0)

  const textPage = pdfium.FPDFText_LoadPage(page)
  try {
    const characters = pdfium.FPDFText_CountChars(textPage)
    if (characters > maxCharacters) throw new PageTooComplex()
    for (let index = 0; index < characters; index++) {
      const glyph = readGlyph(textPage, index)
      if (glyph !== null) ink.glyphs.push(glyph)
    }
  } finally {
    pdfium.FPDFText_ClosePage(textPage)
  }
  return ink

  function readGlyph (textPage: number, index: number): InkGlyph | null {
    const code = pdfium.FPDFText_GetUnicode(textPage, index)
    const run = pdfium.FPDFText_GetTextObject(textPage, index)
    // A blank or a line's end that the library has made up.
    if (run === 0 || pdfium.FPDFText_IsGenerated(textPage, index) === 1 || !pdfium.FPDFText_GetCharOrigin(textPage, index, at(0), at(2))) return null
    const [x, y] = [double(0), double(1)]
    pdfium.FPDFText_GetLooseCharBox(textPage, index, scratch)
    const [left = x, top = y, right = x, bottom = y] = floats(4)
    pdfium.FPDFText_GetMatrix(textPage, index, scratch)
    const [a = 1, b = 0, c = 0, d = 1] = floats(4)
    const size = pdfium.FPDFText_GetFontSize(textPage, index) * Math.hypot(c, d)
    const colour = colourOf(pdfium.FPDFText_GetFillColor(textPage, index, at(0), at(1), at(2), at(3)))
    return {
      // The library's sign for a hyphen at the end of a line.
      text: code === 2 ? '-' : code > 0x10FFFF ? '\ufffd' : String.fromCodePoint(code),
      x, y, box: { left, bottom, right, top }, angle: Math.atan2(b, a) * 180 / Math.PI, size, run, depth: depths.get(run) ?? 0, colour,
      isPainted: painted(pdfium.FPDFTextObj_GetTextRenderMode(run))
    }
  }
}

const isAlongAnAxis = ({ start, end }: { start: Point, end: Point }): boolean => Math.abs(start.x - end.x) < slack || Math.abs(start.y - end.y) < slack

const moved = ({ x, y }: Point, [a, b, c, d, e, f]: Matrix): Point => ({ x: a * x + c * y + e, y: b * x + d * y + f })

const times = ([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix =>
  [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F]

const contains = (outer: Box, inner: Box): boolean => inner.left >= outer.left && inner.right <= outer.right && inner.bottom >= outer.bottom && inner.top <= outer.top

/** Twice the area that the points go around, negative when they go with the clock. */
const turnOf = (points: readonly Point[]): number => points.reduce((sum, { x, y }, index) => {
  const before = points.at(index - 1) ?? { x, y }
  return sum + before.x * y - x * before.y
}, 0)

function boxOf (points: readonly Point[]): Box {
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity }
  for (const { x, y } of points) {
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.bottom = Math.min(box.bottom, y)
    box.top = Math.max(box.top, y)
  }
  return box
}
