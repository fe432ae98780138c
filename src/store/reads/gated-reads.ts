/**
 * Puts each command by which a collection reads through the gate (read-gate.ts): whatever finds, counts or aggregates, now or tomorrow, passes
 * it without knowing. All of them, `findOne` and `countDocuments` too, are cursors to the driver, and all that a cursor asks the server for
 * goes through its `fetchBatch`, a first batch as any later one. `distinct` is the one read that is none; only the sweeper of files uses it.
 */
import type { AbstractCursor, Collection, Document } from 'mongodb'
import { ownRound } from './own-round.js'
import { currentReader } from './reader.js'
import type { ReadGate } from './read-gate.js'

/** The driver's own steps, which its types hide. */
export interface Fetching {
  /** Asks for the first answer, or the next one, and puts the cursor away behind the last. */
  fetchBatch (): Promise<void>
  /** The last answer, still in BSON: each document is decoded when it is its turn. */
  documents: { toBytes (): Uint8Array, clear (): void } | null
}

export function gateReads<T extends Document> (collection: Collection<T>, gate: Pick<ReadGate, 'run'>): Collection<T> {
  const [find, aggregate] = [collection.find.bind(collection), collection.aggregate.bind(collection)]
  const gated = <C extends AbstractCursor>(cursor: C, operation: string, asked: unknown): C => {
    const fetching = cursor as unknown as Fetching
    const fetchBatch = fetching.fetchBatch.bind(cursor)
    let shape: string | undefined
    fetching.fetchBatch = async () => {
      const reader = currentReader()
      // One that has ended is only put away.
      const isOver = cursor.closed || cursor.id?.isZero() === true
      if (reader === undefined || isOver) return await fetchBatch()
      // What is left of an answer costs what it costs, whatever it took to find its beginning.
      const batch: string = cursor.id === undefined ? 'first' : 'next'
      shape ??= `${collection.collectionName} ${operation} ${shapeOf(asked)}`
      if (reader.owner === null) await fetchBatch()
      else await gate.run(reader.owner, `${shape} ${batch}`, fetchBatch)
      const bytes = fetching.documents?.toBytes().byteLength ?? 0
      reader.take?.(bytes)
      if (bytes > largeAnswerBytes) await ownRound(reader.owner ?? '')
    }
    return cursor
  }
  collection.find = ((...[filter, options]: Parameters<typeof find>) => gated(find(filter, options), 'find', filter)) as typeof collection.find
  collection.aggregate = (...[pipeline, options]: Parameters<typeof aggregate>) => gated(aggregate(pipeline, options), 'aggregate', pipeline)
  return collection
}

/** To decode as many takes half a millisecond, to make something of them some more. */
const largeAnswerBytes = 32 * 1_024

/** Deep enough for the filters and stages there are. */
const maxShapeDepth = 4

/** The keys of a filter or pipeline without their values: `{vendorId,archived,externalId{$gt}}`. */
export function shapeOf (asked: unknown, depth = 0): string {
  if (Array.isArray(asked)) {
    // Of a list of values only that it is one; stages and conditions are what they are made of.
    return typeof asked[0] === 'object' ? `[${asked.map((each) => shapeOf(each, depth)).join(',')}]` : '[]'
  }
  if (typeof asked !== 'object' || asked === null || depth === maxShapeDepth || Object.getPrototypeOf(asked) !== Object.prototype) return ''
  return `{${Object.entries(asked).map(([key, value]) => `${key}${shapeOf(value, depth + 1)}`).join(',')}}`
}
