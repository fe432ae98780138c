/**
 * How long to wait for a server that is away: exponential backoff, within a budget. The budget begins with the first
 * failure after some progress, not with the progress: a reader may rest for longer than the budget before it asks again.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReconnectPolicy {
  /** From the first failure without any progress; then the operation fails. */
  budgetMs: number
  firstDelayMs: number
  maxDelayMs: number
}

export const defaultReconnect: ReconnectPolicy = { budgetMs: 120_000, firstDelayMs: 100, maxDelayMs: 5_000 }

export interface Patience {
  /** Bytes or an answer have come: budget and delay start over. */
  progressed (): void
  /** Waits before the next try. false: the budget does not last that long. Rejects when the signal aborts. */
  wait (signal?: AbortSignal): Promise<boolean>
}

export function createPatience ({ budgetMs, firstDelayMs, maxDelayMs }: ReconnectPolicy): Patience {
  let failingSince: number | undefined
  let delayMs = firstDelayMs
  return {
    progressed () {
      failingSince = undefined
      delayMs = firstDelayMs
    },
    async wait (signal) {
      // Up to a quarter off, so that readers which lost the same server do not all come back at once.
      const waitMs = delayMs * (1 - Math.random() / 4)
      failingSince ??= performance.now()
      if (performance.now() + waitMs >= failingSince + budgetMs) return false
      delayMs = Math.min(delayMs * 2, maxDelayMs)
      await sleep(waitMs, undefined, signal === undefined ? {} : { signal })
      return true
    }
  }
}
