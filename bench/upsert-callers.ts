/** The callers of bench/upserts.ts, in a thread of their own. */
import { parentPort, workerData } from 'node:worker_threads'
import { Agent, request } from 'undici'

export interface UpsertCallers { url: string, apiKey: string, callers: number, products: number, seconds: number, round: number }
export interface Answered { answers: number, seconds: number, p50Ms: number, p99Ms: number }

const { url, apiKey, callers, products, seconds, round } = workerData as UpsertCallers
const dispatcher = new Agent({ connections: callers, pipelining: 1 })
const query = 'mutation ($products: [UpsertProductInput!]!) { upsertProducts(vendorId: "bench", products: $products) { id externalId name } }'
const tookMs: number[] = []
let sent = 0

async function call (): Promise<void> {
  const externalId = `P${(sent++ * 7) % products}`
  const sentAt = performance.now()
  const { statusCode, body } = await request(`${url}/graphql`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-vendor-api-key': apiKey },
    body: JSON.stringify({ query, variables: { products: [{ externalId, variants: [{ externalId: `${externalId}-V`, inventory: round * 1_000_000 + sent }] }] } })
  })
  const answer = await body.text()
  if (statusCode !== 200 || !answer.includes(`"externalId":"${externalId}"`)) throw new Error(`${statusCode} ${answer}`)
  tookMs.push(performance.now() - sentAt)
}

const begunAt = performance.now()
const endsAt = begunAt + seconds * 1_000
await Promise.all(Array.from({ length: callers }, async () => { while (performance.now() < endsAt) await call() }))
const took = (performance.now() - begunAt) / 1_000
await dispatcher.close()
tookMs.sort((a, b) => a - b)
const at = (share: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? NaN
parentPort?.postMessage({ answers: tookMs.length, seconds: took, p50Ms: at(0.5), p99Ms: at(0.99) } satisfies Answered)
