/** Workers of the test's own process, on a real database. */
import type { Test } from 'tap'
import type { ImportRequest } from '../../src/domain/import-job.js'
import { createImportQueue } from '../../src/jobs/import-queue.js'
import { createImportWorker, type ImportWorker, type ImportWorkerOptions } from '../../src/jobs/import-worker.js'
import type { Repositories } from '../../src/store/repositories.js'
import { eventually } from './eventually.js'
import { silent } from './log.js'

/** Fast enough to lose a worker soon, and slow enough that none is lost because the machine has much to do. */
const fast = { beatMs: 250, leaseMs: 1_500 }

/** For a worker that is not to take anything back. */
export const neverTakesOver = { leaseMs: 600_000 }

export function startWorker (
  t: Test, options: Pick<ImportWorkerOptions, 'workerId' | 'repositories' | 'run'> & Partial<ImportWorkerOptions>
): ImportWorker {
  const worker = createImportWorker({ log: silent, ...fast, ...options })
  t.teardown(async () => { await worker.stop() })
  return worker
}

export const request = (wanted: Partial<ImportRequest> = {}): ImportRequest =>
  ({ files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null, ...wanted })

/** Accepts a job as the API does, without telling anyone. Gives its id. */
export async function accept (repositories: Repositories, vendorId: string, wanted: Partial<ImportRequest> = {}): Promise<string> {
  return (await createImportQueue(repositories, () => {}, silent).start(vendorId, request(wanted), null))._id
}

/** Takes a second or so, and a minute with all of its workers killed beside a compiler on both cores. */
const endsWithinMs = 180_000

/** Waits until the job is over; gives its document. */
export const ended = async (repositories: Repositories, vendorId: string, jobId: string) =>
  await eventually(`job ${jobId} ends`, async () => {
    const job = await repositories.importJobs.find(vendorId, jobId)
    return job?.status === 'completed' || job?.status === 'failed' ? job : null
  }, endsWithinMs)
