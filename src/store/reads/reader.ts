/** For whom reads of the database are made: the requests of the API run inside of `asReader`; what the service does by itself has no reader. */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Reader {
  /** Whose turn the reads take: the vendor's, or the user's as long as no vendor is named. null: not known yet; then they wait for nobody. */
  owner: string | null
  /** Told of each answer of the database before it is decoded, which it may refuse by throwing. */
  take? (bytes: number): void
  /** Whether nobody waits for the answer any more: what takes many reads is given up between two of them. */
  isGone? (): boolean
}

const readers = new AsyncLocalStorage<Reader>()

/**
 * Whatever `work` begins reads for this reader, callbacks and what it does not wait for included. Connections of the driver that are opened meanwhile keep the reader
 * for as long as they live: so it holds nothing large once the work is over.
 */
export const asReader = <T>(reader: Reader, work: () => T): T => readers.run(reader, work)

export const currentReader = (): Reader | undefined => readers.getStore()

/**
 * The same values, each read for this reader whoever asks for it: a stream is pulled by what happens to its connection, which may be the doing of
 * another request.
 */
export async function * pulledFor<T> (reader: Reader, values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await asReader(reader, async () => await iterator.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await asReader(reader, async () => await iterator.return?.())
  }
}
