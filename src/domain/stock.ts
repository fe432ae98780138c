/**
 * Units of a variant by location. What a line says covers all active locations of its vendor (decisions.md, "Inventory per location"):
 * those that it does not name hold 0. A vendor may have thousands, so the others are kept in mind once for all, and written out when
 * the product is: a line costs what it names.
 */
import { hash } from 'node:crypto'
import type { MeasuredRecords } from './measured-records.js'
import type { LocationQuantity, Variant } from './product.js'
import { digitsOf, levelsBytes, stockBytes } from './stored-size.js'

/** Of a vendor, as a batch has found them. */
export class ActiveLocations {
  readonly ids: readonly string[]
  readonly #codes: readonly string[]
  readonly #set: ReadonlySet<string>
  #bytes = -1
  #digest = ''

  /** `codes`: what lines call them, in the same order. */
  constructor (ids: readonly string[], codes: readonly string[]) {
    this.ids = ids
    this.#codes = codes
    this.#set = new Set(ids)
  }

  has (id: string): boolean { return this.#set.has(id) }

  /** Which they are and what lines call them, in short: where it is the same, the same line says the same. */
  get digest (): string {
    if (this.#digest === '') this.#digest = hash('sha256', [...this.ids, ...this.#codes].join('\0'), 'base64')
    return this.#digest
  }

  /** What an entry for each, of 0 units, takes in a document. */
  get bytes (): number {
    if (this.#bytes < 0) this.#bytes = levelsBytes(this.ids.map((locationId) => ({ locationId, quantity: 0 })))
    return this.#bytes
  }
}

export interface SentStock {
  active: ActiveLocations
  /** More than 0, by location id; only active ones. */
  units: ReadonlyMap<string, number>
}

/** What a variant holds, in two parts: what a line can change, and the locations that are not active, which keep theirs. */
export class Stock {
  readonly active: ActiveLocations
  readonly #units: ReadonlyMap<string, number>
  /** Of locations that are not active. */
  readonly #rest: Rest
  /** Whether the variant's list is what would be written out, in that order. */
  readonly #isCanonical: boolean
  /** Whether the variant itself holds it. */
  readonly isWritten: boolean

  private constructor (active: ActiveLocations, units: ReadonlyMap<string, number>, rest: Rest, isCanonical: boolean, isWritten: boolean) {
    this.active = active
    this.#units = units
    this.#rest = rest
    this.#isCanonical = isCanonical
    this.isWritten = isWritten
  }

  static of (stored: LocationQuantity[], active: ActiveLocations): Stock {
    const units = new Map<string, number>()
    const rest: LocationQuantity[] = []
    let isCanonical = stored.length >= active.ids.length
    stored.forEach((entry, index) => {
      const expected = active.ids[index]
      // Most are where they belong: then nothing is looked up, and the id is one whose hash is known.
      if (expected !== undefined && entry.locationId === expected) {
        if (entry.quantity !== 0) units.set(expected, entry.quantity)
        return
      }
      if (!active.has(entry.locationId)) rest.push(entry)
      else if (entry.quantity !== 0) units.set(entry.locationId, entry.quantity)
      if (expected !== undefined) isCanonical = false
    })
    return new Stock(active, units, { list: rest, inStock: inStock(rest), bytes: levelsBytes(rest) }, isCanonical, true)
  }

  /** The same one where nothing changes. */
  with (units: ReadonlyMap<string, number>): Stock {
    return this.#isCanonical && isSame(this.#units, units) ? this : new Stock(this.active, units, this.#rest, true, false)
  }

  /** At how many locations there would be stock. */
  inStockWith (units: ReadonlyMap<string, number>): number { return units.size + this.#rest.inStock }

  get inStock (): number { return this.inStockWith(this.#units) }

  /** As a field of a document, written out. */
  get bytes (): number {
    let bytes = this.active.bytes + this.#rest.bytes
    for (const units of this.#units.values()) bytes += digitsOf(units) - digitsOf(0)
    return stockBytes(this.active.ids.length + this.#rest.list.length, bytes)
  }

  toQuantities (): LocationQuantity[] {
    const active = this.active.ids.map((locationId) => ({ locationId, quantity: this.#units.get(locationId) ?? 0 }))
    return active.concat(this.#rest.list)
  }
}

type Owner = Pick<Variant, 'locationQuantities'>

/** The stock of the variants for which lines have sent any. */
export class FoldedStock {
  #stock: Map<Owner, Stock> | null = null
  readonly #measured: MeasuredRecords

  constructor (measured: MeasuredRecords) { this.#measured = measured }

  /** Its variant is looked through when it is asked for the first time. */
  get (variant: Owner, active: ActiveLocations): Stock {
    let stock = this.#stock?.get(variant)
    if (stock !== undefined && stock.active === active) return stock
    // Of another batch's look-up, if any: which locations are active may have changed.
    if (stock !== undefined) settle(variant, stock)
    stock = Stock.of(variant.locationQuantities, active)
    this.set(variant, stock)
    return stock
  }

  set (variant: Owner, stock: Stock): void {
    this.#stock ??= new Map()
    this.#stock.set(variant, stock)
  }

  /** At how many locations, whichever are active; without looking through its variant. */
  mostInStock (variant: Owner): number { return this.#stock?.get(variant)?.inStock ?? variant.locationQuantities.length }

  bytesOf (variant: Owner): number {
    const stock = this.#stock?.get(variant)
    return stock === undefined || stock.isWritten ? this.#measured.bytesOfField(variant, 'locationQuantities') : stock.bytes
  }

  /** Writes it back to the variants. */
  settle (): void { if (this.#stock !== null) for (const [variant, stock] of this.#stock) settle(variant, stock) }
}

function settle (variant: Owner, stock: Stock): void {
  if (!stock.isWritten) variant.locationQuantities = stock.toQuantities()
}

interface Rest { list: readonly LocationQuantity[], inStock: number, bytes: number }

const inStock = (quantities: readonly LocationQuantity[]): number => quantities.reduce((count, { quantity }) => quantity > 0 ? count + 1 : count, 0)

const isSame = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean => {
  if (a.size !== b.size) return false
  for (const [id, count] of a) if (b.get(id) !== count) return false
  return true
}
