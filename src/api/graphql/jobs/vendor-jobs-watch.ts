/** Follows all import jobs of a vendor for subscribers: those that wait and run, and the end of each, also of one that is over before it was seen to run. */
import type { FastifyBaseLogger } from 'fastify'
import { isOver, type ImportJob } from '../../../domain/import-job.js'
import type { Repositories } from '../../../store/repositories.js'
import { jobDigest } from './job-digest.js'
import { createSharedPolls } from './shared-polls.js'

export interface VendorJobsWatch {
  /** Every open job at once, then each that changes (its place in the queue included). Ends when `signal` is aborted. */
  follow (vendorId: string, signal: AbortSignal): AsyncGenerator<ImportJob>
}

/** Digests by job, the newest first. */
type Jobs = Map<string, { job: ImportJob, digest: string }>

/** Ended ones are kept for followers that are slow; more than can wait and run at a time. */
const maxEnded = 50

export function createVendorJobsWatch (
  { importJobs, lanes }: Pick<Repositories, 'importJobs' | 'lanes'>, log: FastifyBaseLogger, intervalMs = 500
): VendorJobsWatch {
  const polls = createSharedPolls<Jobs>(log, intervalMs)

  async function read (vendorId: string, before: Jobs = new Map()): Promise<{ value: Jobs, digest: string, isLast: boolean }> {
    const wereOpen = [...before.values()].filter(({ job }) => !isOver(job)).map(({ job }) => job._id)
    const found = await importJobs.watched(vendorId, wereOpen)
    const queue = found.some(({ status }) => status === 'queued') ? (await lanes.find(vendorId)).queue : []
    const value: Jobs = new Map(found.map((job) => [job._id, { job, digest: jobDigest(job, queue) }]))
    const ended = [...before].filter(([id, { job }]) => isOver(job) && !value.has(id)).slice(0, maxEnded)
    for (const [id, state] of ended) value.set(id, state)
    return { value, digest: JSON.stringify([...value.values()].map(({ digest }) => digest)), isLast: false }
  }

  async function * follow (vendorId: string, signal: AbortSignal): AsyncGenerator<ImportJob> {
    let told: Map<string, string> | null = null
    for await (const jobs of polls.follow(vendorId, vendorId, async (before) => await read(vendorId, before), signal)) {
      // What had ended before this one came is no news.
      const news = [...jobs.values()].filter(({ job, digest }) => told === null ? !isOver(job) : told.get(job._id) !== digest)
      told = new Map([...jobs].map(([id, { digest }]) => [id, digest]))
      for (const { job } of news.reverse()) yield job
    }
  }

  return { follow }
}
