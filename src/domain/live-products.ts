/**
 * What a REPLACE knows of the products that were live when it began: by which line each was last written, and which of them its files have
 * named so far. The others are what it archives at its end (decisions.md, "REPLACE").
 *
 * Some 32 bytes a product. That two ids are taken for one (1 in 2 million for a million products, see DigestTable) means that an absent
 * product is archived by the next import instead of this one; lines are told apart by another 60 bits, which nobody's changes meet by chance.
 */
import type { LinePosition } from './product.js'
import { bitsOf, DigestTable } from './digest-table.js'

/** Beside each id: 30 and 30 bits of the line's digest, or 0 and 0, and whether the product was named, in a bit that is left of the second. */
const namedBit = 1 << 30
const lineBits = namedBit - 1
/** As many as a person would look at. */
const maxUntoldKept = 10

export class LiveProducts {
  readonly #table = new DigestTable(2)
  #named = 0
  #namesAny = false
  readonly #untold: LinePosition[] = []
  #untoldCount = 0

  /** How many were live when the job began. */
  get size (): number { return this.#table.size }
  /** How many of those no line has named so far. */
  get unnamed (): number { return this.#table.size - this.#named }
  /** Whether any line has named a product, live or not. */
  get namesAny (): boolean { return this.#namesAny }

  /** Lines of which it cannot be told which products they are about, and the first of them: what they name may seem absent. */
  get untoldCount (): number { return this.#untoldCount }
  get firstUntold (): readonly LinePosition[] { return this.#untold }

  /** One that was live when the job began. `lineDigest`: of the line without links that it was last given, in base64; null where there is none. */
  add (id: string, lineDigest: string | null): void {
    const at = this.#table.add(id)
    const { numbers } = this.#table
    numbers[at] = lineDigest === null ? 0 : bitsOf(lineDigest, 0)
    numbers[at + 1] = lineDigest === null ? 0 : bitsOf(lineDigest, 5)
  }

  /** Whether the line with that digest is the one that gave the product what it holds. */
  isUnchanged (id: string, lineDigest: string): boolean {
    const at = this.#table.find(id)
    if (at === -1) return false
    const { numbers } = this.#table
    const low = (numbers[at + 1] as number) & lineBits
    return (numbers[at] !== 0 || low !== 0) && numbers[at] === bitsOf(lineDigest, 0) && low === bitsOf(lineDigest, 5)
  }

  /** A line that leaves the product as it is. */
  name (id: string): void { this.#name(id) }

  /** A line that may change the product: what it was last given is no longer known. */
  change (id: string): void {
    const at = this.#name(id)
    if (at === -1) return
    this.#table.numbers[at] = 0
    this.#table.numbers[at + 1] = namedBit
  }

  /** A line whose product cannot be told. */
  leaveUntold (position: LinePosition): void {
    this.#untoldCount += 1
    if (this.#untold.length < maxUntoldKept) this.#untold.push(position)
  }

  /** Live when the job began, and not named since. */
  isAbsent (id: string): boolean {
    const at = this.#table.find(id)
    return at !== -1 && !this.#isNamed(at)
  }

  /** Where it is in the table; -1 when it was not live. */
  #name (id: string): number {
    this.#namesAny = true
    const at = this.#table.find(id)
    if (at === -1 || this.#isNamed(at)) return at
    this.#named += 1
    this.#table.numbers[at + 1] = (this.#table.numbers[at + 1] as number) | namedBit
    return at
  }

  #isNamed (at: number): boolean { return ((this.#table.numbers[at + 1] as number) & namedBit) !== 0 }
}
