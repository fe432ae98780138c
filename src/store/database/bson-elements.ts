/**
 * Where the elements of a BSON document are, without decoding any of them or making an object for each: of products that are read for one of their fields, what is only passed by
 * costs no more than its bytes. (https://bsonspec.org/spec.html)
 */

/** Bytes of a value, by its type; -1: a length in front of it says so. What is not here is deprecated, or has no length. */
const valueBytes = new Int8Array(256).fill(-2)
/** Of those with a length: the bytes that it does not count. */
const besideLength = new Int8Array(256)

const fixed: ReadonlyArray<[type: number, bytes: number]> = [
  [0x01, 8], [0x06, 0], [0x07, 12], [0x08, 1], [0x09, 8], [0x0A, 0], [0x10, 4], [0x11, 8], [0x12, 8], [0x13, 16], [0x7F, 0], [0xFF, 0]
]
/** Strings, documents, lists, binary data and code. A document's length counts itself. */
const sized: ReadonlyArray<[type: number, beside: number]> = [[0x02, 4], [0x03, 0], [0x04, 0], [0x05, 5], [0x0D, 4], [0x0E, 4], [0x0F, 0]]
for (const [type, bytes] of fixed) valueBytes[type] = bytes
for (const [type, beside] of sized) {
  valueBytes[type] = -1
  besideLength[type] = beside
}

const lengthBytes = 4

/** Of elements: their types, names and values. */
export interface ElementRange { from: number, to: number }

/** Goes through those of the top level, in order. All that it tells is offsets, of the element that `next` has come to. */
export class Elements {
  readonly #bytes: Uint8Array
  /** Where the document's last zero is. */
  readonly #end: number
  from = 0
  /** Behind the name, without the zero that ends it. */
  nameTo = 0
  /** Behind the value. */
  to = lengthBytes

  /** Throws where the bytes are no document. */
  constructor (bytes: Uint8Array) {
    this.#bytes = bytes
    this.#end = bytes.length - 1
    if (this.#end < lengthBytes || int32At(bytes, 0) !== bytes.length || bytes[this.#end] !== 0) throw new Error(`no BSON document of ${bytes.length} bytes`)
  }

  get nameFrom (): number { return this.from + 1 }
  get valueFrom (): number { return this.nameTo + 1 }

  /** false: there is none any more. Throws at what cannot be passed by. */
  next (): boolean {
    const bytes = this.#bytes
    const end = this.#end
    const from = this.to
    if (from >= end) return false
    const type = bytes[from] ?? 0
    const nameTo = nameEnd(bytes, from + 1)
    let to = nameTo + 1
    const size = valueBytes[type] ?? -2
    if (size === -2) throw new Error(`BSON of the type ${type} cannot be passed by`)
    if (size >= 0) to += size
    else {
      const length = to + lengthBytes > end ? -1 : int32At(bytes, to)
      if (length < 0) throw new Error('a BSON value has no length')
      to += length + (besideLength[type] ?? 0)
    }
    if (to > end) throw new Error('a BSON document ends before its last value does')
    this.from = from
    this.nameTo = nameTo
    this.to = to
    return true
  }
}

/** Where the zero is. */
export function nameEnd (bytes: Uint8Array, from: number): number {
  let to = from
  while (to < bytes.length && bytes[to] !== 0) to++
  return to
}

export const int32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0) << 16 | (bytes[at + 3] ?? 0) << 24

/** What stands for a name, looked up by its bytes. */
export class NameTable<T> {
  readonly #byLength: Array<Array<{ bytes: Uint8Array, value: T }>> = []

  constructor (entries: Iterable<[name: string, value: T]>) {
    for (const [name, value] of entries) {
      const bytes = Buffer.from(name)
      while (this.#byLength.length <= bytes.length) this.#byLength.push([])
      this.#byLength[bytes.length]?.push({ bytes, value })
    }
  }

  get (bytes: Uint8Array, from: number, to: number): T | undefined {
    const names = this.#byLength[to - from] ?? []
    for (const name of names) if (isAt(bytes, from, name.bytes)) return name.value
    return undefined
  }
}

/** From the end: names that are as long as each other differ there more often. */
function isAt (bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  for (let index = name.length - 1; index >= 0; index--) if (bytes[at + index] !== name[index]) return false
  return true
}
