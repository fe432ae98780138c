/**
 * Collects records into batches of bounded count and bounded bytes: 500 ordinary lines, or one of 16 MiB. Records leave
 * as envelopes with their physical line number; blank lines count as lines and are dropped.
 */
import { Transform } from 'node:stream'
import { Envelope, type Batch } from './envelope.js'

export interface BatchLimits {
  /** 500: the database's round trip is amortised, and the stages' share of a batch stays below 10 ms. */
  maxRecords: number
  /** Characters of text, about bytes. Bounds what one batch can hold in memory. */
  maxCharacters: number
}

export const defaultBatchLimits: BatchLimits = { maxRecords: 500, maxCharacters: 4 * 1024 * 1024 }

/** The batch in the making. */
class Batching {
  readonly #limits: BatchLimits
  #batch: Batch<unknown> = []
  #characters = 0

  constructor (limits: BatchLimits) {
    this.#limits = limits
  }

  /** Gives the batch that is full with this record, or without it. */
  add (next: Envelope<unknown>): Batch<unknown> | undefined {
    // A huge record closes the batch before it, so that no batch holds two of them.
    const isOver = this.#batch.length > 0 && this.#characters + next.characters > this.#limits.maxCharacters
    const before = isOver ? this.#take() : undefined
    this.#batch.push(next)
    this.#characters += next.characters
    return before ?? (this.#batch.length < this.#limits.maxRecords ? undefined : this.#take())
  }

  /** What is left when nothing comes any more. */
  rest (): Batch<unknown> | undefined {
    return this.#batch.length === 0 ? undefined : this.#take()
  }

  #take (): Batch<unknown> {
    const full = this.#batch
    this.#batch = []
    this.#characters = 0
    return full
  }
}

interface LineBatching {
  /** Takes one physical line, and gives the batch that is full. */
  add (text: string): Batch<string> | undefined
  rest (): Batch<string> | undefined
}

/** Batches of the lines of a file; `onLine` is called for each. */
export function batchLines (file: number, limits: BatchLimits = defaultBatchLimits, onLine?: () => void): LineBatching {
  const batching = new Batching(limits)
  let line = 0
  return {
    add (text) {
      line += 1
      onLine?.()
      const start = line === 1 && text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text
      return isBlank(start) ? undefined : batching.add(new Envelope({ file, line }, start, start.length)) as Batch<string> | undefined
    },
    rest: () => batching.rest() as Batch<string> | undefined
  }
}

/** Object mode: anything in, `Batch<T>` out; `read` says what each chunk becomes (null: nothing). */
export function collect<Chunk> (limits: BatchLimits, read: (chunk: Chunk) => Envelope<unknown> | null): Transform {
  const batching = new Batching(limits)
  return new Transform({
    objectMode: true,
    // What is read arrives a chunk's worth at a time; a deep input queue saves a drain round for each.
    writableHighWaterMark: 1_024,
    // One batch waits here while the next is being collected and the one before is being written.
    readableHighWaterMark: 1,
    transform (chunk: Chunk, _encoding, done) {
      let full
      try {
        const next = read(chunk)
        full = next === null ? undefined : batching.add(next)
      } catch (error) {
        return done(error as Error)
      }
      done(null, full)
    },
    flush (done) {
      done(null, batching.rest())
    }
  })
}

/** Cheap for the ordinary line, whose first character decides. */
const isBlank = (text: string): boolean => text.charCodeAt(0) !== 0x7B && text.trim() === ''
