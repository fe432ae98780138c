/** How talking to an SFTP server fails, sorted by what can be done about it. */

/** The server answered, with an SFTP version 3 status code. */
export class SftpStatusError extends Error {
  override readonly name = 'SftpStatusError'
  readonly status: number

  constructor (status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The connection is gone, or could not be made. Worth another try. */
export class SftpConnectionError extends Error {
  override readonly name = 'SftpConnectionError'
}

/** The server does not let us in, or is not the one that was expected. Trying again at once changes nothing. */
export class SftpRefusedError extends Error {
  override readonly name = 'SftpRefusedError'
}

const noSuchFile = 2
const permissionDenied = 3

export const isMissing = (error: unknown): boolean => error instanceof SftpStatusError && error.status === noSuchFile
export const isForbidden = (error: unknown): boolean => error instanceof SftpStatusError && error.status === permissionDenied
/** A bare "Failure" says nothing about the file: servers answer it when they are out of handles or closing down. */
export const isTransient = (error: unknown): boolean =>
  error instanceof SftpConnectionError || (error instanceof SftpStatusError && !isMissing(error) && !isForbidden(error))
