/**
 * A database that is away is waited for, and so is whatever else may be there later (errors, `retryable`); an import that lasts an hour does not begin
 * anew over a restart of the primary. One that is there and too slow for what it was asked is asked a few times: what it cannot do in its
 * time it may never do.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isRetryable } from '../../errors.js'
import { isDatabaseAway, isStorageBroken, isTooSlow } from './database-errors.js'

export interface Patience {
  /** Repeats `operation`, which must be safe to repeat, until it succeeds, fails for another reason, or `signal` aborts. */
  <T>(operation: () => Promise<T>): Promise<T>
}

const firstDelayMs = 100
const maxDelayMs = 5_000
/** Storage that has given up is restarted well before. After that it is the command that cannot be done. */
const brokenForMs = 30_000
/** An operation that is too slow has had its whole time with each, and may have met others' peak. */
const maxTooSlow = 3

/** `onRetry` is told before each repetition: what was acknowledged before may have been done already. */
export const createPatience = (signal: AbortSignal, log: Logger, onRetry?: () => void, giveUpBrokenAfterMs = brokenForMs): Patience => async (operation) => {
  let brokenSince: number | null = null
  let tooSlow = 0
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    signal.throwIfAborted()
    try {
      return await operation()
    } catch (error) {
      if (isTooSlow(error)) tooSlow += 1
      else if (!isDatabaseAway(error) && !isRetryable(error)) throw error
      if (tooSlow === maxTooSlow) throw error
      brokenSince = isStorageBroken(error) ? brokenSince ?? performance.now() : null
      if (brokenSince !== null && performance.now() - brokenSince >= giveUpBrokenAfterMs) throw error
      log.warn({ err: error, retryInMs: delayMs }, isRetryable(error) ? error.message : isTooSlow(error) ? 'the database is too slow' : 'the database is away')
      onRetry?.()
    }
    await delay(delayMs, undefined, { signal })
  }
}
