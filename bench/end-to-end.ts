/**
 * From gzip over SFTP into the embedded database: first load, unchanged re-load, inventory delta. In the same run, the time
 * that the driver takes to insert the same documents with nothing around it tells how much of it is the database.
 */
import { join } from 'node:path'
import { inventoryDelta, sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { secondsOf, startBenchService } from './bench-service.js'
import { note, print } from './figure.js'

const products = Number(process.env['BENCH_PRODUCTS'] ?? 100_000)

export async function benchEndToEnd (): Promise<void> {
  const bench = await startBenchService('api,worker,sftp')
  try {
    const server = bench.databaseServer
    note(`end to end: ${products} products into ${server}`)
    const full = join(bench.folder, 'products.jsonl.gz')
    const delta = join(bench.folder, 'inventory.jsonl.gz')
    const { bytes } = await writeSampleFile(full, sampleCatalog({ products, seed: 1 }))
    await writeSampleFile(delta, inventoryDelta({ products, seed: 1, share: 0.1 }))
    await bench.upload(full)
    await bench.upload(delta)
    const runs = [['first load', full, 'REPLACE'], ['unchanged re-load', full, 'REPLACE'], ['inventory delta', delta, 'UPDATE']] as const
    for (const [figure, path, mode] of runs) {
      const job = await bench.runJob(path, mode)
      const lines = job.stats?.productsProcessed ?? NaN
      print({
        bench: 'end-to-end', figure, value: lines / secondsOf(job), unit: 'lines/s', database: server, lines, bytesPerLine: Math.round(bytes / products)
      })
    }
  } finally {
    await bench.close()
  }
}
