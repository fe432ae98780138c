/** Runs test files on given servers, in a process of their own, and hears what became of each. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { descendantsOf, killIfThere } from '../parts/process-tree.js'
import { temporaryFolder } from '../parts/temporary-folder.js'
import type { Figure } from './figure.js'

export interface FileResult {
  file: string
  seconds: number
  passed: number
  /** Names of what failed; none of a file that passed. */
  failures: string[]
}

export interface RunTestsOptions {
  files: readonly string[]
  /** Those of them that run beside the others, for they use no server; none when left out. */
  beside?: readonly string[]
  /** What the lanes that they run in have for themselves (support/spawn-files). All have the same variables. */
  lanes: readonly NodeJS.ProcessEnv[]
  /** Of one file. */
  timeoutSeconds: number
  /** Beside this process's own. */
  env: NodeJS.ProcessEnv
  /** Ends the tests. */
  signal: AbortSignal
  /** Is given each line that they write; without it they write where this process does. */
  onLine?: ((line: string) => void) | undefined
}

/** Services that were under test drain meanwhile. */
const graceMs = 5_000
const pollMs = 50
const program = fileURLToPath(new URL('../run-files.js', import.meta.url))

export async function runTests ({ files, beside = [], lanes, timeoutSeconds, env, signal, onLine }: RunTestsOptions): Promise<{ exitCode: number, results: FileResult[], figures: Figure[] }> {
  const { path, remove } = await temporaryFolder(join(tmpdir(), 'catalog-certify-'))
  const [resultsFile, figuresFile] = [join(path, 'results.jsonl'), join(path, 'figures.jsonl')]
  try {
    signal.throwIfAborted()
    const output = onLine === undefined ? 'inherit' : 'pipe'
    const tests = spawn(process.execPath, [program, String(timeoutSeconds), ...files.filter((file) => !beside.includes(file)), '--beside', ...beside], {
      stdio: ['ignore', output, output],
      // What no lane has is not this process's own either, which may be in a lane itself.
      env: { ...process.env, ...env, ...lanes[0], TEST_LANES: JSON.stringify(lanes), TEST_RESULTS_FILE: resultsFile, TEST_FIGURES_FILE: figuresFile }
    })
    for (const stream of [tests.stdout, tests.stderr]) if (stream !== null && onLine !== undefined) createInterface(stream).on('line', onLine)
    let ending: Promise<void> | undefined
    const end = (): void => { ending = endTests(tests.pid) }
    signal.addEventListener('abort', end, { once: true })
    const [code] = await once(tests, 'close') as [number | null]
    signal.removeEventListener('abort', end)
    await ending
    return { exitCode: code ?? 1, results: await linesOf<FileResult>(resultsFile), figures: await linesOf<Figure>(figuresFile) }
  } finally {
    await remove()
  }
}

/**
 * tap by itself waits for its test files, which need not end soon; and who started them may be killed before they are. Resolves when all have gone: a service that still drains would write into what is
 * about to be removed.
 */
async function endTests (pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  const all = [pid, ...await descendantsOf(pid)]
  for (const each of all) killIfThere(each, 'SIGTERM')
  const from = performance.now()
  while ((await Promise.all(all.map(isRunning))).includes(true) && performance.now() - from < 2 * graceMs) {
    if (performance.now() - from > graceMs) for (const each of all) killIfThere(each, 'SIGKILL')
    await delay(pollMs)
  }
}

/** One that has ended and that nobody has asked about is still listed. */
async function isRunning (pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/^\) Z/.test(stat.slice(stat.lastIndexOf(')')))
}

const linesOf = async <T>(file: string): Promise<T[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as T)
