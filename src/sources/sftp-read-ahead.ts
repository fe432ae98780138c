/**
 * Reads a range with many requests in flight and gives the bytes out in order. One request at a time would cost a round
 * trip per 32 KiB: 0.6 MB/s at 50 ms.
 *
 * Memory is bounded by `requests` chunks: a request is sent only when the oldest chunk has been handed out, so a consumer
 * that stops taking bytes stops the requests.
 */

export interface ReadAheadOptions {
  /** Fills the buffer from its start, wholly or in part; 0 = end of file. */
  read: (buffer: Buffer, position: number) => Promise<number>
  /** First byte, and the one after the last. */
  from: number
  to: number
  /** In flight at a time. */
  requests: number
  chunkBytes: number
  /** Called once, when the last byte has been asked for and before it is given out: what is sent now comes behind it. */
  onAllAsked?: () => void
}

/** The file ended before `to`. */
export class EndOfFileError extends Error {
  override readonly name = 'EndOfFileError'
}

/** Servers that give less than this at a time are not asked for less: the header would outgrow the data. */
const minChunkBytes = 4096

/** Yields Buffers that the consumer owns. Requests may still be in flight when it is returned early or throws. */
export async function * readAhead ({ read, from, to, requests, chunkBytes, onAllAsked }: ReadAheadOptions): AsyncGenerator<Buffer, void, void> {
  let length = chunkBytes
  let lastShortRead = 0
  const inFlight: Array<Promise<Buffer>> = []
  let next = from
  let isAllAsked = false

  const fetchChunk = async (position: number, size: number): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafe(size)
    for (let filled = 0; filled < size;) {
      const count = await read(buffer.subarray(filled), position + filled)
      if (count === 0) throw new EndOfFileError(`End of file at ${position + filled}, before ${to}`)
      filled += count
      // A short read is no end of file: the gap is asked for again. The same short count twice is a limit of the
      // server, and worth smaller chunks, since every gap costs a round trip.
      if (filled < size) {
        if (count === lastShortRead) length = Math.max(count, minChunkBytes)
        lastShortRead = count
      }
    }
    return buffer
  }
  const fill = (): void => {
    while (inFlight.length < requests && next < to) {
      const chunk = fetchChunk(next, Math.min(length, to - next))
      // Awaited in its turn, and thrown there; until then Node must not take it for an unhandled one.
      chunk.catch(() => undefined)
      inFlight.push(chunk)
      next += Math.min(length, to - next)
    }
    if (next >= to && !isAllAsked) {
      isAllAsked = true
      onAllAsked?.()
    }
  }

  for (fill(); inFlight.length > 0;) {
    const chunk = await inFlight.shift()
    fill()
    if (chunk !== undefined) yield chunk
  }
}
