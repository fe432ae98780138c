import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { ImportJob } from '../../../../src/domain/import-job.js'
import { emptyStats } from '../../../../src/domain/import-job.js'
import type { QueuedJob } from '../../../../src/domain/lane.js'
import { testDatabase } from '../../../support/database.js'
import { request } from '../../../support/import-workers.js'

const { repositories: { importJobs } } = await testDatabase(t)

const queued = (): QueuedJob => ({ jobId: randomUUID(), request: request(), createdAt: new Date() })
const found = async ({ jobId }: QueuedJob): Promise<ImportJob | null> => await importJobs.find('acme', jobId)

t.test('a worker that was given up cannot begin the job again, and keeps its successor from nothing', async (t) => {
  const job = queued()
  t.match(await importJobs.begin('acme', job, 1), { attempt: 1, runs: 1 })
  t.match(await importJobs.begin('acme', job, 2), { attempt: 2, runs: 2 })
  t.equal(await importJobs.begin('acme', job, 1), null)
  t.match(await found(job), { status: 'processing', attempt: 2, runs: 2 })
  await importJobs.end('acme', job.jobId, 1, 'failed', emptyStats())
  t.match(await found(job), { status: 'processing' }, 'nor can it end it')
  await importJobs.end('acme', job.jobId, 2, 'completed', emptyStats())
  t.match(await found(job), { status: 'completed' })
})

t.test('a job that was handed back is begun again under the same attempt', async (t) => {
  const job = queued()
  await importJobs.begin('acme', job, 1)
  t.match(await importJobs.begin('acme', job, 1), { attempt: 1, runs: 2 })
})

t.test('a job that is over is not begun', async (t) => {
  const job = queued()
  await importJobs.begin('acme', job, 1)
  await importJobs.end('acme', job.jobId, 1, 'completed', emptyStats())
  t.equal(await importJobs.begin('acme', job, 2), null)
  t.match(await found(job), { status: 'completed', attempt: 1 })
})
