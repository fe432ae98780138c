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

t.test('pages of jobs are those of a plain list, whenever they were asked for and however many at once', async (t) => {
  const day = 24 * 60 * 60 * 1_000
  // Two of an instant at the least; some before jobs are forgotten, and some in the future of who asks.
  const ages = [-1, 0, 0, 0, 1 / 48, 0.5, 0.5, 1, 3, 3, 20, 20.1, 84, 85, 127, 400, 400]
  const now = Date.now()
  const jobs = ages.map((age, index) => ({ jobId: `job-${String((index * 7) % ages.length).padStart(2, '0')}`, at: now - Math.round(age * day), file: `${index % 3}.jsonl` }))
  for (const { jobId, at, file } of jobs) await importJobs.insertQueued('paged', { jobId, request: { ...request(), files: [file] }, createdAt: new Date(at) })
  const inOrder = [...jobs].sort((a, b) => b.at - a.at || (a.jobId < b.jobId ? 1 : -1))
  const bounds = [null, 0.5, 3, 84.5].map((age) => age === null ? null : new Date(now - Math.round(age * day)))
  for (const from of bounds) {
    for (const to of bounds) {
      for (const file of [null, '1.jsonl']) {
        const meant = inOrder.filter((job) => (file === null || job.file === file) && (from === null || job.at >= from.getTime()) && (to === null || job.at < to.getTime())).map(({ jobId }) => jobId)
        for (const first of [1, 4, 50]) {
          const told: string[] = []
          for (let after: string | null = null, hasNextPage = true; hasNextPage; after = told.at(-1) ?? null) {
            const page = await importJobs.page('paged', { ...allJobs, file, from, to }, { first, after })
            told.push(...page.nodes.map(({ _id }) => _id))
            hasNextPage = page.hasNextPage
          }
          if (told.join() !== meant.join()) t.strictSame({ from, to, file, first, told }, { from, to, file, first, told: meant })
        }
      }
    }
  }
  t.strictSame((await importJobs.page('paged', allJobs, { first: 50, after: null })).nodes.map(({ _id }) => _id), inOrder.map(({ jobId }) => jobId))
})
