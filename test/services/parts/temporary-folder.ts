import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'

export interface TemporaryFolder {
  path: string
  remove (): Promise<void>
}

/** A new folder whose name starts with `prefix` (a path). It is removed when this process exits, unless that was done before. */
export async function temporaryFolder (prefix: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(prefix)
  // At exit our children are just being ended, and may still write.
  const atExit = (): void => { rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
  process.once('exit', atExit)
  return {
    path,
    async remove () {
      await rm(path, { recursive: true, force: true })
      process.off('exit', atExit)
    }
  }
}
