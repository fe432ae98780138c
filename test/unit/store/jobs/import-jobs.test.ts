import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { ImportJob } from '../../../../src/domain/import-job.js'
import { emptyStats } from '../../../../src/domain/import-job.js'
import type { QueuedJob } from '../../../../src/domain/lane.js'
import { allJobs, type JobFilter } from '../../../../src/store/jobs/import-jobs.js'
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

t.test('jobs are found by a file of theirs, by its exact name, and by when they were asked for, a page at a time', async (t) => {
  const asked = async (jobId: string, day: number, ...files: string[]): Promise<void> => {
    await importJobs.insertQueued('filtered', { jobId, request: { ...request(), files }, createdAt: new Date(Date.UTC(2026, 0, day)) })
  }
  await asked('a', 1, 'full.jsonl')
  await asked('b', 2, 'stock.jsonl', 'full.jsonl')
  await asked('c', 3, 'stock.jsonl')
  await asked('d', 4, 'full.jsonl.gz')
  await importJobs.insertQueued('another', { jobId: 'e', request: { ...request(), files: ['full.jsonl'] }, createdAt: new Date(Date.UTC(2026, 0, 2)) })
  const found = async (among: Partial<JobFilter>, after: string | null = null, first = 10): Promise<string> => {
    const { nodes } = await importJobs.page('filtered', { ...allJobs, ...among }, { first, after })
    if (after === null && first === 10) t.equal(await importJobs.count('filtered', { ...allJobs, ...among }), nodes.length)
    return nodes.map(({ _id }) => _id).join('')
  }
  t.equal(await found({}), 'dcba')
  t.equal(await found({ file: 'full.jsonl' }), 'ba')
  t.equal(await found({ file: 'full.jsonl' }, 'b'), 'a')
  t.equal(await found({ file: 'full' }), '')
  t.equal(await found({ from: new Date(Date.UTC(2026, 0, 2)), to: new Date(Date.UTC(2026, 0, 4)) }), 'cb')
  t.equal(await found({ from: new Date(Date.UTC(2026, 0, 2)) }, null, 2), 'dc')
  t.equal(await found({ from: new Date(Date.UTC(2026, 0, 2)) }, 'c', 2), 'b')
  t.equal(await found({ file: 'full.jsonl', status: 'failed' }), '')
})
