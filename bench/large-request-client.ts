/** Makes one large request and, once it is told to, sends it (see bench/large-requests). */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'

export interface LargeRequest {
  kind: 'products' | 'faulty' | 'charts' | 'numbers' | 'nested' | 'empty'
  count: number
}

const { request: { kind, count }, round, url, apiKey } = workerData as { request: LargeRequest, round: number, url: string, apiKey: string }

/** About 1 KB. */
const product = (n: number): object => ({
  externalId: `P${n}`,
  name: `Product ${n}, round ${round}`,
  brandName: 'Acme',
  externalUrl: `https://shop.example.com/p/${n}`,
  description: 'A description that says what this is. '.repeat(8),
  categories: ['Wheels', 'Tyres'],
  tags: ['new', 'winter', 'sale'],
  images: [1, 2].map((i) => ({ externalId: `P${n}-${i}`, url: `https://img.example.com/${n}/${i}.jpg`, position: i })),
  variants: [1, 2].map((i) => ({ externalId: `P${n}-V${i}`, name: `Size ${i}`, sku: `SKU-${n}-${i}`, prices: [{ price: 19.9 + i, currency: 'USD' }] })),
  metafields: [{ key: 'colour', value: 'black' }, { key: 'weight', value: '12' }]
})

const upsertProducts = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "bench", products: $products) { externalId } }'
const upsertCharts = 'mutation ($input: BulkUpsertSizeChartsInput!) { bulkUpsertSizeCharts(input: $input) { created } }'
const list = <T>(make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

const operations: Record<LargeRequest['kind'], () => { query: string, variables: object }> = {
  products: () => ({ query: upsertProducts, variables: { products: list(product) } }),
  faulty: () => ({ query: upsertProducts, variables: { products: list(() => ({ externalId: '', name: '', brandName: '', externalUrl: '' })) } }),
  nested: () => ({ query: upsertProducts, variables: { products: list(() => [[]]) } }),
  charts: () => ({
    query: upsertCharts,
    variables: { input: { sizeCharts: list((n) => ({ externalId: `C${n}`, name: `Chart ${n}`, body: `| Size ${round} |\n|---|\n`.padEnd(2_800, '| M | 92-98 |\n') })) } }
  }),
  numbers: () => ({ query: upsertProducts, variables: { products: list(() => 1) } }),
  empty: () => ({ query: upsertProducts, variables: { products: list((n) => ({ externalId: `${n}` })) } })
}

const body = JSON.stringify(operations[kind]())
parentPort?.postMessage({ bytes: Buffer.byteLength(body) })
if (parentPort !== null) await once(parentPort, 'message')
const startMs = performance.now()
const response = await fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-vendor-api-key': apiKey }, body })
await response.arrayBuffer()
parentPort?.postMessage({ tookMs: performance.now() - startMs })
