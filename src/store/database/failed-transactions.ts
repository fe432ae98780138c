/**
 * Transactions that failed where the same was done without them, or in another (commit-updates, snapshot): nothing is lost by one, but where many fail, each bulk is paid for twice. They
 * happen in any thread, and are counted and told by the one that has the process's metrics. What a process of its own (threads/pool-process) does for a single job is not heard here.
 */
import { BroadcastChannel } from 'node:worker_threads'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'

interface FailedTransaction { collection: string, reason: string }

const channelName = 'catalog-failed-transactions'
/** A conflict with another's bulk is told as often as it comes; so are a thousand. */
const toldEveryMs = 60_000
const maxReasonLength = 300

let channel: BroadcastChannel | undefined

export function reportFailedTransaction (collection: string, error: unknown): void {
  if (channel === undefined) {
    channel = new BroadcastChannel(channelName)
    channel.unref()
  }
  const reason = error instanceof Error ? error.message.slice(0, maxReasonLength) : 'unknown'
  channel.postMessage({ collection, reason } satisfies FailedTransaction)
}

export interface FailedTransactionsOptions {
  metrics: Registry
  log: Logger
  monotonicMs?: () => number
}

/** Of all threads of this process. Gives what ends it. */
export function countFailedTransactions ({ metrics, log, monotonicMs = () => performance.now() }: FailedTransactionsOptions): () => Promise<void> {
  const failures = new Counter({
    name: 'catalog_failed_transactions_total',
    help: 'Transactions of bulks, and of what is read for them, that failed; the same was done without them, or in another',
    labelNames: ['collection'],
    registers: [metrics]
  })
  const received = new BroadcastChannel(channelName)
  let toldAtMs = -Infinity
  let leftOut = 0
  received.unref()
  received.onmessage = (event) => {
    const { data: { collection, reason } } = event as { data: FailedTransaction }
    failures.inc({ collection })
    if (monotonicMs() - toldAtMs < toldEveryMs) {
      leftOut += 1
      return
    }
    log.warn({ collection, reason, leftOut }, 'a transaction failed; the same was done without one')
    toldAtMs = monotonicMs()
    leftOut = 0
  }
  return async () => { received.close() }
}
