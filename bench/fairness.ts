/**
 * What one vendor's huge import costs another's small one: how long a delta of 1,000 lines takes from its acceptance to its end, alone and
 * again and again while 1,000,000 lines are loaded (`BENCH_PRODUCTS` for another count).
 */
import { join } from 'node:path'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import type { ImportJob } from '../src/domain/import-job.js'
import { startBenchService } from './bench-service.js'
import { median, note, print } from './figure.js'

const hugeProducts = Number(process.env['BENCH_PRODUCTS'] ?? 1_000_000)
const smallProducts = 1_000
const smallCatalog = { products: smallProducts, seed: 2 }
const timesAlone = 9
const timesBeside = 30

export async function benchFairness (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp')
  try {
    note(`fairness: a delta of ${smallProducts} lines beside ${hugeProducts}, on ${bench.databaseServer}`)
    const small = await bench.createVendor('small')
    const huge = join(bench.folder, 'huge.jsonl.gz')
    await writeSampleFile(huge, sampleCatalog({ products: hugeProducts, seed: 1 }))
    await bench.upload(huge)
    const first = join(bench.folder, 'first.jsonl.gz')
    await writeSampleFile(first, sampleCatalog(smallCatalog))
    await small.upload(first)
    await small.runJob(first, 'UPDATE')

    let inventory = 1_000
    const delta = async (): Promise<number> => {
      const path = join(bench.folder, `delta-${inventory}.jsonl.gz`)
      await writeSampleFile(path, inventoryOf(smallCatalog, inventory++))
      await small.upload(path)
      return secondsFromAcceptance(await small.runJob(path, 'UPDATE'))
    }
    const alone: number[] = []
    for (let time = 0; time < timesAlone; time++) alone.push(await delta())

    const beside: number[] = []
    let isRunning = true
    const importing = bench.runJob(huge, 'REPLACE').finally(() => { isRunning = false })
    while (beside.length < timesBeside) {
      const seconds = await delta()
      if (!isRunning) break
      beside.push(seconds)
    }
    const times = beside.length
    const common = { bench: 'fairness', unit: 'ratio', against: 'the same alone', database: bench.databaseServer, times }
    print({ ...common, figure: 'delta beside a huge import, median', value: median(beside) / median(alone), seconds: median(beside) })
    print({ ...common, figure: 'delta beside a huge import, longest', value: Math.max(...beside) / median(alone), seconds: Math.max(...beside) })
    await importing
  } finally {
    await bench.close()
  }
}

/** The same quantity for every variant: each delta changes every product. */
export function * inventoryOf (catalog: Parameters<typeof sampleCatalog>[0], inventory: number): Generator<string> {
  for (const text of sampleCatalog(catalog)) {
    const { externalId, variants } = JSON.parse(text) as { externalId: string, variants: Array<{ externalId?: string, sku?: string }> }
    yield JSON.stringify({ externalId, variants: variants.map((variant) => ({ externalId: variant.externalId ?? variant.sku, inventory })) })
  }
}

const secondsFromAcceptance = ({ createdAt, completedAt }: ImportJob): number => ((completedAt?.getTime() ?? NaN) - createdAt.getTime()) / 1_000
