/**
 * What the JSON of a record may hold, found before it is parsed: a byte of `[` becomes forty of the parser's heap, and a text of 16 MiB
 * can be eight million values.
 *
 * What is nested too deeply is cut out of the text, with `null` in its place: the rest can be read in constant memory, so that
 * the record's external id and its other faults are still told.
 */

/** Levels of lists and objects within a record. Its own braces are none of them. */
export const maxJsonDepth = 100
/** One level of what is too deep stays, so that who looks through the value can tell which field it was. */
const maxKeptDepth = maxJsonDepth + 2

/**
 * Values in a record. 4 MiB of stored product are the bound of what can come of them, and what takes the least there, the numbers of
 * prices and quantities, takes some 17 bytes each. JSON.parse of so many takes 10 to 100 ms.
 */
export const maxJsonValues = 250_000

const [quote, backslash, comma] = [0x22, 0x5C, 0x2C]
const [brace, bracket, closingBrace, closingBracket] = [0x7B, 0x5B, 0x7D, 0x5D]
const nothing = Buffer.from('null')

/** Cuts what is too deep out of a text that comes in pieces. Of text that is no JSON it makes none. */
export class DepthCutter {
  /** Where the text is: 0 is the first entry of its outermost list. */
  #entry = 0
  /** Values so far: itself, one for each comma, one for each list or object, as if none were empty. */
  values = 1
  /** The most lists and objects that were open at a time, those that were cut out included. */
  deepest = 0
  #depth = 0
  #isInText = false
  #isEscaped = false
  readonly #maxDepth: number
  readonly #onCut: (entry: number) => void

  /** `outside`: levels around the record. `onCut` is told in which entry of the outermost list something is cut out. */
  constructor (outside: number, onCut: (entry: number) => void = () => {}) {
    this.#maxDepth = maxKeptDepth + outside
    this.#onCut = onCut
  }

  /** The piece itself when nothing of it is cut out. */
  push (piece: Buffer): Buffer {
    const max = this.#maxDepth
    const kept: Buffer[] = []
    /** Where what is kept begins; -1 within what is cut out. */
    let from = this.#depth > max ? -1 : 0
    let depth = this.#depth
    let { values, deepest } = this
    let isInText = this.#isInText
    let isEscaped = this.#isEscaped
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (byte === quote) isInText = false
        else if (byte === backslash) isEscaped = true
      } else if (byte === quote) isInText = true
      else if (byte === comma) {
        values += 1
        if (depth === 1) this.#entry += 1
      } else if (byte === brace || byte === bracket) {
        values += 1
        if (depth >= deepest) deepest = depth + 1
        if (depth++ === max) {
          kept.push(piece.subarray(from, at), nothing)
          from = -1
          this.#onCut(this.#entry)
        }
      } else if (byte === closingBrace || byte === closingBracket) {
        if (--depth === max) from = at + 1
      }
    }
    this.#depth = depth
    this.values = values
    this.deepest = deepest
    this.#isInText = isInText
    this.#isEscaped = isEscaped
    if (from === 0) return piece
    if (from !== -1) kept.push(piece.subarray(from))
    return Buffer.concat(kept)
  }
}

export interface BoundedJson {
  /** The text, less what is too deep. null: it holds too many values. */
  text: string | null
  isTooDeep: boolean
}

/** Looks through a record's text, unless it is too short or too plain to pass a bound. */
export function boundJson (text: string): BoundedJson {
  // A value takes two characters, itself and a comma.
  if (text.length < 2 * maxJsonValues && !hasOpeners(text, maxJsonDepth)) return { text, isTooDeep: false }
  const cutter = new DepthCutter(0)
  const bytes = Buffer.from(text)
  const cut = cutter.push(bytes)
  const isTooDeep = cutter.deepest > maxJsonDepth + 1
  if (cutter.values > maxJsonValues) return { text: null, isTooDeep }
  return { text: cut === bytes ? text : cut.toString(), isTooDeep }
}

/** Whether there are more than `count` lists and objects: one line in a thousand has a hundred, and searching is native. */
function hasOpeners (text: string, count: number): boolean {
  let found = 0
  for (const opener of '{[') {
    for (let at = text.indexOf(opener); at !== -1; at = text.indexOf(opener, at + 1)) {
      if (++found > count) return true
    }
  }
  return false
}

export type ValueFault = 'too-deep' | 'lone-surrogate'

/** What is wrong with a field's value, or with the field's name, wherever within it; that it is too deep comes first. */
export function faultOfValue (name: string, value: unknown): ValueFault | null {
  const fault = faultWithin(value, maxJsonDepth)
  return fault === null && !name.isWellFormed() ? 'lone-surrogate' : fault
}

/** By recursion, which ends at the bound. */
function faultWithin (value: unknown, levels: number): ValueFault | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'lone-surrogate'
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return 'too-deep'
  const list = Array.isArray(value) ? value as unknown[] : null
  // Of an object of 300,000 keys, to ask for its values as well takes three times as long as its keys.
  const names = list === null ? Object.keys(value) : []
  let found: ValueFault | null = null
  for (let at = 0; at < (list ?? names).length; at++) {
    const name = names[at] ?? ''
    const fault = faultWithin(list === null ? (value as Record<string, unknown>)[name] : list[at], levels - 1)
    if (fault === 'too-deep') return fault
    found ??= fault ?? (name.isWellFormed() ? null : 'lone-surrogate')
  }
  return found
}
