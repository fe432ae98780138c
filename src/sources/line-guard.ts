/**
 * Cuts a stream of bytes at line ends, so that everything after it sees whole lines only, and makes every line safe to
 * read: bounded in length, valid UTF-8. A line that is not becomes a marker line in its place, so physical line numbers
 * stay true and nothing of it is buffered beyond the bound.
 *
 * Whole lines also keep split2 linear: it re-splits all it holds with every chunk, which over a 16 MiB line would be
 * quadratic.
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

export function guardLines (limit = maxLineBytes): Transform {
  /** The unfinished line so far; emptied when it is over the limit. */
  let pending: Buffer[] = []
  let pendingBytes = 0
  /** What stands for it once it is over the limit. */
  let overLimit: Buffer | null = null
  let discardedBytes = 0

  function hold (piece: Buffer): void {
    pendingBytes += piece.length
    // The line end is not counted, a CR before it is: one byte in 16 MiB.
    if (pendingBytes > limit) {
      overLimit ??= replaced('line-too-long', Buffer.concat([...pending, piece], Math.min(pendingBytes, maxSalvagedCharacters)))
      pending = []
    } else if (piece.length > 0) {
      pending.push(piece)
    }
  }

  /** The pending line with its end, which `tail` brings. */
  function finish (tail: Buffer): Buffer {
    hold(tail.subarray(0, -1))
    const line = overLimit ?? Buffer.concat([...pending, tail.subarray(-1)])
    pending = []
    pendingBytes = 0
    overLimit = null
    return line
  }

  return new Transform({
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
      if (first !== -1) this.push(checked(finish(chunk.subarray(0, first + 1))))
      if (last > first) this.push(checked(bounded(chunk.subarray(first + 1, last + 1), limit)))
      hold(chunk.subarray(last + 1))
      done()
    },
    flush (done) {
      if (pendingBytes > 0) this.push(checked(finish(Buffer.of(newline))))
      done()
    }
  })
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
