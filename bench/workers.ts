/**
 * What a second worker adds where the database is not the limit: eight vendors' files through parse and all stages into a sink that
 * discards, by one process of one thread, and by two that share the vendors. In turn, several times; the ratio is what counts.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { median, note, print } from './figure.js'

const vendors = 8
const productsEach = Number(process.env['BENCH_PRODUCTS'] ?? 40_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)

/** A worker process that has started and waits; `run` takes it through its files. */
async function startWorker (paths: string[]): Promise<{ run (): Promise<void> }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('discarding-worker.js', import.meta.url)), ...paths], { stdio: ['pipe', 'pipe', 'inherit'] })
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

async function linesPerSecond (paths: string[], workerCount: number): Promise<number> {
  const shares = Array.from({ length: workerCount }, (_, worker) => paths.filter((_, index) => index % workerCount === worker))
  const workers = await Promise.all(shares.map(startWorker))
  const startedAtMs = performance.now()
  await Promise.all(workers.map(async ({ run }) => { await run() }))
  return vendors * productsEach / (performance.now() - startedAtMs) * 1_000
}

export async function benchWorkers (): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-bench-'))
  try {
    note(`workers: ${vendors} vendors of ${productsEach} products, ${rounds} rounds`)
    const paths = Array.from({ length: vendors }, (_, vendor) => join(folder, `${vendor}.jsonl.gz`))
    for (const [seed, path] of paths.entries()) await writeSampleFile(path, sampleCatalog({ products: productsEach, seed }))
    const measured: Array<{ one: number, two: number }> = []
    for (let round = 0; round < rounds; round++) measured.push({ one: await linesPerSecond(paths, 1), two: await linesPerSecond(paths, 2) })
    const bench = 'workers'
    print({ bench, figure: 'one worker', value: median(measured.map(({ one }) => one)), unit: 'lines/s' })
    print({ bench, figure: 'two workers', value: median(measured.map(({ two }) => two)), unit: 'lines/s' })
    print({ bench, figure: 'ratio', value: median(measured.map(({ one, two }) => two / one)), unit: 'ratio', against: 'one worker' })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
