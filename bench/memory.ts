/** The worker's peak memory by the length of the file: a process with the role `worker` alone, a fresh one for each length. */
import { join } from 'node:path'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { startBenchService } from './bench-service.js'
import { note, print } from './figure.js'

const lengths = (process.env['BENCH_LENGTHS'] ?? '10000,100000,1000000').split(',').map(Number)

export async function benchMemory (): Promise<void> {
  const bench = await startBenchService('api,sftp')
  try {
    let before = NaN
    for (const products of lengths) {
      note(`memory: ${products} lines into ${bench.databaseServer}`)
      const path = join(bench.folder, `products-${products}.jsonl.gz`)
      await writeSampleFile(path, sampleCatalog({ products, seed: 1 }))
      await bench.upload(path)
      const worker = await bench.startWorker()
      await bench.runJob(path, 'REPLACE')
      const peak = worker.peakMegabytes()
      await worker.stop()
      print({ bench: 'memory', figure: `peak of the worker at ${products} lines`, value: peak, unit: 'MB', database: bench.databaseServer })
      if (!Number.isNaN(before)) print({ bench: 'memory', figure: `ratio to ${products / 10} lines`, value: peak / before, unit: 'ratio' })
      before = peak
    }
  } finally {
    await bench.close()
  }
}
