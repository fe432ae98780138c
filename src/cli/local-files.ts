/** The files that a merchant names on the command line, looked at before anything is sent anywhere. */
import { access, constants, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { checkImportRequest } from '../domain/import-job.js'
import { isAppError } from '../errors.js'
import { CliError, unreadable, UsageError } from './cli-error.js'

export interface LocalFile {
  path: string
  /** Its name on the server. */
  name: string
  bytes: number
}

/** Throws UsageError for names that the service would refuse, CliError for a file that is missing or cannot be read. */
export async function inspectLocalFiles (paths: readonly string[]): Promise<LocalFile[]> {
  const names = paths.map((path) => basename(path))
  checkNames(names)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`Two of the files are called ${repeated}: on the server they would be one`)
  return await Promise.all(paths.map(async (path) => ({ path, name: basename(path), bytes: await sizeOf(path) })))
}

/** The very rule that the service applies (domain/import-job.ts), in the words of this surface. */
function checkNames (names: string[]): void {
  try {
    checkImportRequest({ files: names, mode: 'UPDATE', dryRun: false, maxArchivePercent: null })
  } catch (error) {
    if (!isAppError(error)) throw error
    throw new UsageError(error.message.replace(/^files\[(\d+)\]/, (_text, index) => JSON.stringify(names[Number(index)])))
  }
}

async function sizeOf (path: string): Promise<number> {
  try {
    const file = await stat(path)
    if (!file.isFile()) throw new CliError(`${path}: not a regular file`)
    await access(path, constants.R_OK)
    return file.size
  } catch (error) {
    if (error instanceof CliError) throw error
    throw unreadable(path, error)
  }
}
