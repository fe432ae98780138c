/**
 * Decodes some elements of a BSON document to what the driver makes of them. A delta reads a product for nearly every line, and most of such a line's work and garbage would be the driver's
 * decoding of its variants, which makes a text of each field's name anew. Names that are known are looked up by their bytes instead. What is rare, or stands out, is the driver's to decode.
 */
import { isAscii } from 'node:buffer'
import { BSON } from 'mongodb'
import { int32At, nameEnd, type ElementRange, type NameTable } from './bson-elements.js'

/** Of products there are four. */
const maxDepth = 16
/** What the driver makes something else of than a field. */
const isOrdinary = (name: string): boolean => name !== '__proto__' && !name.startsWith('$')

const [double, text, document, list, boolean, date, nothing, int32, int64] = [0x01, 0x02, 0x03, 0x04, 0x08, 0x09, 0x0A, 0x10, 0x12]

/** null: something of it is left to the driver, as is to say what is wrong with it. */
export function decodeElements (bytes: Uint8Array, ranges: readonly ElementRange[], names: NameTable<string>): Record<string, unknown> | null {
  const reader = new Reader(bytes, names)
  const fields = {}
  for (const { from, to } of ranges) if (!reader.readFields(fields, from, to, 0)) return null
  return fields
}

/** Of a value that it does not decode. */
const unread = Symbol('unread')

class Reader {
  readonly #bytes: Buffer
  readonly #names: NameTable<string>
  /** Behind the value that was read last. */
  #at = 0

  constructor (bytes: Uint8Array, names: NameTable<string>) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#names = names
  }

  readFields (into: Record<string, unknown>, from: number, end: number, depth: number): boolean {
    const bytes = this.#bytes
    let at = from
    while (at < end) {
      const nameTo = nameEnd(bytes, at + 1)
      const name = this.#names.get(bytes, at + 1, nameTo) ?? bytes.toString('utf8', at + 1, nameTo)
      const value = this.#read(bytes[at] ?? 0, nameTo + 1, end, depth)
      if (value === unread || !isOrdinary(name)) return false
      into[name] = value
      at = this.#at
    }
    return at === end
  }

  #readItems (into: unknown[], from: number, end: number, depth: number): boolean {
    let at = from
    while (at < end) {
      const value = this.#read(this.#bytes[at] ?? 0, nameEnd(this.#bytes, at + 1) + 1, end, depth)
      if (value === unread) return false
      into.push(value)
      at = this.#at
    }
    return at === end
  }

  #read (type: number, at: number, end: number, depth: number): unknown {
    const bytes = this.#bytes
    switch (type) {
      case text: return this.#readText(at, end)
      case int32:
        this.#at = at + 4
        return this.#at > end ? unread : int32At(bytes, at)
      case double:
        this.#at = at + 8
        return this.#at > end ? unread : bytes.readDoubleLE(at)
      case boolean:
        this.#at = at + 1
        return this.#at > end || (bytes[at] ?? 0) > 1 ? unread : bytes[at] === 1
      case nothing:
        this.#at = at
        return null
      case date:
      case int64: {
        this.#at = at + 8
        if (this.#at > end) return unread
        const number = int32At(bytes, at + 4) * 2 ** 32 + (int32At(bytes, at) >>> 0)
        if (!Number.isSafeInteger(number)) return unread
        return type === date ? new Date(number) : number
      }
      case document:
      case list: {
        const behind = at + 4 > end ? 0 : at + int32At(bytes, at)
        if (behind < at + 5 || behind > end || bytes[behind - 1] !== 0 || depth === maxDepth) return unread
        const into: Record<string, unknown> | unknown[] = type === list ? [] : {}
        const isRead = Array.isArray(into) ? this.#readItems(into, at + 4, behind - 1, depth + 1) : this.readFields(into, at + 4, behind - 1, depth + 1)
        this.#at = behind
        return isRead ? into : unread
      }
      default: return unread
    }
  }

  #readText (at: number, end: number): unknown {
    const from = at + 4
    const to = from > end ? 0 : from + int32At(this.#bytes, at) - 1
    if (to < from || to >= end || this.#bytes[to] !== 0) return unread
    this.#at = to + 1
    if (!isPlain(this.#bytes, from, to)) return BSON.onDemand.ByteUtils.toUTF8(this.#bytes, from, to, true)
    return this.#bytes.toString('latin1', from, to)
  }
}

/** From here on it pays to ask Node. */
const longText = 256

function isPlain (bytes: Buffer, from: number, to: number): boolean {
  if (to - from >= longText) return isAscii(bytes.subarray(from, to))
  for (let index = from; index < to; index++) if ((bytes[index] ?? 0) > 0x7F) return false
  return true
}
