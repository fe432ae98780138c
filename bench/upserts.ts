/**
 * What webhooks of e-commerce platforms do: `upsertProducts` of one product, a quantity changed, by 1, 16 and 64 callers at once of one vendor. Each waits for its answer before it sends the
 * next (`BENCH_SECONDS` for another time than 5 s each).
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { startBenchService } from './bench-service.js'
import { median, note, print } from './figure.js'
import type { Answered, UpsertCallers } from './upsert-callers.js'

const callers = [1, 16, 64]
const products = 2_000
const rounds = 3
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5)

export async function benchUpserts (): Promise<void> {
  const service = await startBenchService('api,worker,sftp', { RATE_LIMIT_PER_MINUTE: '0' })
  try {
    note(`upserts of one product, on ${service.databaseServer}`)
    for (let from = 0; from < products; from += 500) {
      const some = Array.from({ length: 500 }, (_, n) => ({
        externalId: `P${from + n}`, name: `Product ${from + n}`, brandName: 'Northwind', externalUrl: `https://shop.example.com/${from + n}`, publishedAt: '2020-01-01', description: 'x'.repeat(400),
        variants: [{ externalId: `P${from + n}-V`, name: 'One size', inventory: 0, prices: [{ price: 5, currency: 'EUR' }] }]
      }))
      await service.graphql('mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "bench", products: $products) { id } }', { products: some })
    }
    const rates: number[][] = callers.map(() => [])
    const answered: Answered[][] = callers.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, count] of callers.entries()) {
        const work: UpsertCallers = { url: service.url, apiKey: service.apiKey, callers: count, products, seconds, round }
        const client = new Worker(new URL('./upsert-callers.js', import.meta.url), { workerData: work })
        const [told] = await once(client, 'message') as [Answered]
        await client.terminate()
        rates[index]?.push(told.answers / told.seconds)
        answered[index]?.push(told)
      }
    }
    for (const [index, count] of callers.entries()) {
      const common = { bench: 'upserts', database: service.databaseServer, against: 'the median of the rounds', rounds }
      const of = (field: 'p50Ms' | 'p99Ms'): number => median((answered[index] ?? []).map((each) => each[field]))
      const all = rates[index] ?? []
      print({ ...common, figure: `${count} callers`, value: median(all), unit: 'answers/s', lowest: Math.round(Math.min(...all)), highest: Math.round(Math.max(...all)) })
      print({ ...common, figure: `${count} callers, p50`, value: of('p50Ms'), unit: 'ms' })
      print({ ...common, figure: `${count} callers, p99`, value: of('p99Ms'), unit: 'ms' })
    }
  } finally {
    await service.close()
  }
}
