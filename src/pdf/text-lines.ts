/**
 * Characters become lines by their baselines, and lines fall into pieces: text that is one cell's for certain. Whether two texts that
 * were written apart, and stand as near as two words do, belong together depends on the program that wrote them: most write a cell in one go,
 * some each word or letter by itself. So that is found out from the whole page, and may be tried the other way.
 */
import type { Glyph } from './page-geometry.js'
import { logicalOrder } from './logical-order.js'
import { baselineOf, raised, raisedSigns, sizeOf } from './raised-signs.js'

export interface Word { text: string, left: number, right: number }

export interface Piece {
  words: Word[]
  left: number
  right: number
  baseline: number
  size: number
  /** The later it was written, the higher. */
  order: number
}

export interface Line {
  baseline: number
  size: number
  pieces: Piece[]
}

/** All of these are parts of the font's size. */
const sameLine = 0.3
/** They come by their baselines, so that a line's others are among the last. */
const nearLines = 6
/** Of neighbours in one word; nearer ones are in one however they were written, but for two numbers. */
const touching = { most: 0.1, certainly: 0.05, kerned: 0.16 }
/** Between two characters that were written in one go, without a blank. */
const widest = { inWord: 0.2, blank: 0.6 }
/** Beyond what its blanks take. */
const wideExcess = 0.35
/** By so much, of the font's size, two texts lie over each other. */
const covering = 0.35
/** Blanks in a row that are no mere space between words. */
const manyBlanks = 0.9
/** As many blanks of one width in a line are chance in no table. */
const leastStretched = 4
/** Between the longest and the shortest word of such a line, in parts of the font's size. */
const leastDifferent = 1.5

type Gap = 'none' | 'blank' | 'apart' | 'wide'

/** `after`: where what is before it ends. */
interface Step { glyph: Glyph, gap: Gap, width: number, spaces: number, after: number, isBetweenNumbers: boolean }

export interface LineReading {
  /** As the page's own way of writing suggests. */
  asWritten: Line[]
  /** The other way. */
  otherwise: Line[]
}

export function readLines (glyphs: readonly Glyph[]): LineReading {
  const tracking = trackingOf(glyphs)
  const lines = glyphLines(glyphs).map((line) => steps(line, tracking))
  const joins = writesWordsApart(lines.flat())
  const read = (joinsApart: boolean): Line[] => lines.map((line) => lineOf(line, joinsApart)).filter(({ pieces }) => pieces.length > 0)
  return { asWritten: read(joins), otherwise: read(!joins) }
}

const isBlank = ({ text }: Glyph): boolean => /^\s+$/.test(text)

/** What runs of characters that were written together stand on one line; smaller ones that are raised or lowered, beside theirs. */
function glyphLines (glyphs: readonly Glyph[]): Glyph[][] {
  const runs: Glyph[][] = []
  for (const glyph of glyphs) {
    const last = runs.at(-1)
    const previous = last?.at(-1)
    if (last !== undefined && previous !== undefined && previous.run === glyph.run && Math.abs(previous.baseline - glyph.baseline) < 0.05 * glyph.size && Math.abs(previous.size - glyph.size) < 0.05 * glyph.size) last.push(glyph)
    else runs.push([glyph])
  }
  const lines: Array<{ baseline: number, size: number, glyphs: Glyph[] }> = []
  const inked = runs.filter((run) => !run.every(isBlank)).toSorted((one, other) => baselineOf(one) - baselineOf(other))
  const signs = raisedSigns(inked)
  for (const run of inked) {
    if (signs.has(run)) continue
    const [baseline, size] = [baselineOf(run), sizeOf(run)]
    const line = lines.slice(-nearLines).findLast((known) => {
      const [small, large] = [Math.min(known.size, size), Math.max(known.size, size)]
      return Math.abs(known.baseline - baseline) <= (small < raised.size * large ? raised.by : sameLine) * small
    })
    if (line === undefined) lines.push({ baseline, size, glyphs: [...run] })
    else {
      line.glyphs.push(...run)
      if (size > line.size) Object.assign(line, { baseline, size })
    }
  }
  const lineOfRun = new Map(lines.flatMap((line) => line.glyphs.map((glyph) => [glyph, line])))
  for (const [sign, host] of signs) {
    const line = host[0] === undefined ? undefined : lineOfRun.get(host[0])
    if (line !== undefined) line.glyphs.push(...sign.map((glyph) => ({ ...glyph, text: raisedText(glyph, { baseline: glyph.baseline }, line) })))
  }
  return withRaised(lines).map(inReadingOrder)
}

