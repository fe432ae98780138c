/** A cursor in the driver's place whose documents come in one answer, in the steps that store/database/cursor-bytes walks. */
import { BSON } from 'mongodb'

interface Answer { toBytes (): Uint8Array, clear (): void }

export interface FoundCursor {
  maxTimeMS (ms: number): this
  documents: Answer | null
  closed: boolean
  fetchBatch (): Promise<void>
  close (): Promise<void>
}

export function foundCursor (find: () => Promise<object[]>): FoundCursor {
  const cursor: FoundCursor = {
    maxTimeMS () { return this },
    documents: null,
    closed: false,
    async fetchBatch () {
      const answer = answerOf(await find())
      cursor.documents = { toBytes: () => answer, clear () {} }
      cursor.closed = true
    },
    close: async () => { cursor.closed = true }
  }
  return cursor
}

/** As a server tells of what it has found. */
export const answerOf = (documents: object[], batch: 'firstBatch' | 'nextBatch' = 'firstBatch'): Uint8Array =>
  BSON.serialize({ cursor: { [batch]: documents, id: BSON.Long.ZERO, ns: 'catalog.things' }, ok: 1 }, { ignoreUndefined: true })
