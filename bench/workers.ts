/**
 * What a second worker adds where the database is not the limit: eight vendors' files through parse and all stages into a sink that
 * discards, by one process of one thread, and by two that share the vendors. In turn, several times; the ratio is what counts.
 *
 * Once as the machine schedules them, where a single worker takes more than one core (gunzip and the collecting of garbage have threads of
 * their own), and once with a core for each worker, which is what a second worker with a core of its own adds.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { workerFlags } from '../test/support/service-flags.js'
import { median, note, print } from './figure.js'

const bench = 'workers'
const workerFile = fileURLToPath(new URL('discarding-worker.js', import.meta.url))
const vendors = 8
const productsEach = Number(process.env['BENCH_PRODUCTS'] ?? 40_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)

/** A worker process that has started and waits; `run` takes it through its files. `core`: the only one it may use. */
async function startWorker (paths: string[], core: number | null): Promise<{ run (): Promise<void> }> {
  const [command, confine] = core === null ? ['env', []] : ['taskset', ['--cpu-list', String(core)]]
  const child = spawn(command, [...confine, process.execPath, ...workerFlags, workerFile, ...paths], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data') // it is ready
  const exited = once(child, 'exit') as Promise<[number | null]>
  return {
    async run () {
      child.stdin.end()
      const [code] = await exited
      if (code !== 0) throw new Error(`A worker ended with ${code}`)
    }
  }
}

async function linesPerSecond (paths: string[], workerCount: number, confined: boolean): Promise<number> {
  const shares = Array.from({ length: workerCount }, (_, worker) => paths.filter((_, index) => index % workerCount === worker))
  const workers = await Promise.all(shares.map(async (share, worker) => await startWorker(share, confined ? worker : null)))
  const startedAtMs = performance.now()
  await Promise.all(workers.map(async ({ run }) => { await run() }))
  return vendors * productsEach / (performance.now() - startedAtMs) * 1_000
}

async function compare (paths: string[], confined: boolean): Promise<void> {
  const how = confined ? ', a core each' : ''
  const measured: Array<{ one: number, two: number }> = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ one: await linesPerSecond(paths, 1, confined), two: await linesPerSecond(paths, 2, confined) })
  }
  print({ bench, figure: `one worker${how}`, value: median(measured.map(({ one }) => one)), unit: 'lines/s' })
  print({ bench, figure: `two workers${how}`, value: median(measured.map(({ two }) => two)), unit: 'lines/s' })
  print({ bench, figure: `ratio${how}`, value: median(measured.map(({ one, two }) => two / one)), unit: 'ratio', against: 'one worker' })
}

export async function benchWorkers (): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-bench-'))
  try {
    note(`workers: ${vendors} vendors of ${productsEach} products, ${rounds} rounds`)
    const paths = Array.from({ length: vendors }, (_, vendor) => join(folder, `${vendor}.jsonl.gz`))
    for (const [seed, path] of paths.entries()) await writeSampleFile(path, sampleCatalog({ products: productsEach, seed }))
    await compare(paths, false)
    if (await hasTaskset()) await compare(paths, true)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Linux has it. */
async function hasTaskset (): Promise<boolean> {
  return await new Promise((resolve) => {
    spawn('taskset', ['--version'], { stdio: 'ignore' }).once('error', () => { resolve(false) }).once('exit', (code) => { resolve(code === 0) })
  })
}
