/** Bytes to batches of lines: the line guard, split2, batching. */
import type { Transform } from 'node:stream'
import split2 from 'split2'
import { batchLines, defaultBatchLimits, type BatchLimits } from '../engine/batching.js'
import type { Batch } from '../engine/envelope.js'
import { guardLines } from './line-guard.js'

/** `onLine` is called for every physical line. A CR before the line end is white space to JSON. */
export function lines (file: number, onLine?: () => void, limits: BatchLimits = defaultBatchLimits): Transform[] {
  const { add, rest } = batchLines(file, limits, onLine)
  // split2 gives on what its mapper makes of each line: a stream that is handed every line to batch it takes a tenth of the whole pipeline's time.
  // One batch waits here while the next is being collected and the one before is being written.
  const split = split2('\n', (line: string) => add(inUtf8(line)), { decodeStrings: false, readableHighWaterMark: 1 })
  atEnd(split, rest)
  return [guardLines(), split]
}

/** Has it give on, behind the last line, what is left then. A stream of its own for that would have one more batch of each job wait. */
function atEnd (split: Transform, rest: () => Batch<string> | undefined): void {
  const flush = split._flush.bind(split)
  split._flush = (done) => {
    flush((error) => { done(error, rest()) })
  }
}

/** As long as a line may be that has no buffer made for it. */
const scratch = Buffer.allocUnsafe(64 * 1024)

/**
 * A line in the guard's text, as what it says. Each by itself, and none that is ASCII: decoded a chunk at a time, all of its lines take two bytes a character for the one that has to, and a tenth more
 * time to be parsed.
 */
function inUtf8 (line: string): string {
  if (Buffer.byteLength(line) === line.length) return line
  if (line.length > scratch.length) return Buffer.from(line, 'latin1').toString()
  return scratch.toString('utf8', 0, scratch.write(line, 'latin1'))
}
