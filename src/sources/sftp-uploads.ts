/**
 * Writing to merchants' files for those who upload over HTTP (api/rest/files). Someone waits for the answer, so nothing is tried again
 * here: the client comes again, and goes on behind what is there.
 */
import { isAppError, limitExceeded, notFound, unavailable } from '../errors.js'
import type { SftpConnection } from './sftp-connection.js'
import type { Lease } from './sftp-connections.js'
import { isForbidden, isMissing, SftpRefusedError, SftpStatusError } from './sftp-errors.js'

/** Every method rejects with SERVICE_UNAVAILABLE when the server is away or lets the service write nothing, LIMIT_EXCEEDED when the built-in one names a quota. */
export interface SftpUploads {
  /** null: there is no such file. */
  sizeOf (vendorId: string, name: string): Promise<number | null>
  /**
   * Writes to the file, which is made when it is missing, from `position` on, each piece behind the one before: there are never holes. Resolves
   * when all is written. When `pieces` throw it rejects with that, and what came before is kept.
   */
  append (vendorId: string, name: string, position: number, pieces: AsyncIterable<Buffer>): Promise<void>
  /** Takes the place of a file that is there. NOT_FOUND when `from` is missing. */
  replace (vendorId: string, from: string, to: string): Promise<void>
}

interface Ways {
  attempt: <T>(user: string, work: (lease: Lease) => Promise<T>, signal?: AbortSignal) => Promise<T>
  fileAt: (vendorId: string, name: string) => { user: string, path: string }
}

/** For a server that does not answer; a piece is written in milliseconds. */
const answerTimeoutMs = 10_000

export function createSftpUploads ({ attempt, fileAt }: Ways): SftpUploads {
  return {
    async sizeOf (vendorId, name) {
      const { user, path } = fileAt(vendorId, name)
      try {
        return await attempt(user, async ({ connection }) => (await connection.stat(path)).size, AbortSignal.timeout(answerTimeoutMs))
      } catch (error) {
        if (isMissing(error)) return null
        throw wordFailure(error, false)
      }
    },
    async append (vendorId, name, position, pieces) {
      const { user, path } = fileAt(vendorId, name)
      let isOurs = false
      let broken: { error: unknown } | null = null
      try {
        await attempt(user, async ({ connection }) => {
          isOurs = connection.keepsUploadTimes
          broken = await writeTo(connection, path, position, pieces)
        })
      } catch (error) {
        throw wordFailure(error, isOurs)
      }
      // Not the server's doing.
      if (broken !== null) throw (broken as { error: unknown }).error
    },
    async replace (vendorId, from, to) {
      const { user, path } = fileAt(vendorId, from)
      try {
        await attempt(user, async ({ connection }) => { await connection.replace(path, fileAt(vendorId, to).path) }, AbortSignal.timeout(answerTimeoutMs))
      } catch (error) {
        if (isMissing(error)) throw notFound('There is no such upload')
        throw wordFailure(error, false)
      }
    }
  }
}

/** What `pieces` threw, once what they gave before is on the server. */
async function writeTo (connection: SftpConnection, path: string, position: number, pieces: AsyncIterable<Buffer>): Promise<{ error: unknown } | null> {
  const handle = await connection.openToWrite(path)
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (let at = position; ;) {
      let piece: Buffer
      try {
        const next = await iterator.next()
        if (next.done === true) return null
        piece = next.value
      } catch (error) {
        return { error }
      }
      await connection.write(handle, piece, at)
      at += piece.length
    }
  } finally {
    await iterator.return?.()
    await connection.close(handle)
  }
}

function wordFailure (error: unknown, isOurs: boolean): Error {
  if (isAppError(error)) return error
  if (isOurs && error instanceof SftpStatusError && /^(?:Quota exceeded|File is larger)/.test(error.message)) return limitExceeded(error.message)
  if (isForbidden(error)) return unavailable('The file server does not let the service write', error)
  if (isMissing(error)) return unavailable('The file server has no folder for this vendor\'s files', error)
  return unavailable(error instanceof SftpRefusedError ? error.message : 'The file server cannot be reached', error)
}
