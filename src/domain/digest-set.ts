/**
 * A set of digests in 8 bytes each: which products a file has named. A JavaScript Set of a million strings would take
 * 80 MB; this takes 16, so a worker's memory hardly depends on the file's length.
 *
 * It keeps 60 of a digest's 128 bits. Two products among a million collide with a chance of 1 in 2 million, and all that
 * comes of it is that one absent product is archived by the next import instead of this one.
 */
const initialSlots = 1 << 12
/** Linear probing stays short below this load. */
const maxLoad = 0.7

export class DigestSet {
  /** Pairs of 30 bits; (0, 0) is an empty slot. */
  #slots = new Uint32Array(2 * initialSlots)
  #size = 0

  get size (): number { return this.#size }

  /** `digest` as domain/product makes them: base64url, at least 10 characters. */
  add (digest: string): void {
    if ((this.#size + 1) > maxLoad * this.#slots.length / 2) this.#grow()
    const high = bitsOf(digest, 0)
    const low = bitsOf(digest, 5) || 1
    if (this.#insert(high, low)) this.#size += 1
  }

  has (digest: string): boolean {
    const at = this.#find(bitsOf(digest, 0), bitsOf(digest, 5) || 1)
    return this.#slots[at + 1] !== 0
  }

  #insert (high: number, low: number): boolean {
    const at = this.#find(high, low)
    if (this.#slots[at + 1] !== 0) return false
    this.#slots[at] = high
    this.#slots[at + 1] = low
    return true
  }

  /** The index of the pair, or of the empty slot where it belongs. */
  #find (high: number, low: number): number {
    const mask = this.#slots.length - 1
    let at = (low * 2) & mask
    while (this.#slots[at + 1] !== 0 && (this.#slots[at + 1] !== low || this.#slots[at] !== high)) at = (at + 2) & mask
    return at
  }

  #grow (): void {
    const old = this.#slots
    this.#slots = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] !== 0) this.#insert(old[at] as number, old[at + 1] as number)
    }
  }
}

const values = new Uint8Array(128)
Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_').forEach((character, value) => {
  values[character.charCodeAt(0)] = value
})

/** 30 bits of five characters. */
function bitsOf (digest: string, from: number): number {
  let bits = 0
  for (let index = from; index < from + 5; index++) bits = (bits << 6) | (values[digest.charCodeAt(index)] as number)
  return bits
}
