/**
 * DATA_DIR, made where it is missing. One folder after the other, not with mkdir's `recursive`: where the file system says "no such file" of a folder whose
 * parent is there, as /proc does, Node tries that for ever.
 */
import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fatal } from '../errors.js'

/** Only its owner gets in. Throws a fatal AppError that names the folder and why it cannot be made or written. */
export async function makeDataFolder (folder: string): Promise<void> {
  const path = resolve(folder)
  try {
    const missing: string[] = []
    for (let at = path; !await isThere(at); at = dirname(at)) missing.push(at)
    for (const each of missing.reverse()) await makeFolder(each)
    await access(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw fatal(`DATA_DIR ${path} cannot be used: ${(error as Error).message}`, error)
  }
}

async function isThere (path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Another process may make it at the same moment. */
async function makeFolder (path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
}
