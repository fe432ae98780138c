/**
 * Runs test files under tap, each in a process of its own and in plain Node: without the hooks that tap's own runner puts around every import (mocks,
 * coverage by file). These take more time than most of the tests, and more still where a service under test starts threads and processes, which
 * inherit them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TapConfig } from '@tapjs/config'
import { report } from '@tapjs/reporter'
import t from 'tap'

export interface SpawnFilesOptions {
  /** As many run at a time, in each lane one after the other; what a lane has for itself its files are told by this environment. */
  lanes: readonly NodeJS.ProcessEnv[]
  /** Of one file. */
  timeoutSeconds: number
  env?: NodeJS.ProcessEnv
  /** What one of them is run with beside that; none of those beside the lanes. */
  ofFile?: (file: string) => { flags: string[], env: NodeJS.ProcessEnv }
  /** Run from the beginning, beside the lanes and with what processor these leave; they need nothing that the others use. What they say comes after all else. */
  beside?: readonly string[]
  /** As each ends; null of one that said nothing. */
  onResult?: (file: string, result: FinalResults | null, seconds: number) => void
}

type FinalResults = NonNullable<Awaited<ReturnType<typeof t.spawn>>>

/** tap puts its hooks into what it starts by the environment; `env` takes them out again, and gives the process its place. */
const plainNode = [process.env['NODE_OPTIONS'] === undefined ? '-uNODE_OPTIONS' : `NODE_OPTIONS=${process.env['NODE_OPTIONS']}`, process.execPath]

/** Resolves when all have ended; how, is the process's own exit code, as of any test. */
export async function spawnFiles (files: readonly string[], { lanes, timeoutSeconds, env = {}, ofFile = () => ({ flags: [], env: {} }), beside = [], onResult }: SpawnFilesOptions): Promise<void> {
  t.jobs = lanes.length
  t.setTimeout(0)
  // To a person; TAP to everything else.
  if (process.stdout.isTTY) await report('base', t, await TapConfig.load())
  const childEnv = { ...process.env, ...env, TAP_TIMEOUT: String(timeoutSeconds) }
  // Options of its own for each: tap keeps the file's name in them.
  const run = async (file: string, args: readonly string[], laneEnv: NodeJS.ProcessEnv, secondsOf?: () => number): Promise<void> => {
    let startedAtMs = performance.now()
    // Several write at a time: what each says is kept until it has ended.
    const spawned = t.spawn('env', [...plainNode, ...args], { env: { ...childEnv, ...laneEnv }, buffered: lanes.length > 1, timeout: timeoutSeconds * 1_000 }, file)
    spawned.subtest?.once('process', () => { startedAtMs = performance.now() })
    const result = await spawned
    onResult?.(file, result, secondsOf?.() ?? (performance.now() - startedAtMs) / 1_000)
  }
  const begun = await Promise.all(beside.map(async (file) => ({ file, ...await beginBeside(file, { env: childEnv, timeoutSeconds }) })))
  const waiting = [...files]
  await Promise.all(lanes.map(async (laneEnv) => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const { flags, env } = ofFile(file)
      await run(file, ['--enable-source-maps', ...flags, file], { ...laneEnv, ...env })
    }
  }))
  await Promise.all(begun.map(async ({ file, tell, seconds }) => { await run(file, tell, {}, seconds) }))
  for (const { remove } of begun) await remove()
}

const tellProgram = fileURLToPath(new URL('tell-run.js', import.meta.url))

interface Beside {
  /** What Node is to be given to say what the file has said, and to end as it does, once it does. */
  tell: string[]
  /** How long it ran. */
  seconds: () => number
  remove: () => Promise<void>
}

async function beginBeside (file: string, { env, timeoutSeconds }: { env: NodeJS.ProcessEnv, timeoutSeconds: number }): Promise<Beside> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-test-beside-'))
  const [outputFile, endedFile] = [join(folder, 'output'), join(folder, 'ended')]
  const output = await open(outputFile, 'w')
  const [beganAtMs, limitMs] = [performance.now(), timeoutSeconds * 1_000]
  let endedAtMs = Infinity
  // By nice: a priority that is set later is not that of all threads. TAP, as t.spawn says it: what reads this is another tap.
  const child = spawn('nice', ['-n', '19', process.execPath, '--enable-source-maps', file], { env: { ...env, TAP: '1' }, stdio: ['ignore', output.fd, 'inherit'], timeout: limitMs, killSignal: 'SIGKILL' })
  const ended = once(child, 'close').then(([code]) => String(code ?? 1), () => '1')
  ended.then(async (code) => {
    endedAtMs = performance.now()
    await output.close()
    await writeFile(endedFile, code)
  }).catch(() => { /* the folder has gone, and with it who would read it */ })
  return {
    tell: [tellProgram, outputFile, endedFile],
    seconds: () => (Math.min(endedAtMs, performance.now()) - beganAtMs) / 1_000,
    remove: async () => { await rm(folder, { recursive: true, force: true }) }
  }
}
