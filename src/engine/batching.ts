/**
 * Collects records into batches of bounded count and bounded bytes: 500 ordinary lines, or one of 16 MiB. Records leave
 * as envelopes with their physical line number; blank lines count as lines and are dropped.
 */
import { Transform } from 'node:stream'
import { Envelope } from './envelope.js'

export interface BatchLimits {
  /** 500: the database's round trip is amortised, and the stages' share of a batch stays below 10 ms. */
  maxRecords: number
  /** Characters of text, about bytes. Bounds what one batch can hold in memory. */
  maxCharacters: number
}

export const defaultBatchLimits: BatchLimits = { maxRecords: 500, maxCharacters: 4 * 1024 * 1024 }

/** Object mode: strings (one physical line each) in, `Batch<string>` out. */
export function batchLines (file: number, limits: BatchLimits = defaultBatchLimits, onLine?: () => void): Transform {
  let line = 0
  return collect<string>(limits, (text) => {
    line += 1
    onLine?.()
    const start = line === 1 && text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text
    return isBlank(start) ? null : new Envelope({ file, line }, start, start.length)
  })
}

/** Object mode: anything in, `Batch<T>` out; `read` says what each chunk becomes (null: nothing). */
export function collect<Chunk> (limits: BatchLimits, read: (chunk: Chunk) => Envelope<unknown> | null): Transform {
  let batch: Array<Envelope<unknown>> = []
  let characters = 0
  const take = (): Array<Envelope<unknown>> => {
    const full = batch
    batch = []
    characters = 0
    return full
  }
  return new Transform({
    objectMode: true,
    // Lines arrive a chunk's worth at a time; a deep input queue saves a drain round for each.
    writableHighWaterMark: 1_024,
    // One batch waits here while the next is being collected and the one before is being written.
    readableHighWaterMark: 1,
    transform (chunk: Chunk, _encoding, done) {
      let next
      try {
        next = read(chunk)
      } catch (error) {
        return done(error as Error)
      }
      if (next !== null) {
        // A huge record closes the batch before it, so that no batch holds two of them.
        if (batch.length > 0 && characters + next.characters > limits.maxCharacters) this.push(take())
        batch.push(next)
        characters += next.characters
        if (batch.length >= limits.maxRecords) this.push(take())
      }
      done()
    },
    flush (done) {
      if (batch.length > 0) this.push(take())
      done()
    }
  })
}

/** Cheap for the ordinary line, whose first character decides. */
const isBlank = (text: string): boolean => text.charCodeAt(0) !== 0x7B && text.trim() === ''
