/**
 * What many small jobs cost: 200 deltas of 100 lines, of 20 vendors, each line of which changes one quantity, sent at once; and one delta of ten lines,
 * again and again, from its request to its end (`BENCH_STORED` for another count of products that its vendor has). In between nothing else happens.
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

export async function benchSmallJobs (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp', { RATE_LIMIT_PER_MINUTE: '1000000' })
  try {
    const common = { bench: 'small-jobs', database: bench.databaseServer }
    note(`small-jobs: ${vendors * jobsEach} jobs of ${linesEach} lines, on ${bench.databaseServer}`)
    const ms = await requestToEnd(bench)
    print({ ...common, figure: 'one delta of 10 lines, from request to end', value: median(ms), unit: 'ms', stored, longest: Math.round(Math.max(...ms)) })
    print({ ...common, figure: `${vendors * jobsEach} deltas of ${linesEach} lines`, value: await jobsPerSecond(bench), unit: 'jobs/s', vendors })
  } finally {
    await bench.close()
  }
}

async function requestToEnd (bench: BenchService): Promise<number[]> {
  await load(bench, bench, { products: stored, seed: 1 })
  const ms: number[] = []
  for (let time = 0; time < times; time++) {
    const path = await delta(bench, bench, { products: 10, seed: 1 }, `ten-${time}`, time)
    const beganAt = Date.now()
    const jobId = await bench.startJob(path, 'UPDATE')
    // The first finds threads and connections that have slept.
    const { completedAt } = await bench.endOf(jobId)
    if (time > 0) ms.push((completedAt?.getTime() ?? NaN) - beganAt)
  }
  return ms
}

async function jobsPerSecond (bench: BenchService): Promise<number> {
  const deltas: Array<{ vendor: BenchVendor, path: string }> = []
  for (let number = 0; number < vendors; number++) {
    const vendor = await bench.createVendor(`vendor-${number}`)
    const catalog = { products: linesEach, seed: number }
    await load(bench, vendor, catalog)
    for (let job = 0; job < jobsEach; job++) deltas.push({ vendor, path: await delta(bench, vendor, catalog, `delta-${number}-${job}`, job) })
  }
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

/** Uploaded. `inventory` is another one each time, so that each line changes its product. */
async function delta (
  bench: BenchService, vendor: BenchVendor, catalog: Parameters<typeof sampleCatalog>[0], name: string, inventory: number
): Promise<string> {
  const path = join(bench.folder, `${name}.jsonl`)
  writeFileSync(path, [...inventoryOf(catalog, 10_000 + inventory)].join('\n'))
  await vendor.upload(path)
  return path
}
