/**
 * One SSH connection with one SFTP channel, as promises.
 *
 * ssh2 never answers a request that is made on a channel which has just been closed, so every request is also watched
 * here: it ends with the server's answer, with the connection, or after `requestTimeoutMs`.
 */
import { readFile } from 'node:fs/promises'
import { connect as connectTcp, type Socket } from 'node:net'
import ssh2, { type ConnectConfig, type FileEntryWithStats, type SFTPWrapper, type Stats } from 'ssh2'
import type { Logger } from 'pino'
import { sftpSoftware } from '../domain/access.js'
import { fingerprintOf, keyTypeOf } from '../domain/ssh-public-key.js'
import { NoHostKeyError, readHostKeyCheck, type HostKeyCheck, type TrustedHostKeys } from './host-keys.js'
import { isMissing, SftpConnectionError, SftpRefusedError, SftpStatusError } from './sftp-errors.js'
import { createWindowKeeper } from './sftp-window.js'

export interface SftpConnectOptions {
  host: string
  port: number
  user: string
  /** Read at every connection: the built-in server may only be about to write it, and keys are rotated. */
  privateKeyFile: string
  hostKeys: TrustedHostKeys
  /** For the TCP connection, the login and the channel together. */
  readyTimeoutMs: number
  log: Logger
}

/** Every method rejects with SftpStatusError or SftpConnectionError. */
export interface SftpConnection {
  /** Modification times are the server's own, of the upload: it is the built-in one. Others let their clients set them. */
  keepsUploadTimes: boolean
  isOpen (): boolean
  onClose (listener: () => void): void
  open (path: string): Promise<Buffer>
  close (handle: Buffer): Promise<void>
  stat (path: string): Promise<Stats>
  fstat (handle: Buffer): Promise<Stats>
  /** Fills `buffer` from its start, as far as the server gives in one answer; 0 = end of file. */
  read (handle: Buffer, buffer: Buffer, position: number): Promise<number>
  readdir (path: string): Promise<FileEntryWithStats[]>
  unlink (path: string): Promise<void>
  /** For writing; made when it is missing. */
  openToWrite (path: string): Promise<Buffer>
  write (handle: Buffer, data: Buffer, position: number): Promise<void>
  /** Takes the place of a file that is there. */
  replace (from: string, to: string): Promise<void>
  realpath (path: string): Promise<string>
  /** Drops the connection at once; open handles end with it, on the server too. */
  destroy (): void
}

const { OPEN_MODE } = ssh2.utils.sftp

type Answer<T> = (error: unknown, value?: T) => void

/** A server that answers SSH keep-alives but no requests. */
const requestTimeoutMs = 60_000

/** Rejects with SftpConnectionError, SftpRefusedError, or the signal's reason. */
export async function connectSftp (options: SftpConnectOptions, signal?: AbortSignal): Promise<SftpConnection> {
  signal?.throwIfAborted()
  const { host, port } = options
  const privateKey = await readKey(options.privateKeyFile)
  const hostKeys = await readHostKeys(options)
  const client = new ssh2.Client()
  // What is small is sent at once (`sendTogether`), and does not wait for the answer to what was sent before.
  const socket = connectTcp({ host, port, noDelay: true })
  return await new Promise((resolve, reject) => {
    let strangeHostKey: string | undefined
    const abort = (): void => {
      client.destroy()
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      client.destroy()
      reject(new SftpConnectionError('The SFTP server does not answer'))
    }, options.readyTimeoutMs)
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    signal?.addEventListener('abort', abort, { once: true })

    client.on('error', (error) => {
      options.log.debug({ err: error }, 'SFTP connection error')
      settle()
      reject(strangeHostKey !== undefined
        ? new SftpRefusedError(strangeHostKey, { cause: error })
        : error.level === 'client-authentication'
          ? new SftpRefusedError(`The SFTP server does not accept the key of ${options.user}`, { cause: error })
          : new SftpConnectionError(error.message, { cause: error }))
    })
    client.on('close', () => {
      settle()
      reject(new SftpConnectionError('Connection closed'))
    })
    client.on('ready', () => {
      client.sftp((error, sftp) => {
        settle()
        if (error === undefined || error === null) return resolve(createConnection(client, sftp, socket))
        client.destroy()
        reject(new SftpConnectionError('The SFTP server opens no channel', { cause: error }))
      })
    })
    const config: ConnectConfig = {
      sock: socket,
      username: options.user,
      privateKey,
      readyTimeout: 0, // the timer above covers more
      keepaliveInterval: 10_000,
      keepaliveCountMax: 3,
      // All in native code, the cheapest first.
      algorithms: {
        serverHostKey: hostKeys.algorithms,
        cipher: ['aes128-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr']
      },
      hostVerifier: (key: Buffer) => {
        const refusal = hostKeys.refusalOf(key)
        if (refusal === undefined) return true
        strangeHostKey = `The host key of the SFTP server ${host}:${port}, ${keyTypeOf(key)} ${fingerprintOf(key)}, ${refusal}`
        return false
      }
    }
    try {
      client.connect(config)
    } catch (error) {
      settle()
      socket.destroy()
      reject(new SftpRefusedError('The SFTP private key cannot be used', { cause: error }))
    }
  })
}

