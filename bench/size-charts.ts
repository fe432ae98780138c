/**
 * Size charts: 5,000 with bodies in one request; then 500 PDFs that are converted while an import runs, and what that does to the
 * API: how long `productImportJob` takes, against an idle service in the same run. Everything in one process, as `npm start` has it.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { packageRoot } from '../src/package-root.js'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { startBenchService, type BenchService } from './bench-service.js'
import { note, print } from './figure.js'

const charts = 5_000
const pdfs = 500
const products = Number(process.env['BENCH_PRODUCTS'] ?? 100_000)
const askEveryMs = 20
const idleQuestions = 500

export async function benchSizeCharts (): Promise<void> {
  const server = await startPdfServer(await readFile(join(packageRoot(), 'test/fixtures/size-charts/ruled.pdf')))
  const { port } = server.address() as AddressInfo
  const bench = await startBenchService('api,worker,sftp', { SIZE_CHART_ALLOWED_HOSTS: `127.0.0.1:${port}` })
  try {
    note(`size charts: ${charts} with bodies, ${pdfs} PDFs beside an import of ${products} products, on ${bench.databaseServer}`)
    await benchBulk(bench)
    await benchConversions(bench, port)
  } finally {
    await bench.close()
    server.close()
  }
}

async function benchBulk (bench: BenchService): Promise<void> {
  const body = '| Size | Chest |\n|---|---|\n'.padEnd(2_000, '| M | 92-98 |\n')
  for (const figure of ['5,000 new charts in one bulk', 'the same 5,000 again', '5,000 changed']) {
    const text = figure.endsWith('changed') ? `${body}\nnew` : body
    const startMs = performance.now()
    await upsert(bench, Array.from({ length: charts }, (_, index) => ({ externalId: `M${index}`, name: `Chart ${index}`, body: text })))
    print({ bench: 'size-charts', figure, value: (performance.now() - startMs) / 1_000, unit: 's', database: bench.databaseServer })
  }
}

async function benchConversions (bench: BenchService, port: number): Promise<void> {
  const file = join(bench.folder, 'products.jsonl.gz')
  const small = join(bench.folder, 'small.jsonl.gz')
  await writeSampleFile(file, sampleCatalog({ products, seed: 1 }))
  await writeSampleFile(small, sampleCatalog({ products: 100, seed: 2 }))
  await bench.upload(file)
  await bench.upload(small)
  const jobId = (await bench.runJob(small, 'UPDATE'))._id

  const idle: number[] = []
  for (let question = 0; question < idleQuestions; question++) idle.push(await ask(bench, jobId))

  const busy: number[] = []
  const startMs = performance.now()
  const work = { importing: true, converting: true }
  const importing = bench.runJob(file, 'REPLACE').finally(() => { work.importing = false })
  await upsert(bench, Array.from({ length: pdfs }, (_, index) => ({ externalId: `P${index}`, name: `PDF ${index}`, sourceUrl: `http://127.0.0.1:${port}/${index}.pdf` })))
  const converting = allConverted(bench).finally(() => { work.converting = false })
  while (work.importing && work.converting) busy.push(await ask(bench, jobId))
  const bothMs = performance.now() - startMs
  await converting
  print({ bench: 'size-charts', figure: `${pdfs} PDFs converted`, value: pdfs / ((performance.now() - startMs) / 1_000), unit: 'PDFs/s', against: 'beside an import', importSeconds: Math.round(bothMs / 1_000) })
  await importing
  for (const share of [0.5, 0.99]) {
    const [before, during] = [percentile(idle, share), percentile(busy, share)]
    print({
      bench: 'size-charts', figure: `productImportJob p${share * 100} during conversions and import`, value: during, unit: 'ms', against: 'idle', idle: Number(before.toPrecision(3)), ratio: Number((during / before).toPrecision(3)), questions: busy.length
    })
  }
}

const upsert = async (bench: BenchService, sizeCharts: object[]): Promise<unknown> =>
  await bench.graphql('mutation ($input: BulkUpsertSizeChartsInput!) { bulkUpsertSizeCharts(input: $input) { created updated } }', { input: { sizeCharts } })

async function ask (bench: BenchService, jobId: string): Promise<number> {
  const startMs = performance.now()
  await bench.graphql('query ($jobId: ID!) { productImportJob(jobId: $jobId) { status stats { productsProcessed } } }', { jobId })
  const tookMs = performance.now() - startMs
  await delay(askEveryMs)
  return tookMs
}

/** Counted by the service itself: asking for 500 charts every second would be a load of its own. */
async function allConverted (bench: BenchService): Promise<void> {
  const count = async (outcome: string): Promise<number> => await bench.metric(`size_chart_conversions_total{outcome="${outcome}"}`)
  while (await count('converted') < pdfs) {
    if (await count('failed') > 0) throw new Error('A PDF was not converted')
    await delay(500)
  }
}

const percentile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN

async function startPdfServer (pdf: Buffer): Promise<Server> {
  // A comment of its own makes each a PDF of its own.
  const server = createServer((request, response) => { response.end(Buffer.concat([pdf, Buffer.from(`\n% ${request.url}\n`)])) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
