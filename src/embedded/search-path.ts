import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** The PATH's. Relative ones are passed over: they depend on who starts us where. */
export const foldersOf = (env: NodeJS.ProcessEnv): string[] => (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)

/** The first executable file of that name on the PATH. */
export async function findOnPath (name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of foldersOf(env)) {
    const candidate = join(folder, name)
    if (await isExecutableFile(candidate)) return candidate
  }
  return undefined
}

export async function isExecutableFile (path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false // not there, or not for us: either way not a program that we can run
  }
}
