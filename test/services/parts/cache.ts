/** What was fetched or built is kept in the user's cache folder, so that only the first run pays for it. */
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { temporaryFolder } from './temporary-folder.js'

/**
 * The folder of that name in the cache. `fill` fills an empty one when it is not there yet; only a filled one gets its
 * final name, so one that a killed run left half-filled is never taken for whole.
 */
export async function cached (name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), name)
  if (existsSync(folder)) return folder
  await mkdir(cacheFolder(), { recursive: true, mode: 0o700 })
  const unfinished = await temporaryFolder(`${folder}.unfinished-`)
  try {
    await fill(unfinished.path)
    await rename(unfinished.path, folder)
  } catch (error) {
    // Another run was faster: its folder is as good as ours.
    if (!existsSync(folder)) throw error
  } finally {
    await unfinished.remove()
  }
  return folder
}

function cacheFolder (): string {
  const given = process.env['XDG_CACHE_HOME'] ?? ''
  return join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'merchant-catalog')
}
