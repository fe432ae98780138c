/** What followers of an import job are told anew for: all that the job says but that nothing was read meanwhile, and its place in the queue. */
import type { ImportJob } from '../../../domain/import-job.js'

/** `queue`: its vendor's; it need not be read where no job waits. */
export const jobDigest = (job: ImportJob, queue: ReadonlyArray<{ jobId: string }>): string =>
  JSON.stringify([{ ...job, speed: undefined }, queue.findIndex(({ jobId }) => jobId === job._id)])
