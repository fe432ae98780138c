import { DigestTable } from './digest-table.js'

/** A set of digests in some 16 bytes each; see DigestTable. */
export class DigestSet {
  readonly #table = new DigestTable(0)

  get size (): number { return this.#table.size }
  add (digest: string): void { this.#table.add(digest) }
  has (digest: string): boolean { return this.#table.find(digest) !== -1 }
}
