/** Documents in memory, and of MongoDB's language what the import's code says to it; whatever else throws. */

export type Fields = Record<string, unknown>
export interface Stored extends Fields { _id: string }
export interface FindOptions { sort?: Record<string, 1 | -1>, limit?: number, projection?: Record<string, 0 | 1>, session?: unknown }
export type Update = Partial<Record<'$set' | '$inc' | '$unset' | '$setOnInsert' | '$push', Fields>>
/** Told of every change when it is made. */
export type OnChange = (before: Stored | null, after: Stored | null) => void

export class MemoryCollection {
  readonly #documents = new Map<string, Stored>()
  readonly #onChange: OnChange
  /** What becomes of a document on its way to the disk. */
  readonly #keep: (document: Stored) => Stored

  constructor (onChange: OnChange = () => {}, keep = (document: Stored): Stored => document) {
    this.#onChange = onChange
    this.#keep = keep
  }

  /** As it is now, whatever becomes of it. */
  snapshot (): MemoryCollection {
    const same = new MemoryCollection()
    for (const [_id, document] of this.#documents) same.#documents.set(_id, document)
    return same
  }

  get size (): number { return this.#documents.size }
  get (_id: string): Stored | null { return this.#documents.get(_id) ?? null }

  find (filter: Fields, { sort = {}, limit = Infinity, projection }: FindOptions = {}): Stored[] {
    const [field, direction] = Object.entries(sort).at(-1) ?? ['_id', 1]
    const found = this.#matching(filter).sort((a, b) => compare(a[field], b[field]) * direction)
    return found.slice(0, limit).map((document) => copy(projection === undefined ? document : projected(document, projection)) as Stored)
  }

  /** false: its id is taken. */
  insert (document: Stored): boolean {
    if (this.#documents.has(document._id)) return false
    this.#put(null, copy(document) as Stored)
    return true
  }

  replace (filter: Fields, document: Stored, upsert = false): { matchedCount: number, modifiedCount: number } {
    const found = this.#first(filter)
    if (found === undefined && !upsert) return { matchedCount: 0, modifiedCount: 0 }
    this.#put(found ?? null, copy(document) as Stored)
    return found === undefined ? { matchedCount: 0, modifiedCount: 0 } : { matchedCount: 1, modifiedCount: 1 }
  }

  update (filter: Fields, update: Update, upsert = false): { matchedCount: number, modifiedCount: number } {
    const found = this.#first(filter)
    if (found === undefined && !upsert) return { matchedCount: 0, modifiedCount: 0 }
    const next = copy(found ?? { ...filter, ...update.$setOnInsert }) as Stored
    for (const [path, value] of Object.entries(update.$set ?? {})) change(next, path, () => copy(value))
    for (const [path, value] of Object.entries(update.$inc ?? {})) change(next, path, (old) => Number(old ?? 0) + Number(value))
    for (const [path, value] of Object.entries(update.$push ?? {})) change(next, path, (old) => [...old as unknown[], copy(value)])
    for (const path of Object.keys(update.$unset ?? {})) change(next, path, () => undefined)
    this.#put(found ?? null, next)
    return found === undefined ? { matchedCount: 0, modifiedCount: 0 } : { matchedCount: 1, modifiedCount: 1 }
  }

  remove (filter: Fields): number {
    const found = this.#first(filter)
    if (found === undefined) return 0
    this.#documents.delete(found._id)
    this.#onChange(found, null)
    return 1
  }

  /** As it is kept, not a copy. */
  #first (filter: Fields): Stored | undefined {
    return this.#matching(filter).reduce<Stored | undefined>((first, one) => first === undefined || compare(one._id, first._id) < 0 ? one : first, undefined)
  }

  /** By its id, where the filter names one: no other need be looked at. */
  #matching (filter: Fields): Stored[] {
    const { _id } = filter
    if (typeof _id !== 'string') return [...this.#documents.values()].filter((document) => matches(document, filter))
    const document = this.#documents.get(_id)
    return document !== undefined && matches(document, filter) ? [document] : []
  }

  #put (before: Stored | null, after: Stored): void {
    this.#documents.set(after._id, this.#keep(after))
    this.#onChange(before, after)
  }
}

/** As BSON does: what is undefined is not there. */
function copy (value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map(copy)
  const result: Fields = {}
  // Without making entries: a tenth of what a seed does is this.
  for (const name in value) {
    const field = (value as Fields)[name]
    if (field !== undefined) result[name] = typeof field === 'object' ? copy(field) : field
  }
  return result
}

function projected (document: Stored, projection: Record<string, 0 | 1>): Fields {
  const { _id: id = 1, ...fields } = projection
  const isTaken = Object.values(fields).every((one) => one === 1)
  const names = Object.keys(document).filter((name) => name === '_id' ? id === 1 : isTaken === name in fields)
  return Object.fromEntries(names.map((name) => [name, document[name]]))
}

function change (document: Fields, path: string, changed: (old: unknown) => unknown): void {
  const names = path.split('.')
  const last = names.pop() as string
  let inner = document
  for (const name of names) inner = inner[name] as Fields
  const value = changed(inner[last])
  if (value === undefined) Reflect.deleteProperty(inner, last)
  else inner[last] = value
}

function matches (document: Stored, filter: Fields): boolean {
  for (const path in filter) {
    if (path.startsWith('$')) throw new Error(`No such filter here: ${path}`)
    const values = path.includes('.') ? valuesAt(document, path.split('.')) : [document[path]]
    if (!holds(values, filter[path])) return false
  }
  return true
}

function valuesAt (value: unknown, [name, ...rest]: string[]): unknown[] {
  if (name === undefined) return [value]
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name, ...rest]))
  return valuesAt((value as Fields | null | undefined)?.[name], rest)
}

function holds (values: unknown[], condition: unknown): boolean {
  if (!isOperators(condition)) return values.some((value) => compare(value, condition) === 0)
  return Object.entries(condition).every(([operator, operand]) => {
    switch (operator) {
      case '$in': return values.some((value) => (operand as unknown[]).some((one) => compare(value, one) === 0))
      case '$ne': return values.every((value) => compare(value, operand) !== 0)
      case '$gte': return values.some((value) => isComparable(value) && compare(value, operand) >= 0)
      case '$lte': return values.some((value) => isComparable(value) && compare(value, operand) <= 0)
      case '$lt': return values.some((value) => isComparable(value) && compare(value, operand) < 0)
      case '$size': return values.some((value) => Array.isArray(value) && value.length === operand)
      case '$not': return !holds(values, operand)
      default: throw new Error(`No such condition here: ${operator}`)
    }
  })
}

const isOperators = (condition: unknown): condition is Fields =>
  typeof condition === 'object' && condition !== null && Object.keys(condition).some((name) => name.startsWith('$'))
const isComparable = (value: unknown): boolean => value !== null && value !== undefined

/** What is missing is null. */
function compare (a: unknown, b: unknown): number {
  const [left, right] = [valueOf(a), valueOf(b)]
  if (left === right) return 0
  if (left === null || right === null) return left === null ? -1 : 1
  return (left as number) < (right as number) ? -1 : 1
}
const valueOf = (value: unknown): unknown => value instanceof Date ? value.getTime() : value ?? null
