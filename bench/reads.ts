/**
 * What small reads cost, against a bare Mercurius with a constant resolver: requests a second of ten connections, in turn with the bare server's,
 * several rounds; the median of the rounds' ratios counts. The service logs each request, as it does by default, and counts it against its limits.
 * `READS` is a regular expression of names; `BENCH_ROUNDS` for other than three rounds.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { startBenchService, type BenchService } from './bench-service.js'
import { median, note, print } from './figure.js'
import type { Load, LoadReport } from './load-client.js'

const products = 2_000
const connections = 10
/** In its first seconds a bare server, which has no garbage to collect yet, is faster than it ever will be again. */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 8)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const wanted = new RegExp(process.env['READS'] ?? '')

interface Read { name: string, query: string, variables?: object }

export async function benchReads (): Promise<void> {
  // More than there will be: who is refused costs less.
  const settings = { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'info' }
  const service = await startBenchService('api,worker,sftp', settings, '/dev/null')
  const client = fork(new URL('./load-client.js', import.meta.url))
  const bare = fork(new URL('./bare-server.js', import.meta.url))
  try {
    const [bareUrl] = await once(bare, 'message') as [string]
    note(`reads: ${products} products, on ${service.databaseServer}`)
    for (const read of (await prepare(service)).filter(({ name }) => wanted.test(name))) {
      const asked = async (): Promise<LoadReport> => await load(client, {
        url: `${service.url}/graphql`, apiKey: service.apiKey, body: { query: read.query, variables: read.variables }
      })
      const constant = async (): Promise<LoadReport> => await load(client, { url: `${bareUrl}/graphql`, apiKey: service.apiKey, body: { query: '{ constant }' } })
      // Throws when it is answered with errors, and warms up.
      await service.graphql(read.query, read.variables)
      await asked()
      await constant()
      const ratios: number[] = []
      const reports: LoadReport[] = []
      const cpuUsEach: number[] = []
      const loopMs: number[] = []
      for (let round = 0; round < rounds; round++) {
        const tellLoad = await service.watch()
        const report = await asked()
        const { loopP99Ms, cpuUs } = await tellLoad()
        loopMs.push(loopP99Ms)
        cpuUsEach.push(cpuUs / report.requests)
        reports.push(report)
        ratios.push(report.requestsPerSecond / (await constant()).requestsPerSecond)
      }
      const of = (what: (report: LoadReport) => number): number => median(reports.map(what))
      print({
        bench: 'reads', figure: read.name, value: median(ratios), unit: 'ratio', against: 'a constant from a bare Mercurius', database: service.databaseServer,
        requestsPerSecond: Math.round(of((report) => report.requestsPerSecond)), cpuUs: Math.round(median(cpuUsEach)), p50: of(({ p50 }) => p50), p99: of(({ p99 }) => p99),
        loopP99: Number(median(loopMs).toFixed(1))
      })
    }
  } finally {
    client.disconnect()
    bare.disconnect()
    await service.close()
  }
}

async function prepare (service: BenchService): Promise<Read[]> {
  const path = join(service.folder, 'products.jsonl.gz')
  const lines = [...sampleCatalog({ products, seed: 1 })]
  await writeSampleFile(path, lines)
  await service.upload(path)
  const { _id: jobId } = await service.runJob(path, 'UPDATE')
  const { externalId, name } = JSON.parse(lines[0] ?? '') as { externalId: string, name: string }
  const vendorId = 'bench'
  return [
    { name: 'nothing, with a key', query: '{ __typename }' },
    {
      name: 'a product by id',
      query: 'query ($vendorId: ID, $externalId: String!) { product(vendorId: $vendorId, externalId: $externalId) { externalId name brandName variants { externalId name inventory prices { price currency } } } }',
      variables: { vendorId, externalId }
    },
    {
      name: 'a page of 10 products',
      query: 'query ($vendorId: ID) { products(vendorId: $vendorId, first: 10) { nodes { externalId name brandName } hasNextPage endCursor } }',
      variables: { vendorId }
    },
    {
      name: 'a job\'s status',
      query: 'query ($jobId: ID!) { productImportJob(jobId: $jobId) { jobId status progress { linesRead } stats { productsProcessed errors } } }',
      variables: { jobId }
    },
    {
      name: 'a search for two words',
      query: 'query ($input: SearchProductsInput!) { searchProducts(input: $input) { nodes { externalId name } } }',
      variables: { input: { vendorId, text: name.split(' ').slice(0, 2).join(' '), first: 10 } }
    }
  ]
}

async function load (client: ChildProcess, { url, apiKey, body }: { url: string, apiKey: string, body: object }): Promise<LoadReport> {
  const headers = { 'content-type': 'application/json', 'x-vendor-api-key': apiKey }
  client.send({ url, headers, body: JSON.stringify(body), connections, seconds } satisfies Load)
  const [report] = await once(client, 'message') as [LoadReport]
  if (report.failed > 0) throw new Error(`${report.failed} requests were not answered as they should be`)
  return report
}