/** Texts that were too wide for their cells lie over the next ones': one after the other. */
function inReadingOrder (line: readonly Glyph[]): Glyph[] {
  const sorted = line.toSorted((one, other) => one.left - other.left)
  const ends = coveredUntil(sorted)
  const place = (glyph: Glyph): number => Math.max(glyph.left, ends.get(glyph.run) ?? -Infinity)
  return ends.size === 0 ? sorted : sorted.sort((one, other) => place(one) - place(other))
}

/** Of runs that begin before another has ended, and end after it: where it ends. */
function coveredUntil (line: readonly Glyph[]): Map<number, number> {
  const runs = new Map<number, { left: number, right: number, size: number, glyphs: number }>()
  for (const glyph of line) {
    if (isBlank(glyph)) continue
    const known = runs.get(glyph.run)
    if (known === undefined) runs.set(glyph.run, { left: glyph.left, right: glyph.right, size: glyph.size, glyphs: 1 })
    else Object.assign(known, { left: Math.min(known.left, glyph.left), right: Math.max(known.right, glyph.right), glyphs: known.glyphs + 1 })
  }
  const ends = new Map<number, number>()
  let before: { left: number, right: number } | undefined
  for (const [run, { left, right, size, glyphs }] of runs) {
    if (glyphs < 2) continue
    if (before !== undefined && before.right - left > covering * size && right > before.right && left > before.left) ends.set(run, before.right)
    if (before === undefined || right > before.right) before = { left, right }
  }
  return ends
}

/** Indices, and the halves of fractions that are built of small digits. */
function withRaised (lines: ReadonlyArray<{ baseline: number, size: number, glyphs: Glyph[] }>): Glyph[][] {
  const kept = new Map(lines.map((line) => [line, [...line.glyphs]]))
  lines.forEach((line, index) => {
    const hosts = lines.slice(Math.max(0, index - 3), index + 4).filter((host) => host !== line && host.size * raised.size >= line.size && Math.abs(host.baseline - line.baseline) < 0.6 * host.size)
    const isHosted = (glyph: Glyph, host: Glyph): boolean => glyph.left - host.right < 0.4 * host.size && host.left - glyph.right < 0.1 * host.size
    const host = hosts.find((known) => line.glyphs.filter((glyph) => !isBlank(glyph)).every((glyph) =>
      known.glyphs.some((other) => !isBlank(other) && isHosted(glyph, other)) || line.glyphs.some((other) => other !== glyph && Math.abs(other.left - glyph.left) < line.size)))
    if (host === undefined) return
    kept.get(host)?.push(...line.glyphs.map((glyph) => ({ ...glyph, text: raisedText(glyph, line, host) })))
    kept.delete(line)
  })
  return [...kept.values()]
}

