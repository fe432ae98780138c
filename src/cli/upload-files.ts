/**
 * Puts files into the vendor's `incoming/` folder over SFTP (interface.md, SFTP), one after the other. Ends only when the
 * server has confirmed every byte: the import must never see half a file as a whole one.
 */
import ssh2, { type Client, type SFTPWrapper } from 'ssh2'
import { fingerprintOf } from '../domain/ssh-public-key.js'
import { CliError, systemErrorCode } from './cli-error.js'
import type { LocalFile } from './local-files.js'
import { sendFile } from './send-file.js'
import { wordSftpAddress, type SftpAddress } from './sftp-address.js'

export interface UploadTarget {
  address: SftpAddress
  /** The text of an OpenSSH private key. */
  identity: string
  /** `SHA256:…` that the server's key must have; undefined accepts any. */
  hostKeyFingerprint?: string | undefined
}

export interface UploadOptions {
  signal: AbortSignal
  onHostKey?: (fingerprint: string) => void
  /** Bytes that the server has confirmed, over all files. */
  onProgress?: (bytesSent: number) => void
  /** Without a confirmed byte for this long the upload fails. */
  stallMs?: number
}

const connectMs = 20_000
const defaultStallMs = 60_000

/** Throws CliError that says which side is at fault and what to do. */
export async function uploadFiles (files: readonly LocalFile[], target: UploadTarget, options: UploadOptions): Promise<void> {
  const { signal, stallMs = defaultStallMs } = options
  if (signal.aborted) throw interrupted()
  const client = new ssh2.Client()
  const { promise: broken, reject: giveUp } = createFailure()
  let hostKey: string | null = null
  const onAbort = (): void => { giveUp(interrupted()) }
  signal.addEventListener('abort', onAbort)
  client.on('error', (error) => { giveUp(explainConnection(error, target, hostKey)) })
  client.once('close', () => { giveUp(new CliError(`${wordServer(target)} closed the connection`)) })
  // An answer that never comes is no error to ssh2; this is.
  const stall = setTimeout(() => { giveUp(new CliError(`${wordServer(target)} has not confirmed anything for ${stallMs / 1_000} s; given up`)) }, stallMs)

  async function send (sftp: SFTPWrapper): Promise<void> {
    let sentBefore = 0
    for (const { path, name, bytes } of files) {
      const onProgress = (bytesSent: number): void => {
        stall.refresh()
        options.onProgress?.(sentBefore + bytesSent)
      }
      await sendFile(sftp, { path, remotePath: `incoming/${name}`, bytes, onProgress }).catch((error: unknown) => { throw explainTransfer(error, name) })
      sentBefore += bytes
      options.onProgress?.(sentBefore)
    }
  }
  try {
    const connected = connect(client, target, (fingerprint) => {
      hostKey = fingerprint
      options.onHostKey?.(fingerprint)
    })
    await Promise.race([connected.then(async () => { await send(await openSftp(client)) }), broken])
  } finally {
    signal.removeEventListener('abort', onAbort)
    client.destroy()
    clearTimeout(stall)
  }
}

async function connect (client: Client, { address, identity, hostKeyFingerprint }: UploadTarget, onHostKey: (fingerprint: string) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    client.once('ready', resolve).connect({
      host: address.host,
      port: address.port,
      username: address.user,
      privateKey: identity,
      readyTimeout: connectMs,
      keepaliveInterval: 10_000,
      hostVerifier: (blob: Buffer) => {
        const fingerprint = fingerprintOf(blob)
        onHostKey(fingerprint)
        return hostKeyFingerprint === undefined || hostKeyFingerprint === fingerprint
      }
    })
  })
}

const openSftp = async (client: Client): Promise<SFTPWrapper> => await new Promise((resolve, reject) => {
  client.sftp((error, sftp) => {
    if (error === undefined) resolve(sftp)
    else reject(new CliError('The server offers no SFTP to this user', { cause: error }))
  })
})

/** A promise that only ever rejects, or stays as it is; late news of a connection that has done its work concerns nobody. */
function createFailure (): { promise: Promise<never>, reject: (error: CliError) => void } {
  let fail: (error: CliError) => void = () => {}
  const promise = new Promise<never>((_resolve, reject) => { fail = reject })
  promise.catch(() => {})
  return { promise, reject: (error) => { fail(error) } }
}

const wordServer = ({ address }: UploadTarget): string => `The SFTP server ${wordSftpAddress(address)}`

const interrupted = (): CliError => new CliError('Interrupted: the upload is not complete and no import was started')

const reasons: Record<string, string> = { ECONNREFUSED: 'connection refused', ENOTFOUND: 'unknown host', ECONNRESET: 'connection lost' }

function explainConnection (error: Error & { level?: string }, target: UploadTarget, hostKey: string | null): CliError {
  const server = wordServer(target)
  if (target.hostKeyFingerprint !== undefined && hostKey !== null && hostKey !== target.hostKeyFingerprint) {
    return new CliError(`${server} has the host key ${hostKey}, not ${target.hostKeyFingerprint}: nothing was sent`, { cause: error })
  }
  if (error.level === 'client-authentication') {
    return new CliError(`${server} refused the key: is it registered for ${target.address.user}?`, { cause: error })
  }
  if (error.level === 'client-timeout') return new CliError(`${server} did not answer within ${connectMs / 1_000} s`, { cause: error })
  return new CliError(`${server} cannot be reached: ${reasons[systemErrorCode(error) ?? ''] ?? error.message}`, { cause: error })
}

/** Status codes of the SFTP protocol (draft-ietf-secsh-filexfer-02, section 7). */
const refusals: Record<number, string> = {
  2: 'the server has no incoming/ folder for this user',
  3: 'the server does not permit it',
  4: 'the server could not store it'
}

function explainTransfer (error: unknown, name: string): CliError {
  if (error instanceof CliError) return error
  const { code, message } = error as Error & { code?: unknown }
  const reason = typeof code === 'number' ? refusals[code] : undefined
  // OpenSSH says no more than "Failure"; others say why.
  const said = reason === undefined ? message : /^(failure|no such file|permission denied)?$/i.test(message) ? reason : `${reason} (${message})`
  return new CliError(`${name} was not uploaded: ${said}`, { cause: error })
}
