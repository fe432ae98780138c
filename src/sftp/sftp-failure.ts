/** A refusal that the client is told about: an SFTP version 3 status code and a sentence. */
import ssh2 from 'ssh2'

export const status: Record<'OK' | 'EOF' | 'NO_SUCH_FILE' | 'PERMISSION_DENIED' | 'FAILURE' | 'BAD_MESSAGE' | 'OP_UNSUPPORTED', number> =
  ssh2.utils.sftp.STATUS_CODE

export class SftpFailure extends Error {
  override readonly name = 'SftpFailure'
  readonly status: number

  constructor (code: number, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.status = code
  }
}

export const noSuchFile = (): SftpFailure => new SftpFailure(status.NO_SUCH_FILE, 'No such file')
export const permissionDenied = (reason = 'Permission denied'): SftpFailure => new SftpFailure(status.PERMISSION_DENIED, reason)
export const failure = (reason: string): SftpFailure => new SftpFailure(status.FAILURE, reason)

/** File system errors that say something to the client; the message is ours, since Node's names paths of this machine. */
const known = new Map<string, [code: number, message: string]>([
  ['ENOENT', [status.NO_SUCH_FILE, 'No such file']],
  ['ENOTDIR', [status.NO_SUCH_FILE, 'No such file']],
  ['EACCES', [status.PERMISSION_DENIED, 'Permission denied']],
  ['EPERM', [status.PERMISSION_DENIED, 'Permission denied']],
  ['ELOOP', [status.PERMISSION_DENIED, 'Permission denied']], // O_NOFOLLOW met a symbolic link
  ['EEXIST', [status.FAILURE, 'File exists']],
  ['EISDIR', [status.FAILURE, 'Is a directory']],
  ['ENAMETOOLONG', [status.FAILURE, 'File name too long']],
  ['ENOSPC', [status.FAILURE, 'No space left on device']],
  ['EDQUOT', [status.FAILURE, 'No space left on device']],
  ['EFBIG', [status.FAILURE, 'File too large']]
])

export const errnoOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code

/** What to answer for any error. One that nobody expected answers a bare "Failure" and carries its cause, for the log. */
export function toSftpFailure (error: unknown): SftpFailure {
  if (error instanceof SftpFailure) return error
  const [code, message] = known.get(errnoOf(error) ?? '') ?? [status.FAILURE, 'Failure']
  return new SftpFailure(code, message, { cause: error })
}
