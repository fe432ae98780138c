/** Asks a server the same thing over and over, from a process of its own: what asking costs is not what is measured. Once for each message that it gets. */
import autocannon from 'autocannon'

export interface Load { url: string, headers: Record<string, string>, body: string, connections: number, seconds: number }

/** Times in milliseconds. `failed`: answers of another status than 2xx, and those that never came. */
export interface LoadReport { requestsPerSecond: number, requests: number, p50: number, p99: number, failed: number }

if (process.send === undefined) throw new Error('load-client is run by a bench only')
process.on('message', ({ url, headers, body, connections, seconds }: Load) => {
  void autocannon({ url, method: 'POST', headers, body, connections, duration: seconds }).then(({ requests, latency, non2xx, errors }) => {
    process.send?.({
      requestsPerSecond: requests.average, requests: requests.total, p50: latency.p50, p99: latency.p99, failed: non2xx + errors
    } satisfies LoadReport)
  })
})
