/**
 * How long one request, small or large, holds up the event loop of the API, which is how long everybody else waits, and how long it takes itself.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startBenchService } from './bench-service.js'
import { note, print } from './figure.js'
import type { LargeRequest } from './large-request-client.js'

const bench = 'large-requests'
const rounds = 3

const requests: LargeRequest[] = [
  { kind: 'products', count: 40 },
  { kind: 'faulty', count: 190 },
  { kind: 'faulty', count: 5_000 },
  { kind: 'products', count: 1_000 },
  { kind: 'products', count: 5_000 },
  { kind: 'charts', count: 5_000 },
  { kind: 'numbers', count: 3_000_000 },
  { kind: 'nested', count: 3_000_000 },
  { kind: 'empty', count: 190_000 }
]

export async function benchLargeRequests (): Promise<void> {
  const service = await startBenchService('api,worker,sftp')
  try {
    note(`large requests, on ${service.databaseServer}`)
    for (const request of requests) {
      const heldUpMs: number[] = []
      const tookMs: number[] = []
      let bytes = 0
      for (let round = 0; round < rounds; round++) {
        const client = new Worker(new URL('./large-request-client.js', import.meta.url), { workerData: { request, round, url: service.url, apiKey: service.apiKey } })
        const [ready] = await once(client, 'message') as [{ bytes: number }]
        bytes = ready.bytes
        await delay(100)
        const tellLoad = await service.watch()
        client.postMessage('send')
        const [answer] = await once(client, 'message') as [{ tookMs: number }]
        await delay(100)
        heldUpMs.push((await tellLoad()).loopMaxMs)
        tookMs.push(answer.tookMs)
        await client.terminate()
      }
      const figure = `${request.count} ${request.kind}`
      const megabytes = Number((bytes / 1e6).toPrecision(3))
      print({ bench, figure: `${figure}: the event loop is held up`, value: Math.max(...heldUpMs), unit: 'ms', against: 'the longest of all rounds', megabytes })
      print({ bench, figure: `${figure}: answered after`, value: Math.min(...tookMs), unit: 'ms', against: 'the quickest of all rounds' })
    }
  } finally {
    await service.close()
  }
}
