/**
 * One file's bytes as a stream that outlives its connections:
 *
 *   connecting ──open, same version──▶ reading ──last byte──▶ checking ──same version──▶ end
 *       ▲                                 │                      │
 *       └───────wait (patience)◀──────────┴───connection lost────┘
 *
 * The file's version is taken when it is first opened. It is compared after every reconnect and once more, by name, after
 * the last byte, so that an upload which replaced the file meanwhile is never imported half and half without a word.
 */
import { Readable } from 'node:stream'
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
  readAheadRequests: number
  signal: AbortSignal
  onBytes?: (count: number) => void
}

/**
 * The size of a READ. Its answer, with its header, fits one SSH packet of 32 KiB, and it is below what ssh2 asks servers
 * other than OpenSSH for (31,952 bytes): beyond that it would split each read into two, one after the other.
 */
const chunkBytes = 31 * 1024

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
      stopped.abort()
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
  { name, path, patience, readAheadRequests }: ResumingReadOptions,
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
    const handle = await connection.open(path)
    const { size } = compare(await connection.fstat(handle))
    const chunks = readAhead({
      read: async (buffer, position) => await connection.read(handle, buffer, position),
      from: progress.offset,
      to: size,
      requests: readAheadRequests,
      chunkBytes
    })
    for await (const chunk of chunks) {
      progress.offset += chunk.length
      patience.progressed()
      yield chunk
    }
    compare(await connection.fstat(handle))
    compare(await connection.stat(path))
    await connection.close(handle)
    isDone = true
  } finally {
    // The consumer has stopped taking bytes (the stream was destroyed), or reading failed.
    if (!isDone) connection.destroy()
  }
}
