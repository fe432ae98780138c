/** What is read of one state of documents in memory, and changes of them that are made together, where nobody else has changed any of them since, or not at all. */
import { MongoServerError } from 'mongodb'
import { MemoryCollection, type Fields, type Stored } from './memory-collection.js'

export class WriteConflict extends MongoServerError {
  constructor () { super({ message: 'WriteConflict', code: 112, errorLabels: ['TransientTransactionError'] }) }
}

interface Change { collection: MemoryCollection, before: Stored, after: Stored }

export class MemoryTransaction {
  /** When its writer has asked the fence. */
  fencedAtMs = Infinity
  readonly #changes = new Map<string, Change>()
  readonly #states = new Map<MemoryCollection, MemoryCollection>()

  /** As it was when the transaction first asked for it. What the transaction has changed itself nobody here reads. */
  stateOf (collection: MemoryCollection): MemoryCollection {
    const state = this.#states.get(collection) ?? collection.snapshot()
    this.#states.set(collection, state)
    return state
  }

  /** Changes the one document that matches, as far as the transaction knows it. Gives how many do. */
  change (collection: MemoryCollection, filter: Fields, changed: (found: MemoryCollection) => void): number {
    const _id = filter['_id'] as string
    const before = this.#changes.get(_id)?.before ?? this.stateOf(collection).get(_id)
    if (before === null) return 0
    const own = new MemoryCollection()
    own.insert(this.#changes.get(_id)?.after ?? before)
    if (own.find(filter).length === 0) return 0
    changed(own)
    this.#changes.set(_id, { collection, before, after: own.get(_id) as Stored })
    return 1
  }

  /** Throws WriteConflict, and changes nothing then. `isBlind`: whoever has written meanwhile. */
  commit (isBlind: boolean): void {
    const changes = [...this.#changes.values()]
    for (const { collection, before } of isBlind ? [] : changes) if (collection.get(before._id) !== before) throw new WriteConflict()
    for (const { collection, before, after } of changes) collection.replace({ _id: before._id }, after)
  }
}
