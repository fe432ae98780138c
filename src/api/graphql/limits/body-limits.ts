/**
 * Bounds on what a body of JSON holds, checked before it is parsed: a byte of nested lists becomes thirty of heap, and graphql-js coerces
 * the variables of an operation in one go, every object against all fields of its type.
 */
import { badInput } from '../../../errors.js'

/** Up to 15 µs each. A thousand products may have 200 each (variants, prices, images, metafields), 5,000 may have 40. */
export const maxObjects = 200_000
/** Of all kinds, which their commas tell: a byte of an empty text is eight of heap. 200,000 objects of five fields each. */
export const maxValues = 1_000_000
const maxDepth = 64

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [brace, bracket, closingBrace, closingBracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/** How many objects and lists there are, at least as far as the text is JSON. Throws BAD_USER_INPUT: too many, too many values, or too deep. */
export function countObjects (json: Iterable<Uint8Array>): number {
  let objects = 0
  let values = 0
  let depth = 0
  let inText = false
  /** The next byte stands behind a backslash. */
  let isEscaped = false
  for (const piece of json) {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (isEscaped) isEscaped = false
      else if (inText) {
        if (byte === backslash) isEscaped = true
        else if (byte === quote) inText = false
      } else if (byte === quote) inText = true
      else if (byte === brace || byte === bracket) {
        if (++objects > maxObjects) throw badInput(`The body must hold at most ${maxObjects} objects and lists; send fewer entries at once`)
        if (++depth > maxDepth) throw badInput(`The body must be nested at most ${maxDepth} deep`)
      } else if (byte === comma) {
        if (++values > maxValues) throw badInput(`The body must hold at most ${maxValues} values; send fewer entries at once`)
      } else if (byte === closingBrace || byte === closingBracket) depth--
    }
  }
  return objects
}
