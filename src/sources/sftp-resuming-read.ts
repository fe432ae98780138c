/**
 * One file's bytes as a stream that outlives its connections:
 *
 *   connecting ──open, same version──▶ reading ──last byte──▶ checking ──same version──▶ end
 *       ▲                                 │                      │
 *       └───────wait (patience)◀──────────┴───connection lost────┘
 *
 * The file's version is taken when it is first opened. It is compared after every reconnect and once more, by name, behind
 * the last READ, so that an upload which replaced the file meanwhile is never imported half and half without a word.
 */
import { Readable } from 'node:stream'
import type { Stats } from 'ssh2'
import { fatal } from '../errors.js'
import type { SftpConnection } from './sftp-connection.js'
import type { Lease } from './sftp-connections.js'
import { isMissing } from './sftp-errors.js'
import type { Patience } from './sftp-patience.js'
import { EndOfFileError, readAhead } from './sftp-read-ahead.js'

export interface FileVersion { size: number, modifiedAtMs: number }

export interface ResumingReadOptions {
  /** As the merchant knows the file; `path` is where it is on the server. */
  name: string
  path: string
  lease: (signal: AbortSignal) => Promise<Lease>
  patience: Patience
  /** Waits when another try can help; throws what the reader should see when it cannot. */
  waitOrThrow: (error: unknown, patience: Patience, signal: AbortSignal) => Promise<void>
  signal: AbortSignal
  onBytes?: (count: number) => void
}

/**
 * The size of a READ. Its answer, with its header, fits one SSH packet of 32 KiB, and it is below what ssh2 asks servers
 * other than OpenSSH for (31,952 bytes): beyond that it would split each read into two, one after the other.
 */
const chunkBytes = 31 * 1024

/** 2 MB in flight: enough for a server that is near. */
const minRequests = 64
/** 16 MB in flight: 300 MB/s at a round trip of 50 ms, 80 at 200. It bounds what a file takes of the memory. */
const maxRequests = 512
/** What a way to a server may carry, at best. */
const bytesPerMs = 250_000

/** READs in flight that fill the way to the server and back, however long it is. */
const requestsFor = (roundTripMs: number): number =>
  Math.min(maxRequests, Math.max(minRequests, Math.ceil(roundTripMs * bytesPerMs / chunkBytes)))

/** Made once: each abort without a reason makes an error of its own, with a stack, which takes as long as a request. */
const noLongerRead = new Error('The file is no longer read')

export function readResuming (options: ResumingReadOptions): Readable {
  const { signal, onBytes } = options
  const stopped = new AbortController()
  const bytes = readBytes(options, AbortSignal.any([signal, stopped.signal]))
  const stream = new Readable({
    highWaterMark: 4 * chunkBytes,
    read () {
      bytes.next().then(({ done, value }) => {
        if (done === true) return stream.push(null)
        onBytes?.(value.length)
        stream.push(value)
      }).catch((error: unknown) => stream.destroy(error as Error))
    },
    destroy (error, done) {
      // Ends the wait that the generator may be in, so that its `finally` runs now and not when the server answers.
      stopped.abort(noLongerRead)
      bytes.return().then(() => done(error), () => done(error))
    }
  })
  const abort = (): void => { stream.destroy(signal.reason as Error) }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  stream.once('close', () => signal.removeEventListener('abort', abort))
  return stream
}

async function * readBytes (options: ResumingReadOptions, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const { name, patience, lease, waitOrThrow } = options
  const progress: Progress = { offset: 0, version: undefined }
  for (;;) {
    let leased: Lease | undefined
    const drop = (): void => leased?.connection.destroy()
    signal.addEventListener('abort', drop)
    try {
      leased = await lease(signal)
      yield * readOnce(leased.connection, options, progress)
      leased.release()
      return
    } catch (error) {
      // Requests may be in flight and a handle open: they go with the connection.
      drop()
      signal.throwIfAborted()
      if (error instanceof EndOfFileError) throw fatal(`File changed while being read: ${name}`, error)
      if (isMissing(error)) {
        throw fatal(progress.version === undefined ? `File not found: ${name}` : `File disappeared while being read: ${name}`, error)
      }
      await waitOrThrow(error, patience, signal)
    } finally {
      signal.removeEventListener('abort', drop)
    }
  }
}

interface Progress { offset: number, version: FileVersion | undefined }

async function * readOnce (
  connection: SftpConnection,
  { name, path, patience }: ResumingReadOptions,
  progress: Progress
): AsyncGenerator<Buffer, void, void> {
  const compare = (stats: { size: number, mtime: number }): FileVersion => {
    const version = { size: stats.size, modifiedAtMs: stats.mtime * 1000 }
    const expected = progress.version ??= version
    if (version.size !== expected.size || version.modifiedAtMs !== expected.modifiedAtMs) {
      throw fatal(`File changed while being read: ${name}`)
    }
    return version
  }

  let isDone = false
  try {
    const askedAtMs = performance.now()
    // Both at once, which saves a round trip. Should they be of two files, the handle's own version tells at the end.
    const [handle, stats] = await Promise.all([connection.open(path), connection.stat(path)])
    const { size } = compare(stats)
    const askAgain = async (): Promise<[Stats, Stats]> => await Promise.all([connection.fstat(handle), connection.stat(path)])
    let atEnd: Promise<[Stats, Stats]> | undefined
    let isShort = false
    const chunks = readAhead({
      read: async (buffer, position) => {
        const count = await connection.read(handle, buffer, position)
        isShort ||= count < buffer.length
        return count
      },
      from: progress.offset,
      to: size,
      requests: requestsFor(performance.now() - askedAtMs),
      chunkBytes,
      // Behind the last READ, and so answered after it: asked once all is there, it would cost another round trip.
      onAllAsked: () => {
        atEnd = askAgain()
        // Awaited in its turn, and thrown there; until then Node must not take it for an unhandled one.
        atEnd.catch(() => undefined)
      }
    })
    for await (const chunk of chunks) {
      progress.offset += chunk.length
      patience.progressed()
      yield chunk
    }
    // Where gaps were asked for again, the last READ was not the last.
    for (const stats of await (isShort ? undefined : atEnd) ?? await askAgain()) compare(stats)
    // Nobody waits for the answer. A handle that could not be closed ends with its connection.
    connection.close(handle).catch(() => undefined)
    isDone = true
  } finally {
    // The consumer has stopped taking bytes (the stream was destroyed), or reading failed.
    if (!isDone) connection.destroy()
  }
}
