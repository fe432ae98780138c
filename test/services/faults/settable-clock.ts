/** A wall clock that a test can set, for a service of its own. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

export interface SettableClock {
  /** What the service has to be started with. */
  env: NodeJS.ProcessEnv
  /** Hours from the real time. */
  set (offsetHours: number): Promise<void>
}

export async function createSettableClock (t: Test): Promise<SettableClock> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-clock-'))
  t.teardown(async () => { await rm(folder, { recursive: true }) })
  const file = join(folder, 'offset')
  const set = async (offsetHours: number): Promise<void> => {
    await writeFile(`${file}.new`, String(offsetHours * 3_600_000))
    await rename(`${file}.new`, file)
  }
  await set(0)
  return { env: { NODE_OPTIONS: `--import=${new URL('wrong-clock.js', import.meta.url).href}`, WRONG_CLOCK_FILE: file }, set }
}
