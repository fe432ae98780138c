/** How fast an import was is kept with its job, for whoever did not watch. */
import t from 'tap'
import { emptyStats, type ImportJob, type ImportProgress } from '../../src/domain/import-job.js'
import { testDatabase } from '../support/database.js'
import { eventually } from '../support/eventually.js'
import { accept, ended, neverTakesOver, startWorker } from '../support/import-workers.js'

const { repositories } = await testDatabase(t)

const upTo = (linesRead: number): ImportProgress => ({ bytesRead: linesRead, bytesTotal: 1_000, linesRead })
const completed = { status: 'completed' as const, stats: emptyStats() }

const sampled = async ({ vendorId, _id }: ImportJob, lines: number) => await eventually(`a sample of ${lines} lines`, async () => {
  const job = await repositories.importJobs.find(vendorId, _id)
  return job?.speed?.some(({ linesRead }) => linesRead === lines) === true ? true : null
})

t.test('samples are there while the job runs, and its end is the last of them', async (t) => {
  const worker = startWorker(t, {
    workerId: 'steady', repositories, beatMs: 20, ...neverTakesOver,
    async run ({ job, onProgress }) {
      for (const lines of [100, 200]) {
        onProgress(upTo(lines))
        await sampled(job, lines)
      }
      onProgress(upTo(250))
      return completed
    }
  })
  const jobId = await accept(repositories, 'steady')
  await worker.wake('steady')
  const { speed = [], progress } = await ended(repositories, 'steady', jobId)
  t.equal(speed[0]?.linesRead, 100)
  t.equal(speed.at(-1)?.linesRead, 250)
  t.equal(progress?.linesRead, 250)
  t.strictSame(speed, [...speed].sort((a, b) => a.ms - b.ms), 'in the order of time')
})

t.test('the next attempt begins anew', async (t) => {
  const worker = startWorker(t, {
    workerId: 'second', repositories, beatMs: 20, ...neverTakesOver,
    async run ({ job, attempt, onProgress }) {
      const lines = attempt === 1 ? 100 : 7
      onProgress(upTo(lines))
      await sampled(job, lines)
      if (attempt === 1) throw new Error('it breaks')
      return completed
    }
  })
  const jobId = await accept(repositories, 'second')
  await worker.wake('second')
  const { speed = [], attempt } = await ended(repositories, 'second', jobId)
  t.equal(attempt, 2)
  t.strictSame([...new Set(speed.map(({ linesRead }) => linesRead))], [7])
})

t.test('a job that ends before the first beat has none', async (t) => {
  const worker = startWorker(t, {
    workerId: 'short', repositories, beatMs: 600_000, ...neverTakesOver,
    async run ({ onProgress }) {
      onProgress(upTo(3))
      return completed
    }
  })
  const jobId = await accept(repositories, 'short')
  await worker.wake('short')
  t.strictSame((await ended(repositories, 'short', jobId)).speed, [])
})
