/**
 * Cuts a stream of bytes at line ends, so that everything after it sees whole lines only, and makes every line safe to
 * read: bounded in length, valid UTF-8. A line that is not becomes a marker line in its place, so physical line numbers
 * stay true and nothing of it is buffered beyond the bound.
 *
 * Whole lines also keep split2 linear: it re-splits all it holds with every chunk, which over a 16 MiB line would be
 * quadratic.
 *
 * What it gives is text of a byte a character (Latin-1), which costs next to nothing to make and to search, and needs the bytes no longer.
 */
import { isUtf8 } from 'node:buffer'
import { Transform } from 'node:stream'
import { markLine, maxLineBytes, type MarkedFault } from '../domain/line-markers.js'
import { maxSalvagedCharacters, salvageExternalId } from '../domain/salvage-id.js'

const newline = 0x0A

/** In the place of a line that begins so; bytes that are no UTF-8 become replacements, which no id has. */
const replaced = (code: MarkedFault, beginning: Buffer): Buffer =>
  Buffer.from(`${markLine(code, salvageExternalId(beginning.toString('utf8', 0, maxSalvagedCharacters)))}\n`)

/**
 * What is beyond the bound is thrown away as fast as it is unpacked, which nothing behind it slows down: a gzip of a megabyte holds a gigabyte of one line, and zlib
 * works in threads that go before those of imports. So after each mebibyte of it the others have their turn.
 */
const discardedBytesAtOnce = 1024 * 1024
const pauseMs = 10

/**
 * Of whole lines, and to the end of one, for what comes next makes records of all that it is given at a time: of 128 KiB of lines of one character there would be 13 MB of them.
 * A tenth of a usual chunk, so that usual lines are given on many at a time.
 */
const bytesAtOnce = 12 * 1024

export function guardLines (limit = maxLineBytes): Transform {
  const pending = new PendingLine(limit + 1)
  /** Of the pending line, as far as it came. */
  let pendingBytes = 0
  /** What stands for it once it is over the limit; nothing of it is kept from then on. */
  let overLimit: Buffer | null = null
  let discardedBytes = 0

  function hold (piece: Buffer): void {
    pendingBytes += piece.length
    if (overLimit !== null) return
    // The line end is not counted, a CR before it is: one byte in 16 MiB.
    if (pendingBytes <= limit) return pending.add(piece)
    overLimit = replaced('line-too-long', Buffer.concat([pending.bytes(), piece.subarray(0, maxSalvagedCharacters)], Math.min(pendingBytes, maxSalvagedCharacters)))
    pending.clear()
  }

  const guard = new Transform({
    transform (chunk: Buffer, _encoding, done) {
      const last = chunk.lastIndexOf(newline)
      if (last === -1) {
        hold(chunk)
        if (overLimit !== null) discardedBytes += chunk.length
        if (discardedBytes < discardedBytesAtOnce) return done()
        discardedBytes = 0
        setTimeout(done, pauseMs)
        return
      }
      const first = pendingBytes === 0 ? -1 : chunk.indexOf(newline)
      if (first !== -1) finish(chunk.subarray(0, first + 1))
      if (last > first) giveOn(checked(bounded(chunk.subarray(first + 1, last + 1), limit)))
      hold(chunk.subarray(last + 1))
      done()
    },
    flush (done) {
      if (pendingBytes > 0) finish(Buffer.of(newline))
      done()
    }
  })

  function giveOn (lines: Buffer): void {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf(newline, from + bytesAtOnce - 1) + 1
      const piece = end === 0 ? lines.subarray(from) : lines.subarray(from, end)
      guard.push(piece)
      from += piece.length
    }
  }

  /** Gives on the pending line with its end, which `tail` brings. */
  function finish (tail: Buffer): void {
    hold(tail.subarray(0, -1))
    if (overLimit === null) pending.add(tail.subarray(-1))
    // It is text as soon as it is given on.
    guard.push(overLimit ?? checked(pending.bytes()))
    pending.clear()
    pendingBytes = 0
    overLimit = null
  }

  return guard.setEncoding('latin1')
}

/** More than what a chunk leaves over. */
const keptBytes = 64 * 1024

/** A line that came in pieces: in memory that grows with it where it is, and is free as soon as it is over. Of pieces to be put together there would be as much again. */
class PendingLine {
  readonly #memory: ArrayBuffer
  #length = 0

  constructor (maxBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: maxBytes })
  }

  add (piece: Buffer): void {
    const from = this.#length
    this.#length += piece.length
    if (this.#length > this.#memory.byteLength) this.#memory.resize(this.#length)
    piece.copy(this.bytes(), from)
  }

  /** Until the next call of another method. */
  bytes (): Buffer {
    return Buffer.from(this.#memory, 0, this.#length)
  }

  clear (): void {
    this.#length = 0
    if (this.#memory.byteLength > keptBytes) this.#memory.resize(0)
  }
}

/** Whole lines, each at most `limit` long. A chunk no longer than the limit cannot hold a longer line. */
function bounded (lines: Buffer, limit: number): Buffer {
  if (lines.length <= limit) return lines
  return rewrite(lines, (line) => line.length - 1 > limit ? replaced('line-too-long', line) : line)
}

/** Whole lines, each valid UTF-8. The check of the whole chunk is what ordinary data costs. */
function checked (lines: Buffer): Buffer {
  if (isUtf8(lines)) return lines
  return rewrite(lines, (line) => isUtf8(line) ? line : replaced('invalid-utf8', line))
}

function rewrite (lines: Buffer, change: (line: Buffer) => Buffer): Buffer {
  const result: Buffer[] = []
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(newline, start) + 1
    result.push(change(lines.subarray(start, end)))
    start = end
  }
  return Buffer.concat(result)
}
