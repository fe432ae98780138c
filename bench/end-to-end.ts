/**
 * From gzip over SFTP into the embedded database: first load, unchanged re-load, inventory delta. In the same run, the time that the driver
 * takes to insert the same documents with nothing around it tells how much of the first load is the database, as mongoimport would.
 */
import pLimit from 'p-limit'
import { join } from 'node:path'
import { inventoryDelta, sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { secondsOf, startBenchService } from './bench-service.js'
import type { Database } from '../src/store/database/connection.js'
import { note, print } from './figure.js'

/** Enough to be timed, few enough to be held in memory. */
const documentsAlone = 20_000

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
      const linesPerSecond = lines / secondsOf(job)
      print({ bench: 'end-to-end', figure, value: linesPerSecond, unit: 'lines/s', database: server, lines, bytesPerLine: Math.round(bytes / products) })
      if (figure === 'first load') {
        const against = `the driver alone, ${documentsAlone} of its documents`
        print({ bench: 'end-to-end', figure: 'ratio of the first load', value: linesPerSecond / await insertAlone(bench.database), unit: 'ratio', against })
      }
    }
  } finally {
    await bench.close()
  }
}

/** Documents a second: what is stored by now, into a collection with the same indexes, in bulks as large and as many at a time as an import's. */
async function insertAlone ({ db, collections }: Database): Promise<number> {
  const documents = await collections.products.find().limit(documentsAlone).toArray()
  const copy = db.collection<(typeof documents)[number]>('productsAlone')
  const indexes = await collections.products.indexes()
  await copy.createIndexes(indexes.filter(({ name }) => name !== '_id_').map(({ key, name = '' }) => ({ key, name })))
  const limit = pLimit(3)
  const bulks: Array<Promise<unknown>> = []
  const started = performance.now()
  for (let from = 0; from < documents.length; from += 500) {
    bulks.push(limit(async () => await copy.insertMany(documents.slice(from, from + 500), { ordered: false })))
  }
  await Promise.all(bulks)
  const seconds = (performance.now() - started) / 1_000
  await copy.drop()
  return documents.length / seconds
}
