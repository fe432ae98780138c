/** What ends a command other than its result (spec/operations.md, "Command line": exit codes). */

export const exitCodes = {
  done: 0,
  /** Refused or failed. */
  failed: 1,
  /** The command line itself is wrong: nothing was tried. */
  usage: 2,
  /** `push` only: the import completed, some of its lines are wrong. */
  completedWithErrors: 3,
  /** `doctor` only: it works, and something should be looked at. */
  withWarnings: 3
} as const

/** A failure in one line that a person can act on; ends the command with exit code 1. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
}

/** Wrong usage, seen before anything was tried; ends the command with exit code 2. */
export class UsageError extends CliError {
  override readonly name = 'UsageError'
}

/** A system error's code, such as `ENOENT`; undefined for anything else. */
export function systemErrorCode (error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : undefined
}

const fileFaults: Record<string, string> = {
  ENOENT: 'no such file', EACCES: 'permission denied', EISDIR: 'is a folder', ENOTDIR: 'no such file'
}

/** What a person is told of a local file that cannot be read; rethrows what is not the file system's doing. */
export function unreadable (path: string, error: unknown): CliError {
  const code = systemErrorCode(error)
  if (code === undefined) throw error
  return new CliError(`${path}: ${fileFaults[code] ?? `cannot be read (${code})`}`, { cause: error })
}
