/**
 * Follows import jobs for subscribers: one poller per job in the process, shared by all who watch it, ended by the last
 * one who leaves. A subscriber that is slower than the job sees its newest state only; nothing queues up.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { ImportJob } from '../../domain/import-job.js'
import { notFound } from '../../errors.js'
import { hasNotAnswered } from '../../store/database/database-errors.js'
import type { Repositories } from '../../store/repositories.js'
import { asReader } from '../../store/reads/reader.js'

export interface JobWatch {
  /**
   * The job at once, then at every change (its place in the queue included), to its end. Throws NOT_FOUND when there is
   * no such job. Ends when `signal` is aborted.
   */
  follow (vendorId: string, jobId: string, signal: AbortSignal): AsyncGenerator<ImportJob>
  /** How many jobs are being polled. */
  readonly size: number
}

interface Poller {
  /** undefined: not read yet; null: there is no such job. */
  job: ImportJob | null | undefined
  /** +1 with every change. */
  version: number
  failure: { error: unknown } | null
  followers: number
  wake: Set<() => void>
  stop: AbortController
}

export function createJobWatch (
  { importJobs, lanes }: Pick<Repositories, 'importJobs' | 'lanes'>, log: FastifyBaseLogger, intervalMs = 500
): JobWatch {
  const pollers = new Map<string, Poller>()

  async function * follow (vendorId: string, jobId: string, signal: AbortSignal): AsyncGenerator<ImportJob> {
    const key = `${vendorId}:${jobId}`
    const poller = pollers.get(key) ?? start(key, vendorId, jobId)
    poller.followers++
    try {
      for (let seen = 0; ;) {
        while (poller.version === seen && !signal.aborted) await change(poller, signal)
        if (signal.aborted) return
        seen = poller.version
        if (poller.failure !== null) throw poller.failure.error
        if (poller.job === null || poller.job === undefined) throw notFound('No such import job')
        const { job } = poller
        yield job
        if (isOver(job)) return
      }
    } finally {
      if (--poller.followers === 0) retire(key, poller)
    }
  }

  function start (key: string, vendorId: string, jobId: string): Poller {
    const poller: Poller = {
      job: undefined, version: 0, failure: null, followers: 0, wake: new Set(), stop: new AbortController()
    }
    pollers.set(key, poller)
    // For all who follow: it is not charged to the one who came first.
    asReader({ owner: vendorId }, async () => { await poll(poller, vendorId, jobId) })
      .catch((error: unknown) => {
        poller.failure = { error }
        announce(poller)
      })
      .finally(() => { retire(key, poller) })
    return poller
  }

  /** Whoever comes after this gets a poller of its own. */
  function retire (key: string, poller: Poller): void {
    poller.stop.abort()
    if (pollers.get(key) === poller) pollers.delete(key)
  }

  async function poll (poller: Poller, vendorId: string, jobId: string): Promise<void> {
    let before: string | null = null
    while (!poller.stop.signal.aborted) {
      const state = await read(vendorId, jobId, poller)
      if (state !== null && state.digest !== before) {
        before = state.digest
        poller.job = state.job
        announce(poller)
        if (state.job === null || isOver(state.job)) return
      }
      await delay(intervalMs, undefined, { signal: poller.stop.signal }).catch(() => { /* stopped: the loop ends */ })
    }
  }

  /** null: the database is away for the moment; who has been told the job's state before can wait for the next. */
  async function read (vendorId: string, jobId: string, { version }: Poller): Promise<{ job: ImportJob | null, digest: string } | null> {
    try {
      const job = await importJobs.find(vendorId, jobId)
      const queue = job?.status === 'queued' ? (await lanes.find(vendorId)).queue : []
      return { job, digest: JSON.stringify([job, queue.findIndex((queued) => queued.jobId === jobId)]) }
    } catch (error) {
      if (version === 0 || !hasNotAnswered(error)) throw error
      log.warn({ err: error, jobId }, 'a watched import job could not be read')
      return null
    }
  }

  return { follow, get size () { return pollers.size } }
}

const isOver = ({ status }: ImportJob): boolean => status === 'completed' || status === 'failed'

function announce (poller: Poller): void {
  poller.version++
  for (const wake of poller.wake) wake()
}

async function change (poller: Poller, signal: AbortSignal): Promise<void> {
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
