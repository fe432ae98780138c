/** What is drawn on a page, as the PDF says it: points in the page's own space, y upwards; later ink lies over earlier. */
export interface Box { left: number, bottom: number, right: number, top: number }

export interface InkGlyph {
  text: string
  /** Where it stands on its baseline. */
  x: number
  y: number
  /** Its advance wide, and as high as its font. */
  box: Box
  /** Of its reading direction, in degrees against the clock. */
  angle: number
  size: number
  /** The text object that it is part of: what was written in one go. */
  run: number
  /** Rises with what is drawn later. */
  depth: number
  colour: Colour
  isPainted: boolean
}

/** 0 to 255 each. */
export interface Colour { red: number, green: number, blue: number, alpha: number }

export interface InkLine { x1: number, y1: number, x2: number, y2: number }

/** An area of one colour; null: a picture or a pattern, which may have any. `hole`: what is left out of its middle, as of a border that is drawn as an area. */
export interface InkArea {
  box: Box
  hole: Box | null
  colour: Colour | null
  depth: number
  isRectangle: boolean
  /** Only parts of it are seen, which may be anywhere within. */
  isClipped: boolean
}

export interface PageInk {
  /** What a viewer shows of the page. */
  visible: Box
  glyphs: InkGlyph[]
  lines: InkLine[]
  areas: InkArea[]
}