const raisedDigits = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** 38 with a small 1 above is not 381. */
function raisedText ({ text, left, size }: Glyph, line: { baseline: number }, host: { baseline: number, glyphs: readonly Glyph[] }): string {
  if (!/^\d$/.test(text)) return text
  const inFraction = host.glyphs.some((other) => /^[/⁄]$/.test(other.text) && other.left > left && other.left - left < 2.2 * size)
  const before = host.glyphs.filter((other) => !isBlank(other) && other.left < left && left - other.left < 2 * other.size).toSorted((one, other) => one.left - other.left).at(-1)
  if (line.baseline < host.baseline && !inFraction && before !== undefined && /^[\d½¼¾"″”'′’]$/.test(before.text)) return raisedDigits[Number(text)] ?? text
  return text
}

/** The space that is added between letters, by the run that they were written in. */
function trackingOf (glyphs: readonly Glyph[]): Map<number, number> {
  const gaps = new Map<number, number[]>()
  glyphs.forEach((glyph, index) => {
    const next = glyphs[index + 1]
    if (next === undefined || next.run !== glyph.run || Math.abs(next.baseline - glyph.baseline) > 0.05 * glyph.size || isBlank(glyph) || isBlank(next)) return
    const gap = (next.left >= glyph.left ? next.left - glyph.right : glyph.left - next.right) / glyph.size
    const known = gaps.get(glyph.run)
    if (known === undefined) gaps.set(glyph.run, [gap])
    else known.push(gap)
  })
  const long = [...gaps.values()].filter((all) => all.length > 1).map((all) => Math.min(...all))
  const common = long.toSorted((one, other) => one - other)[Math.floor(long.length / 2)] ?? 0
  return new Map([...gaps].map(([run, all]) => [run, Math.max(0, all.length > 1 ? Math.min(...all) : Math.min(common, ...all))]))
}

/** What lies before each character of a line that has ink. */
function steps (line: readonly Glyph[], tracking: ReadonlyMap<number, number>): Step[] {
  const made: Step[] = []
  const ends = coveredUntil(line)
  let right = -Infinity
  let [blanks, spaces] = [0, 0]
  let last: Glyph | undefined
  for (const glyph of line) {
    if (isBlank(glyph)) {
      blanks += (glyph.right - glyph.left) / glyph.size
      spaces += 1
      continue
    }
    const size = last === undefined ? glyph.size : Math.max(last.size, glyph.size)
    const isOneRun = last?.run === glyph.run
    const width = (glyph.left - right) / size - (isOneRun ? tracking.get(glyph.run) ?? 0 : 0)
    const isBetweenNumbers = last !== undefined && /[\p{N}'"′″]$/u.test(last.text) && /^\p{N}/u.test(glyph.text)
    made.push({ glyph, width, spaces, after: right, isBetweenNumbers, gap: last === undefined || (!isOneRun && ends.has(glyph.run)) ? 'wide' : isAttached(last, glyph, width, blanks) ? 'none' : gapOf(width, blanks, isOneRun) })
    right = Math.max(right, glyph.right)
    blanks = 0
    spaces = 0
    last = glyph
  }
  return unstretched(made)
}

const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values)

/** A line of a text that goes from edge to edge: what is between its words, a blank or nothing, was made wider alike. Columns of words of different widths are not as far apart. */
function unstretched (line: readonly Step[]): Step[] {
  const gaps = new Map<number, Step[]>()
  line.forEach((step, index) => {
    if ((step.spaces > 0 || step.gap === 'wide') && line[index - 1]?.glyph.run === step.glyph.run) gaps.set(step.glyph.run, [...gaps.get(step.glyph.run) ?? [], step])
  })
  const isStretched = (steps: readonly Step[]): boolean => {
    const widths = steps.map(({ width }) => width)
    const words = steps.slice(1).map(({ after }, index) => (after - (steps[index]?.glyph.left ?? after)) / (steps[index]?.glyph.size ?? 1))
    return steps.length >= leastStretched && steps.every(({ spaces }) => spaces < 2) && spread(widths) < touching.certainly && spread(words) > leastDifferent
  }
  const stretched = new Set([...gaps.values()].filter(isStretched).flat())
  return line.map((step) => stretched.has(step) ? { ...step, gap: 'blank' } : step)
}

/** Signs, and letters of another font, that stand where the word goes on; a small letter may be moved under the one before it. */
const isAttached = (before: Glyph, glyph: Glyph, width: number, blanks: number): boolean =>
  blanks === 0 && width < touching.certainly && width > (/^\p{Ll}/u.test(glyph.text) ? -touching.kerned : -touching.certainly) && !(/\p{N}$/u.test(before.text) && /^\p{Nd}/u.test(glyph.text))

function gapOf (width: number, blanks: number, isOneRun: boolean): Gap {
  if (isOneRun) {
    if (blanks > 0) return width - blanks < wideExcess && width < manyBlanks ? 'blank' : 'wide'
    if (width < widest.inWord) return 'none'
    return width < widest.blank ? 'blank' : 'wide'
  }
  return width < widest.blank && width - blanks < wideExcess ? 'apart' : 'wide'
}

/** Whether what was written apart is often one word, or stands as far apart as a blank is wide, always the same. */
function writesWordsApart (all: readonly Step[]): boolean {
  const apart = all.filter(({ gap }) => gap === 'apart')
  const near = apart.filter(({ width }) => Math.abs(width) < touching.most)
  if (near.length > 3 && near.length > 0.5 * apart.length && near.length > 0.15 * all.length) return true
  const spaced = apart.filter(({ width }) => width >= 0.15)
  // Two numbers that stand so near to each other are of two columns.
  if (spaced.filter(({ isBetweenNumbers }) => isBetweenNumbers).length > 0.1 * spaced.length || standUnderEachOther(spaced)) return false
  const blanks = spaced.map(({ width }) => width).toSorted((one, other) => one - other)
  const middle = blanks.slice(Math.floor(blanks.length * 0.1), Math.ceil(blanks.length * 0.9))
  const hasBlanks = all.some(({ gap }) => gap === 'blank')
  return !hasBlanks && middle.length > 3 && (middle.at(-1) ?? 0) - (middle[0] ?? 0) < 0.05
}

/** Gaps of columns have the same left or right edge in many lines, those of words do not. */
function standUnderEachOther (gaps: readonly Step[]): boolean {
  const edges = (gap: Step): string[] => [`left ${Math.round(gap.after)}`, `right ${Math.round(gap.glyph.left)}`]
  const counts = new Map<string, number>()
  for (const edge of gaps.flatMap(edges)) counts.set(edge, (counts.get(edge) ?? 0) + 1)
  return gaps.filter((gap) => edges(gap).some((edge) => (counts.get(edge) ?? 0) > 2)).length > 0.5 * gaps.length
}

function lineOf (line: readonly Step[], joinsApart: boolean): Line {
  const pieces: Glyph[][][] = []
  let last: Glyph | undefined
  for (const { glyph, gap, width } of line) {
    const piece = pieces.at(-1)
    const startsPiece = piece === undefined || gap === 'wide' || (gap === 'apart' && !joinsApart)
    const startsWord = gap === 'blank' || (gap === 'apart' && width >= touching.most) || (last !== undefined && isNewNumber(last, glyph))
    if (startsPiece) pieces.push([[glyph]])
    else if (startsWord) piece.push([glyph])
    else piece.at(-1)?.push(glyph)
    last = glyph
  }
  const size = Math.max(0, ...line.map(({ glyph }) => glyph.size))
  return {
    baseline: line.find(({ glyph }) => glyph.size === size)?.glyph.baseline ?? 0,
    size,
    pieces: pieces.map((words) => pieceOf(words))
  }
}

/** A digit that is much smaller than the one before it, and not raised, is the fraction's. */
const isNewNumber = (before: Glyph, glyph: Glyph): boolean => /\d$/.test(before.text) && /^\d/.test(glyph.text) && glyph.size < 0.8 * before.size

function pieceOf (words: readonly Glyph[][]): Piece {
  const glyphs = words.flat()
  const big = glyphs.toSorted((one, other) => other.size - one.size)[0]
  return {
    words: logicalOrder(words.map((word) => ({
      text: logicalOrder(word.map(({ text }) => ({ text }))).map(({ text }) => text).join(''),
      left: Math.min(...word.map(({ left }) => left)),
      right: Math.max(...word.map(({ right }) => right))
    }))),
    left: Math.min(...glyphs.map(({ left }) => left)),
    right: Math.max(...glyphs.map(({ right }) => right)),
    baseline: big?.baseline ?? 0,
    size: big?.size ?? 0,
    order: Math.min(...glyphs.map(({ order }) => order))
  }
}

/** What is left of a line: as large as its own pieces are. */
export function withPieces (line: Line, pieces: Piece[]): Line {
  const [largest] = pieces.toSorted((one, other) => other.size - one.size)
  return { pieces, size: largest?.size ?? line.size, baseline: largest?.baseline ?? line.baseline }
}

export const textOf = ({ words }: Pick<Piece, 'words'>): string => words.map(({ text }) => text).join(' ')