function createConnection (client: ssh2.Client, sftp: SFTPWrapper, socket: Socket): SftpConnection {
  let isOpen = true
  const keepWindowOpen = createWindowKeeper(sftp)
  const unanswered = new Set<(error: Error) => void>()
  const listeners: Array<() => void> = []

  const lose = (): void => {
    if (!isOpen) return
    isOpen = false
    client.destroy()
    for (const reject of unanswered) reject(new SftpConnectionError('Connection closed'))
    unanswered.clear()
    for (const listener of listeners) listener()
  }
  client.on('close', lose)
  sftp.on('close', lose)
  sftp.on('error', lose) // a protocol violation; ssh2 closes the channel over it

  /** Requests of one turn of the event loop go as one: a packet each is a wake-up of both sides each. */
  const sendTogether = (): void => {
    if (socket.writableCorked > 0) return
    socket.cork()
    process.nextTick(() => { socket.uncork() })
  }

  const request = async <T> (start: (answer: Answer<T>) => void): Promise<T> => await new Promise<T>((resolve, reject) => {
    if (!isOpen) return reject(new SftpConnectionError('Connection closed'))
    const timer = setTimeout(lose, requestTimeoutMs)
    const fail = (error: Error): void => {
      clearTimeout(timer)
      unanswered.delete(fail)
      reject(error)
    }
    unanswered.add(fail)
    sendTogether()
    start((error, value) => {
      if (error !== undefined && error !== null) return fail(toSftpError(error as Error))
      clearTimeout(timer)
      unanswered.delete(fail)
      resolve(value as T)
    })
  })

  return {
    keepsUploadTimes: softwareOf(client) === sftpSoftware,
    isOpen: () => isOpen,
    onClose: (listener) => { listeners.push(listener) },
    destroy: lose,
    open: async (path) => await request((answer) => sftp.open(path, 'r', answer)),
    close: async (handle) => await request((answer) => sftp.close(handle, answer)),
    stat: async (path) => await request((answer) => sftp.stat(path, answer)),
    fstat: async (handle) => await request((answer) => sftp.fstat(handle, answer)),
    read: async (handle, buffer, position) => await request((answer) => {
      keepWindowOpen()
      sftp.read(handle, buffer, 0, buffer.length, position, answer)
    }),
    readdir: async (path) => await request((answer) => sftp.readdir(path, answer)),
    unlink: async (path) => await request((answer) => sftp.unlink(path, answer)),
    openToWrite: async (path) => await request((answer) => sftp.open(path, OPEN_MODE.WRITE | OPEN_MODE.CREAT, answer)),
    write: async (handle, data, position) => await request((answer) => sftp.write(handle, data, 0, data.length, position, answer)),
    async replace (from, to) {
      if (hasPosixRename(sftp)) return await request((answer) => sftp.ext_openssh_rename(from, to, answer))
      // The built-in server replaces by itself; of others some refuse while there is a file of that name.
      const rename = async (): Promise<void> => await request((answer) => sftp.rename(from, to, answer))
      await rename().catch(async (error: unknown) => {
        if (!(error instanceof SftpStatusError) || isMissing(error)) throw error
        await request((answer) => sftp.unlink(to, answer))
        await rename()
      })
    },
    realpath: async (path) => await request((answer) => sftp.realpath(path, answer))
  }
}

/** As the server has said. ssh2 1.17 does not document the field. */
function hasPosixRename (sftp: SFTPWrapper): boolean {
  const { _extensions: extensions } = sftp as unknown as { _extensions?: Record<string, string> }
  return extensions?.['posix-rename@openssh.com'] === '1'
}

/** Of the server, as SSH's key exchange has signed it. ssh2 1.17 does not document the field; its version is pinned, and a field that is missing fails at once. */
function softwareOf (client: ssh2.Client): string {
  const { _remoteVer: software } = client as unknown as { _remoteVer?: unknown }
  if (typeof software !== 'string') throw new Error('This version of ssh2 does not say what the server calls itself')
  return software
}

/** ssh2 reports a status as `code`, a number; whatever has none is about the connection. */
function toSftpError (error: Error & { code?: unknown }): Error {
  return typeof error.code === 'number'
    ? new SftpStatusError(error.code, error.message)
    : new SftpConnectionError(error.message, { cause: error })
}

async function readKey (file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new SftpConnectionError('The SFTP private key cannot be read', { cause: error })
  }
}

async function readHostKeys ({ hostKeys, host, port }: SftpConnectOptions): Promise<HostKeyCheck> {
  try {
    return await readHostKeyCheck(hostKeys, host, port)
  } catch (error) {
    if (error instanceof NoHostKeyError) throw new SftpRefusedError(error.message, { cause: error })
    throw new SftpConnectionError('The SFTP server\'s host keys cannot be read', { cause: error })
  }
}
