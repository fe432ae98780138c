/** Follows an import job for subscribers. */
import type { FastifyBaseLogger } from 'fastify'
import { isOver, type ImportJob } from '../../../domain/import-job.js'
import { notFound } from '../../../errors.js'
import type { Repositories } from '../../../store/repositories.js'
import { jobDigest } from './job-digest.js'
import { createSharedPolls } from './shared-polls.js'

export interface JobWatch {
  /**
   * The job at once, then at every change (its place in the queue included), to its end. Throws NOT_FOUND when there is
   * no such job. Ends when `signal` is aborted.
   */
  follow (vendorId: string, jobId: string, signal: AbortSignal): AsyncGenerator<ImportJob>
  /** How many jobs are being polled. */
  readonly size: number
}

export function createJobWatch (
  { importJobs, lanes }: Pick<Repositories, 'importJobs' | 'lanes'>, log: FastifyBaseLogger, intervalMs = 500
): JobWatch {
  const polls = createSharedPolls<ImportJob | null>(log, intervalMs)

  async function * follow (vendorId: string, jobId: string, signal: AbortSignal): AsyncGenerator<ImportJob> {
    const states = polls.follow(`${vendorId}:${jobId}`, vendorId, async () => {
      const job = await importJobs.find(vendorId, jobId)
      const queue = job?.status === 'queued' ? (await lanes.find(vendorId)).queue : []
      return { value: job, digest: job === null ? '' : jobDigest(job, queue), isLast: job === null || isOver(job) }
    }, signal)
    for await (const job of states) {
      if (job === null) throw notFound('No such import job')
      yield job
    }
  }

  return { follow, get size () { return polls.size } }
}
