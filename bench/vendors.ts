/**
 * What it costs that a catalog is of many vendors: the first loads of 20 of them at once, against one vendor's file of the same total, and then deltas
 * that change a tenth of the lines, likewise (`BENCH_PRODUCTS` for another total). A job's time is from its acceptance to its end. In turn, several rounds
 * (`BENCH_ROUNDS`), in one process: the first, in which its second thread starts and all code is cold, is told apart. Who begins a round takes turns, too: the database grows
 * meanwhile, and its checkpoints come once a minute.
 */
import { join } from 'node:path'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import type { ImportJob } from '../src/domain/import-job.js'
import { startBenchService, type BenchService, type BenchVendor } from './bench-service.js'
import { inventoryOf } from './fairness.js'
import { median, note, print } from './figure.js'

export const many = 20
const products = Number(process.env['BENCH_PRODUCTS'] ?? 60_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 4)

interface Loads { linesPerSecond: number, longest: number, shortest: number }

export async function benchVendors (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp')
  try {
    note(`vendors: ${products} lines of ${many} vendors and of one, on ${bench.databaseServer}`)
    const measured: Array<Record<'first load' | 'delta', { one: Loads, many: Loads }>> = []
    for (let round = 0; round <= rounds; round++) {
      const vendors = { one: await vendorsOf(bench, round, 1), many: await vendorsOf(bench, round, many) }
      const inTurn = async (name: string, share: number): Promise<{ one: Loads, many: Loads }> => {
        const loads: Partial<Record<'one' | 'many', Loads>> = {}
        for (const who of round % 2 === 0 ? ['one', 'many'] as const : ['many', 'one'] as const) loads[who] = await load(bench, vendors[who], name, share)
        return loads as Required<typeof loads>
      }
      measured.push({ 'first load': await inTurn('first', 1), delta: await inTurn('delta', 10) })
    }
    for (const what of ['first load', 'delta'] as const) {
      const figures = (name: string, of: (figure: (loads: { one: Loads, many: Loads }) => number) => { value: number, least?: number, greatest?: number }): void => {
        const common = { bench: 'vendors', database: bench.databaseServer, unit: 'ratio', vendors: many, products }
        print({
          ...common, figure: `${name}, lines/s`, ...of((loads) => loads.many.linesPerSecond / loads.one.linesPerSecond), against: 'one vendor\'s file of the same total',
          linesPerSecond: Math.round(of((loads) => loads.many.linesPerSecond).value), one: Math.round(of((loads) => loads.one.linesPerSecond).value)
        })
        print({ ...common, figure: `${name}, longest job`, ...of((loads) => loads.many.longest / loads.many.shortest), against: 'the shortest' })
      }
      const [first, ...warm] = measured.map((round) => round[what])
      if (first !== undefined) figures(`${what}, the first of a process`, (figure) => ({ value: figure(first) }))
      if (warm.length > 0) {
        figures(what, (figure) => {
          const values = warm.map(figure)
          return { value: median(values), least: Math.min(...values), greatest: Math.max(...values) }
        })
      }
    }
  } finally {
    await bench.close()
  }
}

interface Loaded { vendor: BenchVendor, catalog: { products: number, seed: number } }

export async function vendorsOf (bench: BenchService, round: number, count: number): Promise<Loaded[]> {
  return await Promise.all(Array.from({ length: count }, async (_, number) => (
    { vendor: await bench.createVendor(`of-${count}-${round}-${number}`), catalog: { products: products / count, seed: round * many + number } }
  )))
}

/** `share`: one line of so many. */
export async function load (bench: BenchService, loaded: Loaded[], name: string, share: number): Promise<Loads> {
  const paths: string[] = []
  for (const { vendor, catalog } of loaded) {
    const path = join(bench.folder, `${name}-${catalog.seed}-${loaded.length}.jsonl.gz`)
    const some = { ...catalog, products: Math.ceil(catalog.products / share) }
    await writeSampleFile(path, share === 1 ? sampleCatalog(some) : inventoryOf(some, 5_000))
    await vendor.upload(path)
    paths.push(path)
  }
  const ids = await Promise.all(loaded.map(async ({ vendor }, index) => await vendor.startJob(paths[index] ?? '', 'UPDATE')))
  // One after the other, as a single job is waited for: twenty who look twice a second would take the cores a few parts in a hundred of their time.
  const jobs: ImportJob[] = []
  for (const [index, { vendor }] of loaded.entries()) jobs.push(await vendor.endOf(ids[index] ?? ''))
  const lines = jobs.reduce((sum, { stats }) => sum + (stats?.productsProcessed ?? 0), 0)
  const at = (job: ImportJob, when: 'createdAt' | 'completedAt'): number => job[when]?.getTime() ?? NaN
  const seconds = (Math.max(...jobs.map((job) => at(job, 'completedAt'))) - Math.min(...jobs.map((job) => at(job, 'createdAt')))) / 1_000
  const own = jobs.map((job) => at(job, 'completedAt') - at(job, 'createdAt'))
  return { linesPerSecond: lines / seconds, longest: Math.max(...own), shortest: Math.min(...own) }
}
