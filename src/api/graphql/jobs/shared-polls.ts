/**
 * Something that is read again and again for all who follow it: one poller per key in the process, ended by the last one who leaves. A
 * follower that is slower than the changes sees the newest state only; nothing queues up.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { hasNotAnswered } from '../../../store/database/database-errors.js'
import { asReader } from '../../../store/reads/reader.js'

export interface Reading<T> {
  value: T
  /** Two that are equal are no change. */
  digest: string
  /** Nothing comes after it. */
  isLast: boolean
}

export interface SharedPolls<T> {
  /**
   * The state at once, then at every change. Ends after the last one, and when `signal` is aborted. `read` gets the value before, if any;
   * where it throws because the database is away, whoever has been told a state waits for the next.
   */
  follow (key: string, owner: string, read: (before: T | undefined) => Promise<Reading<T>>, signal: AbortSignal): AsyncGenerator<T>
  /** How many keys are being polled. */
  readonly size: number
}

interface Poller<T> {
  /** undefined: not read yet. */
  reading: Reading<T> | undefined
  /** +1 with every change. */
  version: number
  failure: { error: unknown } | null
  followers: number
  wake: Set<() => void>
  stop: AbortController
}

export function createSharedPolls<T> (log: FastifyBaseLogger, intervalMs: number): SharedPolls<T> {
  const pollers = new Map<string, Poller<T>>()

  async function * follow (key: string, owner: string, read: (before: T | undefined) => Promise<Reading<T>>, signal: AbortSignal): AsyncGenerator<T> {
    const poller = pollers.get(key) ?? start(key, owner, read)
    poller.followers++
    try {
      for (let seen = 0; ;) {
        while (poller.version === seen && !signal.aborted) await change(poller, signal)
        if (signal.aborted) return
        seen = poller.version
        if (poller.failure !== null) throw poller.failure.error
        const { value, isLast } = poller.reading as Reading<T>
        yield value
        if (isLast) return
      }
    } finally {
      if (--poller.followers === 0) retire(key, poller)
    }
  }

  function start (key: string, owner: string, read: (before: T | undefined) => Promise<Reading<T>>): Poller<T> {
    const poller: Poller<T> = { reading: undefined, version: 0, failure: null, followers: 0, wake: new Set(), stop: new AbortController() }
    pollers.set(key, poller)
    // For all who follow: it is not charged to the one who came first.
    asReader({ owner }, async () => { await poll(key, poller, read) })
      .catch((error: unknown) => {
        poller.failure = { error }
        announce(poller)
      })
      .finally(() => { retire(key, poller) })
    return poller
  }

  /** Whoever comes after this gets a poller of its own. */
  function retire (key: string, poller: Poller<T>): void {
    poller.stop.abort()
    if (pollers.get(key) === poller) pollers.delete(key)
  }

  async function poll (key: string, poller: Poller<T>, read: (before: T | undefined) => Promise<Reading<T>>): Promise<void> {
    while (!poller.stop.signal.aborted) {
      const before = poller.reading
      const reading = await read(before?.value).catch((error: unknown) => {
        if (before === undefined || !hasNotAnswered(error)) throw error
        log.warn({ err: error, watched: key }, 'what is watched could not be read')
        return before
      })
      if (reading.digest !== before?.digest) {
        poller.reading = reading
        announce(poller)
        if (reading.isLast) return
      }
      await delay(intervalMs, undefined, { signal: poller.stop.signal }).catch(() => { /* stopped: the loop ends */ })
    }
  }

  return { follow, get size () { return pollers.size } }
}

function announce<T> (poller: Poller<T>): void {
  poller.version++
  for (const wake of poller.wake) wake()
}

async function change<T> (poller: Poller<T>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      poller.wake.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    poller.wake.add(wake)
    signal.addEventListener('abort', wake)
  })
}
