/**
 * The metafields of a product and its variants that lines are folded into. They merge key by key (decisions.md, "Merging"): null removes
 * a key. Those of one owner are looked through once, when they are changed for the first time; then a change costs its own keys. An owner that
 * has none, as every new one, is just given them.
 */
import type { Metafield } from './product.js'
import { fieldBytes, listBytes, valueBytes } from './stored-size.js'

export type MetafieldChanges = ReadonlyMap<string, string | null>

interface Owner { metafields: Metafield[] }
interface Planned { isChange: boolean, count: number, bytes: number }

export class FoldedMetafields {
  #byKey: Map<Owner, Map<string, string>> | null = null

  countOf (owner: Owner): number { return this.#byKey?.get(owner)?.size ?? owner.metafields.length }

  /** What the changes would come to; `bytes`: by how much its owner's document would grow. */
  plan (owner: Owner, changes: MetafieldChanges): Planned {
    const fields = this.#hasNone(owner) ? none : this.#indexed(owner)
    const planned = { isChange: false, count: fields.size, bytes: 0 }
    for (const [key, value] of changes) {
      const old = fields.get(key) ?? null
      if (old === value) continue
      planned.isChange = true
      planned.count += (value === null ? 0 : 1) - (old === null ? 0 : 1)
      planned.bytes += bytesOf(key, value) - bytesOf(key, old)
    }
    planned.bytes += listBytes('metafields', planned.count) - listBytes('metafields', fields.size)
    return planned
  }

  apply (owner: Owner, changes: MetafieldChanges): void {
    if (this.#hasNone(owner)) {
      owner.metafields = toMetafields(changes)
      return
    }
    const fields = this.#indexed(owner)
    for (const [key, value] of changes) {
      if (value === null) fields.delete(key)
      else fields.set(key, value)
    }
  }

  /** Writes them back to their owners. */
  settle (): void { if (this.#byKey !== null) for (const owner of this.#byKey.keys()) this.settleOne(owner) }

  settleOne (owner: Owner): void {
    const fields = this.#byKey?.get(owner)
    if (fields !== undefined) owner.metafields = Array.from(fields, ([key, value]) => ({ key, value }))
  }

  #hasNone (owner: Owner): boolean { return owner.metafields.length === 0 && this.#byKey?.has(owner) !== true }

  #indexed (owner: Owner): Map<string, string> {
    this.#byKey ??= new Map()
    let fields = this.#byKey.get(owner)
    if (fields === undefined) {
      fields = new Map(owner.metafields.map(({ key, value }) => [key, value]))
      this.#byKey.set(owner, fields)
    }
    return fields
  }
}

const none: ReadonlyMap<string, string> = new Map()

/** Of an owner that has none so far. */
export function toMetafields (changes: MetafieldChanges): Metafield[] {
  const added: Metafield[] = []
  for (const [key, value] of changes) if (value !== null) added.push({ key, value })
  return added
}

const emptyBytes = valueBytes({})
const bytesOf = (key: string, value: string | null): number =>
  value === null ? 0 : emptyBytes + fieldBytes('key', key) + fieldBytes('value', value)
