import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { EmbeddedParts } from '../../../src/embedded/embedded-parts.js'
import { isRunning, type ProcessIdentity } from '../../../src/embedded/process-identity.js'

export interface HostProcess extends Pick<EmbeddedParts, 'role' | 'mongodbUrl' | 'kafkaBrokers'> {
  /** kill -9 */
  kill (): Promise<void>
  /** Lets it close in good order. Gives its exit code. */
  close (): Promise<number | null>
}

/** Starts host-program.ts on the folder and waits until it has its addresses. */
export async function startHostProcess (t: Test, dataDir: string, parts = { mongodb: true, kafka: false }): Promise<HostProcess> {
  const program = fileURLToPath(new URL('host-program.js', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(parts)], {
    env: { ...process.env, DATA_DIR: dataDir }, stdio: ['pipe', 'pipe', 'inherit']
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const close = async (): Promise<number | null> => {
    child.stdin.end()
    return (await exited)[0]
  }
  t.teardown(close)
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line') as Promise<[string]>,
    exited.then(([code]) => { throw new Error(`the host process ended with ${String(code)}`) })
  ])
  return {
    ...JSON.parse(line[0]) as HostProcess,
    close,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    }
  }
}

/** Removed after everything else is torn down: register it first. */
export async function dataDirectory (t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-embedded-'))
  t.teardown(async () => {
    await until(async () => !isRunning(await serverOf(folder)), 20_000)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** The database server on the folder. */
export const serverOf = async (dataDir: string): Promise<ProcessIdentity> =>
  JSON.parse(await readFile(join(dataDir, 'mongodb', 'server.json'), 'utf8')) as ProcessIdentity

export async function until (condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if (await condition()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}
