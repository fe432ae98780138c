/** What a worker does with a job whose thread was lost under it: whose doing it was decides whether that was an attempt. */
import t, { type Test } from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import { ImportCancelled, type ImportResult, type RunImportOptions } from '../../src/jobs/run-import.js'
import { ThreadLost } from '../../src/threads/thread-lost.js'
import { issuesOf } from '../support/catalog-contents.js'
import { testDatabase } from '../support/database.js'
import { createGate } from '../support/eventually.js'
import { accept, ended, startWorker } from '../support/import-workers.js'

const { database, repositories } = await testDatabase(t)

interface Run { attempt: number, runs: number, alone: boolean }

/** Runs a job of the vendor: with each error in turn, and then to its end. Gives its runs and what became of it. */
async function runWith (t: Test, vendorId: string, errors: Error[], completes = async (_options: RunImportOptions): Promise<ImportResult> => ({ status: 'completed', stats: emptyStats() })) {
  const jobId = await accept(repositories, vendorId)
  const seen: Run[] = []
  await startWorker(t, {
    workerId: `worker of ${vendorId}`,
    repositories,
    run: async (options) => {
      seen.push({ attempt: options.attempt, runs: options.job.runs, alone: options.alone === true })
      const error = errors.shift()
      if (error !== undefined) throw error
      return await completes(options)
    }
  }).wake(vendorId)
  return { job: await ended(repositories, vendorId, jobId), seen, issues: await issuesOf(database, vendorId, jobId) }
}

t.test('over another\'s job it begins anew, no attempt counted', async (t) => {
  const { job, seen } = await runWith(t, 'moved', [new ThreadLost('held-up', 'another'), new ThreadLost('held-up', 'another'), new ThreadLost('held-up', 'another')])
  t.match(job, { status: 'completed', attempt: 1 })
  t.strictSame(seen, [1, 2, 3, 4].map((runs) => ({ attempt: 1, runs, alone: false })))
})

t.test('where nobody knows over whose, it runs by itself, no attempt counted', async (t) => {
  const { job, seen } = await runWith(t, 'suspect', [new ThreadLost('memory', 'unknown')])
  t.match(job, { status: 'completed', attempt: 1 })
  t.strictSame(seen, [{ attempt: 1, runs: 1, alone: false }, { attempt: 1, runs: 2, alone: true }])
})

t.test('over this job an attempt is counted, the next runs by itself, and the third fails it with the reason', async (t) => {
  const { job, seen, issues } = await runWith(t, 'poison', Array.from({ length: 3 }, () => new ThreadLost('memory', 'this')))
  t.match(job, { status: 'failed', stats: emptyStats() })
  t.strictSame(seen, [1, 2, 3].map((attempt) => ({ attempt, runs: attempt, alone: attempt > 1 })))
  t.match(issues, [{ severity: 'error', line: null, message: 'Given up after 3 attempts: the import took too much memory' }])
})

for (const [reason, why] of [['held-up', 'took too long over a single step'], ['ended', 'ended its thread']] as const) {
  t.test(`the reason of one that is given up is a sentence: ${why}`, async (t) => {
    const { issues } = await runWith(t, `poison-${reason}`, Array.from({ length: 3 }, () => new ThreadLost(reason, 'this')))
    t.match(issues, [{ message: `Given up after 3 attempts: the import ${why}` }])
  })
}

t.test('the job of a worker that died runs by itself in the next', async (t) => {
  const vendorId = 'orphan'
  const jobId = await accept(repositories, vendorId)
  const taken = await repositories.lanes.claim(vendorId, 'dead')
  if (taken === null) throw new Error('There was nothing to take')
  await repositories.importJobs.begin(vendorId, taken.job, taken.claim.attempt)
  const seen: boolean[] = []
  await startWorker(t, {
    workerId: 'alive',
    repositories,
    run: async ({ alone }) => {
      seen.push(alone === true)
      return { status: 'completed', stats: emptyStats() }
    }
  }).wake(vendorId)
  t.match(await ended(repositories, vendorId, jobId), { status: 'completed', attempt: 2 })
  t.strictSame(seen, [true])
})

t.test('jobs that wait to run by themselves keep none from running side by side', async (t) => {
  const waits = createGate()
  const suspects = Array.from({ length: 33 }, (_, n) => `suspect-${n}`)
  const worker = startWorker(t, {
    workerId: 'worker of many',
    repositories,
    run: async ({ job, alone }) => {
      if (job.vendorId === 'sound') return { status: 'completed', stats: emptyStats() }
      if (alone !== true) throw new ThreadLost('memory', 'unknown')
      await waits.passed
      return { status: 'completed', stats: emptyStats() }
    }
  })
  await Promise.all(suspects.map(async (vendorId) => await accept(repositories, vendorId)))
  const woken = suspects.map(async (vendorId) => { await worker.wake(vendorId) })
  const jobId = await accept(repositories, 'sound')
  await worker.wake('sound')
  t.match(await ended(repositories, 'sound', jobId), { status: 'completed' })
  waits.open()
  await Promise.all(woken)
})

t.test('one that is cancelled and does not end by itself is cancelled all the same', async (t) => {
  const { job, issues } = await runWith(t, 'cancelled', [], async ({ job, signal }) => {
    await repositories.importJobs.requestCancel('cancelled', job._id)
    await new Promise((resolve) => { signal.addEventListener('abort', resolve, { once: true }) })
    t.ok(signal.reason instanceof ImportCancelled)
    throw new ThreadLost('held-up', 'this')
  })
  t.match(job, { status: 'failed', attempt: 1, stats: emptyStats() })
  t.match(issues, [{ message: 'The import was cancelled' }])
})
