/**
 * What is asked of a broker that may be away. node-rdkafka waits for the answer in a thread of libuv's pool, behind which gunzip, files, names and
 * keys of the whole process wait, its worker threads included; the pool has four unless UV_THREADPOOL_SIZE says otherwise. So there is one such
 * call at a time, whoever makes it, and not all the time:
 *
 *   ask ─┬─ the same is being asked ──────────▶ its answer
 *        ├─ no answer, less than 5 s ago ─────▶ that error, at once
 *        └─ waits for its turn ─▶ is asked ─┬─▶ the answer
 *                                           └─▶ no answer: for 5 s nobody asks
 *
 * (Consumers' polls are not among them: they end within 0.1 s, broker or none.)
 */
import pLimit from 'p-limit'

export interface BrokerCalls {
  /** The call's answer, or the error of one that had none. `question` names what is asked: there is one call for all who ask the same. */
  ask<T> (question: string, call: () => Promise<T>): Promise<T>
  /** For a call that its owner repeats in its own time. Rejects with the signal's reason if that is aborted before the call's turn has come. */
  inTurn<T> (call: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export interface BrokerCallsOptions {
  pauseMs?: number
  /** A monotonic clock, in milliseconds. */
  monotonicMs?: () => number
}

export function createBrokerCalls ({ pauseMs = 5_000, monotonicMs = () => performance.now() }: BrokerCallsOptions = {}): BrokerCalls {
  const turns = pLimit(1)
  const asked = new Map<string, Promise<unknown>>()
  let unanswered: { error: unknown, untilMs: number } | null = null

  function refuseInPause (): void {
    if (unanswered !== null && monotonicMs() < unanswered.untilMs) throw unanswered.error
  }

  async function askInTurn<T> (call: () => Promise<T>): Promise<T> {
    refuseInPause()
    return await turns(async () => {
      // The one before it may have found out.
      refuseInPause()
      try {
        return await call()
      } catch (error) {
        unanswered = { error, untilMs: monotonicMs() + pauseMs }
        throw error
      }
    })
  }

  return {
    async ask<T> (question: string, call: () => Promise<T>) {
      const same = asked.get(question) as Promise<T> | undefined
      if (same !== undefined) return await same
      const answer = askInTurn(call).finally(() => { asked.delete(question) })
      asked.set(question, answer)
      return await answer
    },
    inTurn: async <T>(call: () => Promise<T>, signal: AbortSignal) => await new Promise<T>((resolve, reject) => {
      const leave = (): void => { reject(signal.reason as Error) }
      signal.addEventListener('abort', leave, { once: true })
      turns(async () => {
        signal.removeEventListener('abort', leave)
        signal.throwIfAborted()
        return await call()
      }).then(resolve, reject)
    })
  }
}
