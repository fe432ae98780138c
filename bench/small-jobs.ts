/**
 * What many small jobs cost: 200 deltas of 100 lines, of 20 vendors, each line of which changes one quantity, sent at once, wave after wave; and one delta of ten lines,
 * again and again, from its request to its end (`BENCH_STORED` for another count of products that its vendor has). In between nothing else happens.
 *
 * A service runs for weeks, and its code is compiled after the first few thousand lines; so the waves of a process that has just begun are told apart from those after.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { startBenchService, type BenchService, type BenchVendor } from './bench-service.js'
import { inventoryOf } from './fairness.js'
import { median, note, print } from './figure.js'

const vendors = 20
const jobsEach = 10
const linesEach = 100
const stored = Number(process.env['BENCH_STORED'] ?? 2_000)
const times = 31
const waves = 12
/** A thread's code is compiled by then, as far as it will be. */
const wavesToWarmUp = 5

export async function benchSmallJobs (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp', { RATE_LIMIT_PER_MINUTE: '1000000' })
  try {
    const common = { bench: 'small-jobs', database: bench.databaseServer }
    note(`small-jobs: ${vendors * jobsEach} jobs of ${linesEach} lines, on ${bench.databaseServer}`)
    const ms = await requestToEnd(bench)
    print({ ...common, figure: 'one delta of 10 lines, from request to end', value: median(ms), unit: 'ms', stored, longest: Math.round(Math.max(...ms)) })
    const rates = await jobsPerSecond(bench)
    const figure = `${vendors * jobsEach} deltas of ${linesEach} lines`
    print({ ...common, figure: `${figure}, the first of a process`, value: rates[0] ?? NaN, unit: 'jobs/s', vendors })
    const warm = rates.slice(wavesToWarmUp)
    print({ ...common, figure, value: median(warm), unit: 'jobs/s', vendors, waves: warm.length, least: Math.min(...warm), greatest: Math.max(...warm) })
  } finally {
    await bench.close()
  }
}

async function requestToEnd (bench: BenchService): Promise<number[]> {
  await load(bench, bench, { products: stored, seed: 1 })
  const paths = Array.from({ length: times }, (_, time) => writeDelta(bench, { products: 10, seed: 1 }, `ten-${time}`, time))
  await bench.upload(...paths)
  const ms: number[] = []
  for (const path of paths) {
    const beganAt = Date.now()
    const { completedAt } = await bench.endOf(await bench.startJob(path, 'UPDATE'), 100)
    ms.push((completedAt?.getTime() ?? NaN) - beganAt)
  }
  // The first finds threads and connections that have slept.
  return ms.slice(1)
}

/** Of each wave. */
async function jobsPerSecond (bench: BenchService): Promise<number[]> {
  const all = await Promise.all(Array.from({ length: vendors }, async (_, number) => {
    const vendor = await bench.createVendor(`vendor-${number}`)
    const catalog = { products: linesEach, seed: number }
    await load(bench, vendor, catalog)
    return { vendor, catalog }
  }))
  const rates: number[] = []
  for (let wave = 0; wave < waves; wave++) rates.push(await jobsPerSecondOf(bench, all, wave))
  return rates
}

async function jobsPerSecondOf (bench: BenchService, all: Array<{ vendor: BenchVendor, catalog: Parameters<typeof sampleCatalog>[0] }>, wave: number): Promise<number> {
  const deltas = (await Promise.all(all.map(async ({ vendor, catalog }) => {
    const paths = Array.from({ length: jobsEach }, (_, job) => writeDelta(bench, catalog, `delta-${catalog.seed}-${wave}-${job}`, wave * jobsEach + job))
    await vendor.upload(...paths)
    return paths.map((path) => ({ vendor, path }))
  }))).flat()
  const beganAt = Date.now()
  const started = await Promise.all(deltas.map(async ({ vendor, path }) => ({ vendor, jobId: await vendor.startJob(path, 'UPDATE') })))
  let last = 0
  for (const { vendor, jobId } of started) last = Math.max(last, (await vendor.endOf(jobId)).completedAt?.getTime() ?? NaN)
  return deltas.length / (last - beganAt) * 1_000
}

async function load (bench: BenchService, vendor: BenchVendor, catalog: Parameters<typeof sampleCatalog>[0]): Promise<void> {
  const path = join(bench.folder, `first-${catalog.seed}-${catalog.products}.jsonl.gz`)
  await writeSampleFile(path, sampleCatalog(catalog))
  await vendor.upload(path)
  await vendor.runJob(path, 'UPDATE')
}

/** `inventory` is another one each time, so that each line changes its product. */
function writeDelta (bench: BenchService, catalog: Parameters<typeof sampleCatalog>[0], name: string, inventory: number): string {
  const path = join(bench.folder, `${name}.jsonl`)
  writeFileSync(path, [...inventoryOf(catalog, 10_000 + inventory)].join('\n'))
  return path
}
