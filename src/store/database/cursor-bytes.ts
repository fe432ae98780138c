/**
 * The documents that a cursor gives, as the server has encoded them. The driver gives those too (`raw`), after it has made a list of the fields of each, with an object for each
 * field: of what a delta reads that was half of all that outlived a collection of garbage. So the answers themselves are taken from it, in the steps by which it walks a cursor
 * itself. Its types hide them, as store/reads/gated-reads knows; its version is pinned, and what is missing fails at once.
 */
import type { AbstractCursor } from 'mongodb'
import type { Fetching } from '../reads/gated-reads.js'
import { Elements } from './bson-elements.js'
import { operationTimeMs } from './operation-time.js'

/** Of a cursor that nothing has been taken from, in the time of `toArray`. They keep the answers that they came in. Throws as the driver does. */
export async function documentsOf (cursor: AbstractCursor): Promise<Uint8Array[]> {
  const fetching = cursor.maxTimeMS(operationTimeMs) as unknown as Fetching
  const found: Uint8Array[] = []
  try {
    do {
      await fetching.fetchBatch()
      const { documents: answer } = fetching
      if (answer === null) break
      for (const document of documentsIn(answer.toBytes())) found.push(document)
      answer.clear()
    } while (!cursor.closed)
  } finally {
    await cursor.close()
  }
  return found
}

/** Of an answer to `find`, `aggregate` or `getMore`. */
export function documentsIn (answer: Uint8Array): Uint8Array[] {
  const documents: Uint8Array[] = []
  const cursor = valueOf(answer, ['cursor'])
  const batch = cursor === undefined ? undefined : valueOf(cursor, ['firstBatch', 'nextBatch'])
  if (batch === undefined) throw new Error('the database has answered without a batch')
  for (const element = new Elements(batch); element.next();) documents.push(batch.subarray(element.valueFrom, element.to))
  return documents
}

/** The value of the one that is there. */
function valueOf (bytes: Uint8Array, names: readonly string[]): Uint8Array | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let value: Uint8Array | undefined
  // To its end, which may be cut off.
  for (const element = new Elements(bytes); element.next();) {
    if (names.includes(text.toString('latin1', element.nameFrom, element.nameTo))) value = bytes.subarray(element.valueFrom, element.to)
  }
  return value
}
