/**
 * A hash table whose keys are digests, in 8 bytes each, with room for a few numbers beside each. A JavaScript Set of a million
 * strings would take 80 MB; the keys take 16 here, so a worker's memory hardly depends on a catalog's size.
 *
 * It keeps 60 of a digest's 128 bits. Two products among a million collide with a chance of 1 in 2 million.
 */
const initialSlots = 1 << 12
/** Linear probing stays short below this load. */
const maxLoad = 0.7

export class DigestTable {
  /** Words a slot takes: a pair of 30 bits, where (0, 0) is an empty slot, and the numbers beside it. */
  readonly #width: number
  #mask = initialSlots - 1
  #words: Uint32Array
  #size = 0

  /** `numbers`: how many of 32 bits are kept beside each digest. */
  constructor (numbers: number) {
    this.#width = 2 + numbers
    this.#words = new Uint32Array(this.#width * initialSlots)
  }

  get size (): number { return this.#size }

  /**
   * Where the numbers of `digest` are in `numbers`, until the next one is added; they are 0 when it was not there before. A digest is as
   * domain/product makes them: base64url, at least 10 characters.
   */
  add (digest: string): number {
    if (this.#size + 1 > maxLoad * (this.#mask + 1)) this.#grow()
    return this.#insert(bitsOf(digest, 0), lowBitsOf(digest))
  }

  /** The same without adding; -1 when it is not there. */
  find (digest: string): number {
    const at = this.#find(bitsOf(digest, 0), lowBitsOf(digest))
    return this.#words[at + 1] === 0 ? -1 : at + 2
  }

  get numbers (): Uint32Array { return this.#words }

  #insert (high: number, low: number): number {
    const at = this.#find(high, low)
    if (this.#words[at + 1] === 0) {
      this.#words[at] = high
      this.#words[at + 1] = low
      this.#size += 1
    }
    return at + 2
  }

  /** Where the pair is, or the empty slot where it belongs. */
  #find (high: number, low: number): number {
    let slot = low & this.#mask
    for (;;) {
      const at = slot * this.#width
      const found = this.#words[at + 1]
      if (found === 0 || (found === low && this.#words[at] === high)) return at
      slot = (slot + 1) & this.#mask
    }
  }

  #grow (): void {
    const old = this.#words
    this.#mask = this.#mask * 2 + 1
    this.#words = new Uint32Array(old.length * 2)
    this.#size = 0
    for (let at = 0; at < old.length; at += this.#width) {
      if (old[at + 1] !== 0) this.#words.set(old.subarray(at + 2, at + this.#width), this.#insert(old[at] as number, old[at + 1] as number))
    }
  }
}

const values = new Uint8Array(128)
for (const alphabet of ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/']) {
  Array.from(alphabet).forEach((character, value) => { values[character.charCodeAt(0)] = value })
}

/** 30 bits of five characters of base64 or base64url. */
export function bitsOf (digest: string, from: number): number {
  let bits = 0
  for (let index = from; index < from + 5; index++) bits = (bits << 6) | (values[digest.charCodeAt(index)] as number)
  return bits
}

/** Never 0, which marks an empty slot. */
const lowBitsOf = (digest: string): number => bitsOf(digest, 5) || 1
