/**
 * One local file over an open SFTP session, with many WRITE requests in flight, so that a long way to the server does
 * not slow it down. (ssh2's own fastPut does so too, but hides it when the closing of the remote file fails, which is when
 * this service, and a full disk elsewhere, says no; and it never ends over a local file that shrinks meanwhile.)
 */
import { open, type FileHandle } from 'node:fs/promises'
import type { SFTPWrapper } from 'ssh2'
import { CliError, unreadable } from './cli-error.js'

/**
 * Every server takes 32 KiB in one request; ssh2 cuts what is longer than 31,952 bytes in two. 64 of them in flight make
 * 40 MB/s at 50 ms of round trip.
 */
const requestBytes = 31 * 1024
const requestsInFlight = 64

interface FileToSend {
  path: string
  remotePath: string
  /** As announced; a file of another size when it is read is refused. */
  bytes: number
  /** Bytes of this file that the server has confirmed. */
  onProgress: (bytesSent: number) => void
}

/** Resolves when the server has confirmed every byte and the closing. Rejects with the server's error or a CliError. */
export async function sendFile (sftp: SFTPWrapper, file: FileToSend): Promise<void> {
  const local = await open(file.path, 'r').catch((error: unknown) => { throw unreadable(file.path, error) })
  try {
    const handle = await openRemote(sftp, file.remotePath)
    try {
      await copy(sftp, local, handle, file)
    } catch (error) {
      // The first error is what counts; the connection ends over it anyway.
      sftp.close(handle, () => {})
      throw error
    }
    await closeRemote(sftp, handle)
  } finally {
    await local.close()
  }
}

async function copy (sftp: SFTPWrapper, local: FileHandle, handle: Buffer, { path, bytes, onProgress }: FileToSend): Promise<void> {
  const state = { next: 0, sent: 0, failed: false }
  async function sender (): Promise<void> {
    const buffer = Buffer.allocUnsafe(requestBytes)
    while (state.next < bytes && !state.failed) {
      const start = state.next
      const wanted = Math.min(requestBytes, bytes - start)
      state.next += wanted
      await readWhole(local, buffer.subarray(0, wanted), start, path)
      await writeRemote(sftp, handle, buffer, wanted, start)
      state.sent += wanted
      onProgress(state.sent)
    }
  }
  const senders = Array.from({ length: Math.min(requestsInFlight, Math.ceil(bytes / requestBytes)) }, async () => {
    await sender().catch((error: unknown) => {
      state.failed = true
      throw error
    })
  })
  const first = (await Promise.allSettled(senders)).find(({ status }) => status === 'rejected')
  if (first !== undefined) throw (first as PromiseRejectedResult).reason
  if ((await local.stat()).size !== bytes) throw changed(path)
}

async function readWhole (local: FileHandle, buffer: Buffer, start: number, path: string): Promise<void> {
  for (let filled = 0; filled < buffer.length;) {
    const { bytesRead } = await local.read(buffer, filled, buffer.length - filled, start + filled)
    if (bytesRead === 0) throw changed(path)
    filled += bytesRead
  }
}

const changed = (path: string): CliError => new CliError(`${path} changed while it was being sent`)

const openRemote = async (sftp: SFTPWrapper, path: string): Promise<Buffer> => await new Promise((resolve, reject) => {
  sftp.open(path, 'w', (error, handle) => { if (error) reject(error); else resolve(handle) })
})

const writeRemote = async (sftp: SFTPWrapper, handle: Buffer, data: Buffer, length: number, position: number): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    sftp.write(handle, data, 0, length, position, (error) => { if (error) reject(error); else resolve() })
  })
}

const closeRemote = async (sftp: SFTPWrapper, handle: Buffer): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    sftp.close(handle, (error) => { if (error) reject(error); else resolve() })
  })
}
