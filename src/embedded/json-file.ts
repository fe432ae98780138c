/** Small JSON files that other processes read while they are being written: whole or not there, never half. */
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/** Replaces the file (mode 0600). */
export async function writeJson (path: string, value: unknown): Promise<void> {
  await throughTemporaryFile(path, value, async (temporary) => { await rename(temporary, path) })
}

/** Makes the file (mode 0600) unless there is one. Gives false when there is: exactly one of several callers gets true. */
export async function createJson (path: string, value: unknown): Promise<boolean> {
  try {
    // link() and not open('wx'): the name appears together with its content, and fails when it is taken.
    await throughTemporaryFile(path, value, async (temporary) => { await link(temporary, path) })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Gives undefined when there is no file, or one that is not JSON (a power cut can leave an empty one). */
export async function readJson<T> (path: string): Promise<Partial<T> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function throughTemporaryFile (path: string, value: unknown, publish: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await publish(temporary)
  } finally {
    await rm(temporary, { force: true })
  }
}
