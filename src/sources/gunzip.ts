/**
 * Gzip is told by its magic bytes, not by the file's name (decisions.md, "Job states"): merchants misname files, and
 * servers unpack them on the way. Members one after another are one file, as gzip defines it.
 */
import { Transform, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { fatal } from '../errors.js'

/** 128 KiB: half again as fast as the default 16 KiB (bench: decode). */
const chunkSize = 128 * 1024

export interface GzipDecoder {
  /** What to put behind the source: gunzip, or nothing. */
  streams: Transform[]
  /**
   * To be called when everything was read. Throws a fatal AppError when bytes follow the gzip data: zlib stops there
   * without a word, and calling a half-read file whole could archive the other half.
   */
  verify: () => void
  /** An error of the pipeline as what it means for the file; any other error as it is. */
  explain: (error: unknown) => unknown
}

/** Waits for the source's first bytes and leaves them in it. `name` is the file's, for messages. */
export async function gunzipIfGzip (source: Readable, name: string): Promise<GzipDecoder> {
  // Until the pipeline listens, an error that arrives in between must not go unheard; the stream remembers it.
  source.on('error', () => {})
  const head = await peek(source, 2)
  if (head[0] !== 0x1F || head[1] !== 0x8B) return { streams: [], verify: () => {}, explain: (error) => error }

  const gunzip = createGunzip({ chunkSize })
  let bytesIn = 0
  /** gunzip has found the end of its data, whether or not anybody has read that far yet. */
  let isAtEnd = false
  let isSourceRead = false
  const push = gunzip.push.bind(gunzip)
  gunzip.push = (chunk: unknown) => {
    isAtEnd ||= chunk === null
    return push(chunk)
  }
  const counter = new Transform({
    transform (chunk: Buffer, _encoding, done) {
      bytesIn += chunk.length
      done(null, chunk)
    },
    flush (done) {
      isSourceRead = true
      done()
    }
  })
  const trailing = (): Error => fatal(`${name} is corrupt: other data follows its gzip data`)
  return {
    streams: [counter, gunzip],
    verify () {
      // gunzip may have ended before the source did, or before it took all that was written.
      if (!isSourceRead || gunzip.bytesWritten < bytesIn) throw trailing()
    },
    explain (error) {
      const code = (error as NodeJS.ErrnoException | null)?.code
      // What zlib makes of bytes behind its end depends on how they are cut into chunks; that they are there does not.
      if (isAtEnd && (code?.startsWith('Z_') === true || code?.startsWith('ERR_STREAM_') === true)) return trailing()
      if (code === 'Z_BUF_ERROR') return fatal(`${name} is truncated: its gzip data ends too early`, error)
      if (code?.startsWith('Z_') === true) return fatal(`${name} is corrupt: not valid gzip data`, error)
      return error
    }
  }
}

/** The first `size` bytes, fewer when the source has no more. Rejects with the source's error. */
async function peek (source: Readable, size: number): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const look = (): void => {
      const head = source.read(size) as Buffer | null
      if (head === null) return
      source.unshift(head)
      settle(() => { resolve(head) })
    }
    const end = (): void => { settle(() => { resolve(Buffer.alloc(0)) }) }
    const fail = (error: Error): void => { settle(() => { reject(error) }) }
    const settle = (then: () => void): void => {
      source.off('readable', look).off('end', end).off('error', fail)
      then()
    }
    source.on('readable', look).on('end', end).on('error', fail)
  })
}
