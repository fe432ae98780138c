/**
 * What traces cost: a service that sends them and one that does not, in turn, several rounds. Processor time of a small request and of an import's lines, threads and
 * export included; the median of the rounds' ratios counts. The collector is a process of its own and takes everything. `BENCH_ROUNDS` for other than five rounds, `BENCH_PRODUCTS`
 * for another catalog than 20,000.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sampleCatalog, writeSampleFile } from '../src/cli/sample-catalog.js'
import { startBenchService, type BenchService } from './bench-service.js'
import { inventoryOf } from './fairness.js'
import { median, note, print } from './figure.js'
import type { Load, LoadReport } from './load-client.js'

const products = Number(process.env['BENCH_PRODUCTS'] ?? 20_000)
const connections = 10
const seconds = 3
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)

export async function benchTraces (): Promise<void> {
  const limits = { RATE_LIMIT_PER_MINUTE: '100000000' }
  const collector = fork(new URL('./collector.js', import.meta.url))
  const client = fork(new URL('./load-client.js', import.meta.url))
  const [endpoint] = await once(collector, 'message') as [string]
  const without = await startBenchService('api,worker,sftp', limits)
  const withTraces = await startBenchService('api,worker,sftp', { ...limits, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  const both = [without, withTraces]
  try {
    const common = { bench: 'traces', unit: 'ratio', against: 'the same without traces', database: without.databaseServer }
    note(`traces: ${products} products, ${rounds} rounds, on ${without.databaseServer}`)
    for (const service of both) await prepare(service)

    const request = async ({ url, apiKey, watch }: BenchService): Promise<number> => {
      const body = JSON.stringify({ query: '{ __typename }' })
      const tellLoad = await watch()
      client.send({ url: `${url}/graphql`, headers: { 'content-type': 'application/json', 'x-vendor-api-key': apiKey }, body, connections, seconds } satisfies Load)
      const [{ requests, failed }] = await once(client, 'message') as [LoadReport]
      if (failed > 0) throw new Error(`${failed} requests were not answered as they should be`)
      return (await tellLoad()).cpuUs / requests
    }
    const line = async (service: BenchService, round: number): Promise<number> => {
      const tellLoad = await service.watch()
      await service.runJob(deltaOf(service, round), 'UPDATE')
      return (await tellLoad()).cpuUs / products
    }
    for (const [figure, measure] of [['processor time of a small request', request], ['processor time of an import\'s line', line]] as const) {
      const costs: Array<[number, number]> = []
      for (let round = 0; round <= rounds; round++) {
        const off = await measure(without, round)
        costs.push([off, await measure(withTraces, round)])
      }
      // The first warms up.
      costs.shift()
      const us = (which: 0 | 1): number => Number(median(costs.map((pair) => pair[which])).toFixed(1))
      print({ ...common, figure, value: median(costs.map(([off, on]) => on / off)), withoutUs: us(0), withUs: us(1) })
    }
  } finally {
    await Promise.all(both.map(async (service) => { await service.close() }))
    client.disconnect()
    collector.disconnect()
  }
}

const deltaOf = ({ folder }: BenchService, round: number): string => join(folder, `delta-${round}.jsonl.gz`)

/** A catalog, and for each round a delta that changes a quantity of each product. */
async function prepare (service: BenchService): Promise<void> {
  const full = join(service.folder, 'products.jsonl.gz')
  await writeSampleFile(full, sampleCatalog({ products, seed: 1 }))
  await service.upload(full)
  await service.runJob(full, 'REPLACE')
  for (let round = 0; round <= rounds; round++) await writeSampleFile(deltaOf(service, round), inventoryOf({ products, seed: 1 }, 10_000 + round))
  await service.upload(...Array.from({ length: rounds + 1 }, (_, round) => deltaOf(service, round)))
}
