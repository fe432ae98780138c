/**
 * The service's only way to merchants' files, the same for the built-in server and any other.
 *
 * A lost connection is waited for (sftp-patience.ts) and the read goes on where it was, provided that the file is still
 * the one whose first byte was read: same size, same modification time (whole seconds: that is all SFTP 3 tells).
 */
import { connect as connectTcp } from 'node:net'
import { once } from 'node:events'
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Stats } from 'ssh2'
import { fatal, givenUp, isAppError, unavailable, type AppError } from '../errors.js'
import type { TrustedHostKeys } from './host-keys.js'
import { connectSftp } from './sftp-connection.js'
import { createSftpConnections, type Lease } from './sftp-connections.js'
import { isForbidden, isMissing, isTransient, SftpRefusedError } from './sftp-errors.js'
import { readResuming, type FileVersion } from './sftp-resuming-read.js'
import { createPatience, defaultReconnect, type Patience, type ReconnectPolicy } from './sftp-patience.js'
import { createSftpUploads, type SftpUploads } from './sftp-uploads.js'
import { hasLoginPerVendor, parseSftpUrl } from './sftp-url.js'

export interface SftpFilesOptions {
  /** `sftp://user@host:port/{vendorId}`; files are in `incoming/` below that path. */
  url: string
  privateKeyFile: string
  /** What the server must show. */
  hostKeys: TrustedHostKeys
  log: Logger
  reconnect?: Partial<ReconnectPolicy>
}

export interface FileInfo { size: number, modifiedAtMs: number }

export interface ListedFile extends FileInfo {
  name: string
  /** By the server's own clock. null: unknown, for the server lets its clients set modification times. */
  uploadedAtMs: number | null
}

/** Every method rejects with an AppError, or with the signal's reason. It is fatal, be it over the file or the server, which is waited for: only once all is closed it is not, nor from `ping`. */
export interface SftpFiles extends SftpUploads {
  /** Rejects with fatal 'File not found: NAME'. */
  stat (vendorId: string, name: string, signal?: AbortSignal): Promise<FileInfo>
  /** The file's bytes from start to end. Fails when the file is missing, changes or disappears meanwhile, or the server stays away. */
  read (vendorId: string, name: string, options: { signal: AbortSignal, onBytes?: (count: number) => void }): Readable
  /** The plain files in the vendor's incoming/; none when it has no such folder yet. */
  list (vendorId: string): Promise<ListedFile[]>
  /** A file that is missing is fine. */
  remove (vendorId: string, name: string): Promise<void>
  /** One login (where every vendor has its own: one TCP connection), within 5 s. For readiness. */
  ping (): Promise<void>
  close (): Promise<void>
}

const readyTimeoutMs = 20_000
const pingTimeoutMs = 5_000

export function createSftpFiles (options: SftpFilesOptions): SftpFiles {
  const { privateKeyFile, hostKeys, log } = options
  const target = parseSftpUrl(options.url)
  const { host, port } = target
  const policy = { ...defaultReconnect, ...options.reconnect }
  const connections = createSftpConnections(async (user, signal) => await connectSftp(
    { host, port, user, privateKeyFile, hostKeys, readyTimeoutMs: Math.min(readyTimeoutMs, policy.budgetMs), log },
    signal
  ))

  const gone = (error: unknown): AppError => givenUp(`SFTP connection lost and not back within ${policy.budgetMs / 1000} s`, error)
  /** Waits when waiting can help; throws what the caller should see when it cannot. */
  const waitOrThrow = async (error: unknown, patience: Patience, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted()
    if (isAppError(error)) throw error
    if (error instanceof SftpRefusedError) throw givenUp(error.message, error)
    if (isForbidden(error)) throw fatal('The SFTP server denies access to the file', error)
    if (!isTransient(error)) throw error
    log.info({ err: error }, 'SFTP server away, trying again')
    if (!await patience.wait(signal)) throw gone(error)
  }
  /** One request or a few, tried again while the server is away. */
  const persist = async <T> (user: string, work: (lease: Lease) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const patience = createPatience(policy)
    for (;;) {
      try {
        return await attempt(user, work, signal)
      } catch (error) {
        if (isMissing(error)) throw error
        await waitOrThrow(error, patience, signal)
      }
    }
  }
  const attempt = async <T> (user: string, work: (lease: Lease) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const lease = await connections.lease(user, signal)
    const abort = (): void => lease.connection.destroy()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await work(lease)
    } finally {
      signal?.removeEventListener('abort', abort)
      lease.release()
    }
  }
  const fileAt = (vendorId: string, name: string): { user: string, path: string } => {
    if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) throw fatal(`Not a file name: ${JSON.stringify(name)}`)
    const { user, incoming } = target.locate(vendorId)
    return { user, path: posix.join(incoming, name) }
  }

  return {
    ...createSftpUploads({ attempt, fileAt }),
    async stat (vendorId, name, signal) {
      const { user, path } = fileAt(vendorId, name)
      try {
        const stats = await persist(user, async ({ connection }) => await connection.stat(path), signal)
        if (!stats.isFile()) throw fatal(`File not found: ${name}`)
        return infoOf(stats)
      } catch (error) {
        throw isMissing(error) ? fatal(`File not found: ${name}`, error) : error
      }
    },
    read (vendorId, name, { signal, onBytes }) {
      const { user, path } = fileAt(vendorId, name)
      return readResuming({
        name,
        path,
        lease: async (aborted) => await connections.lease(user, aborted),
        patience: createPatience(policy),
        waitOrThrow,
        signal,
        ...onBytes === undefined ? {} : { onBytes }
      })
    },
    async list (vendorId) {
      const { user, incoming } = target.locate(vendorId)
      try {
        return await persist(user, async ({ connection }) => (await connection.readdir(incoming)).filter(({ attrs }) => attrs.isFile()).map(({ filename, attrs }) => {
          const info = infoOf(attrs)
          return { name: filename, ...info, uploadedAtMs: connection.keepsUploadTimes ? info.modifiedAtMs : null }
        }))
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
    },
    async remove (vendorId, name) {
      const { user, path } = fileAt(vendorId, name)
      try {
        await persist(user, async ({ connection }) => await connection.unlink(path))
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
    async ping () {
      const signal = AbortSignal.timeout(pingTimeoutMs)
      try {
        if (hasLoginPerVendor(target)) await knock(host, port, signal)
        else await attempt(target.userTemplate, async ({ connection }) => await connection.realpath('.'), signal)
      } catch (error) {
        throw unavailable(error instanceof SftpRefusedError ? error.message : 'SFTP server cannot be reached', error)
      }
    },
    async close () {
      connections.close()
    }
  }
}

const infoOf = (stats: Stats): FileVersion => ({ size: stats.size, modifiedAtMs: stats.mtime * 1000 })

async function knock (host: string, port: number, signal: AbortSignal): Promise<void> {
  const socket = connectTcp({ host, port })
  try {
    await once(socket, 'connect', { signal })
  } finally {
    socket.destroy()
  }
}
