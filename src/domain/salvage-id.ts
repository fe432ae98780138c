/**
 * Whose product a line is that cannot be read: a REPLACE must not archive it over a byte that was lost on the way (decisions.md, "REPLACE").
 *
 * A wrong id would be worse than none, since the right one would count as absent. So the text is followed token by token from its beginning, and only
 * the record's own `externalId` counts, as far as everything before it could be a part of JSON: a quote too many, or one too few,
 * turns what is text into names without quotes, which ends it. Two of them are none.
 */
import { jsonOf } from './json-of.js'
import { readExternalId } from './product-patch.js'

/** Of a longer line only so much is looked through: a few milliseconds. */
export const maxSalvagedCharacters = 1024 * 1024

const [quote, backslash, colon, comma] = [0x22, 0x5C, 0x3A, 0x2C]
const [brace, bracket, closingBrace, closingBracket] = [0x7B, 0x5B, 0x7D, 0x5D]
const [space, byteOrderMark, replacement] = [0x20, 0xFEFF, '\uFFFD']
const literal = /-?\d[\d.eE+-]*|true|false|null/y

/** null: it cannot be told. */
export function salvageExternalId (text: string): string | null {
  const end = Math.min(text.length, maxSalvagedCharacters)
  let depth = 0
  let found: string | null = null
  /** The texts of the record itself, as they come: a key before its colon, a value behind it. */
  let key = ''
  let isBehindColon = false
  for (let at = 0; at < end;) {
    const character = text.charCodeAt(at)
    if (character <= space || (character === byteOrderMark && at === 0)) at += 1
    else if (character === quote) {
      const last = endOfText(text, at, end)
      if (last === -1) return found
      if (depth === 1) {
        if (isBehindColon && key === '"externalId"') {
          if (found !== null) return null
          found = readId(text.slice(at, last + 1))
          if (found === null) return null
        }
        key = isBehindColon ? '' : text.slice(at, last + 1)
        isBehindColon = false
      }
      at = last + 1
    } else if (character === colon || character === comma) {
      if (depth === 1) isBehindColon = character === colon
      at += 1
    } else if (character === brace || character === bracket) {
      if (depth === 0 && character === bracket) return null
      depth += 1
      at += 1
    } else if (character === closingBrace || character === closingBracket) {
      depth -= 1
      // What follows its end is not the record any more.
      if (depth <= 0) return found
      if (depth === 1) isBehindColon = false
      at += 1
    } else {
      literal.lastIndex = at
      const length = literal.exec(text)?.[0].length ?? 0
      if (length === 0) return found
      if (depth === 1) isBehindColon = false
      at += length
    }
  }
  return found
}

/** Where the text that begins at `from` has its closing quote; -1 where it has none. A control character is none of JSON's. */
function endOfText (text: string, from: number, end: number): number {
  for (let at = from + 1; at < end; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) return at
    if (character === backslash) at += 1
    else if (character < space) return -1
  }
  return -1
}

/** What the reading of bytes that are no UTF-8 has put a replacement into is not what was meant. */
function readId (json: string): string | null {
  if (json.includes(replacement)) return null
  const id = readExternalId({ externalId: jsonOf(json) })
  return id?.isWellFormed() === true ? id : null
}
