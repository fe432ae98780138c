/**
 * Runs test files under tap, each in a process of its own and in plain Node: without the hooks that tap's own runner puts around every import (mocks,
 * coverage by file). These take more time than most of the tests, and more still where a service under test starts threads and processes, which
 * inherit them.
 */
import { TapConfig } from '@tapjs/config'
import { report } from '@tapjs/reporter'
import t from 'tap'

export interface SpawnFilesOptions {
  /** How many at a time. */
  jobs: number
  /** Of one file. */
  timeoutSeconds: number
  env?: NodeJS.ProcessEnv
  /** As each ends; null of one that said nothing. */
  onResult?: (file: string, result: FinalResults | null, seconds: number) => void
}

type FinalResults = NonNullable<Awaited<ReturnType<typeof t.spawn>>>

/** Resolves when all have ended; how, is the process's own exit code, as of any test. */
export async function spawnFiles (files: string[], { jobs, timeoutSeconds, env = {}, onResult }: SpawnFilesOptions): Promise<void> {
  t.jobs = jobs
  t.setTimeout(0)
  // To a person; TAP to everything else.
  if (process.stdout.isTTY) await report('base', t, await TapConfig.load())
  const childEnv = { ...process.env, ...env, TAP_TIMEOUT: String(timeoutSeconds) }
  // Options of its own for each: tap keeps the file's name in them.
  await Promise.all(files.map(async (file) => {
    let startedAtMs = performance.now()
    const spawned = t.spawn(process.execPath, ['--enable-source-maps', file], { env: childEnv, buffered: jobs > 1, timeout: timeoutSeconds * 1_000 }, file)
    spawned.subtest?.once('process', () => { startedAtMs = performance.now() })
    const result = await spawned
    onResult?.(file, result, (performance.now() - startedAtMs) / 1_000)
  }))
}
