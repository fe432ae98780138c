/** A job that takes its workers down with it is given up after three, and the vendor's next job runs. */
import t, { type Test } from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import { maxAttempts } from '../../src/domain/lane.js'
import { unavailable } from '../../src/errors.js'
import type { RunImport } from '../../src/jobs/run-import.js'
import type { Repositories } from '../../src/store/repositories.js'
import { issuesOf } from '../support/catalog-contents.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { accept, ended, startWorker } from '../support/import-workers.js'
import { line } from '../support/product-lines.js'
import { testCatalog } from '../unit/store/test-catalog.js'

const { database, repositories } = await testDatabase(t)

const completes: RunImport = async () => ({ status: 'completed', stats: emptyStats() })

/** What a worker leaves behind that dies over the vendor's job. */
async function dieOverJob ({ lanes, importJobs }: Repositories, vendorId: string, workerId: string): Promise<void> {
  const { running } = await lanes.find(vendorId)
  const taken = running === null ? await lanes.claim(vendorId, workerId) : await lanes.takeOver(vendorId, workerId, running)
  if (taken === null) throw new Error('There was nothing to take')
  await importJobs.begin(vendorId, taken.job, taken.claim.attempt)
}

async function isGivenUp (t: Test, { database, repositories }: Pick<TestDatabase, 'database' | 'repositories'>, vendorId: string, jobId: string): Promise<void> {
  t.match(await ended(repositories, vendorId, jobId), { status: 'failed', stats: emptyStats() })
  t.match(await issuesOf(database, vendorId, jobId), [{ severity: 'error', line: null, externalId: null, message: /3 attempts ended by a crash/ }])
}

t.test('three lost workers end the job failed, with the reason', async (t) => {
  const jobId = await accept(repositories, 'lost')
  const next = await accept(repositories, 'lost')
  for (const workerId of ['one', 'two', 'three']) await dieOverJob(repositories, 'lost', workerId)
  const ran: string[] = []
  await startWorker(t, {
    workerId: 'four',
    repositories,
    run: async (options) => {
      ran.push(options.job._id)
      return await completes(options)
    }
  }).wake('lost')
  await isGivenUp(t, { database, repositories }, 'lost', jobId)
  t.strictSame(ran, [next])
  t.match(await ended(repositories, 'lost', next), { status: 'completed', attempt: 1 })
})

t.test('its stats say what it has left behind', async (t) => {
  const vendorId = 'left'
  const catalog = testCatalog({ database, repositories }, vendorId)
  await catalog.import(['old', 'stays', 'gone'].map((id) => line(id)))
  const jobId = await accept(repositories, vendorId)
  await dieOverJob(repositories, vendorId, 'one')
  await catalog.import([
    ...['old', 'stays', 'gone'].map((id) => line(id)), '{"externalId": ', line('new', { tags: ['a'] }), line('new', { tags: ['b'] }), line('old', { name: 'changed' })
  ], { jobId })
  await database.collections.products.updateOne({ vendorId, externalId: 'gone' }, { $set: { archived: true, archivedByJobId: jobId } })
  for (const workerId of ['two', 'three']) await dieOverJob(repositories, vendorId, workerId)
  await startWorker(t, { workerId: 'four', repositories, run: completes }).wake(vendorId)
  t.match(await ended(repositories, vendorId, jobId), {
    status: 'failed',
    stats: { productsProcessed: 3, productsCreated: 1, productsUpdated: 1, productsArchived: 1, productsSkipped: 1, errors: 1 }
  })
  t.strictSame((await issuesOf(database, vendorId, jobId)).map(({ line }) => line), [null, 4])
})

t.test('two lost workers do not', async (t) => {
  const jobId = await accept(repositories, 'twice')
  for (const workerId of ['one', 'two']) await dieOverJob(repositories, 'twice', workerId)
  await startWorker(t, { workerId: 'three', repositories, run: completes }).wake('twice')
  t.match(await ended(repositories, 'twice', jobId), { status: 'completed', attempt: 3 })
  t.strictSame(await issuesOf(database, 'twice', jobId), [])
})

for (const what of ['claim', 'takeOver'] as const) {
  t.test(`a ${what} that was done while its answer was lost, and that the driver has sent again, is no lost attempt`, async (t) => {
    const vendorId = `answer-${what}`
    const jobId = await accept(repositories, vendorId)
    if (what === 'takeOver') await dieOverJob(repositories, vendorId, 'dead')
    const { lanes } = repositories
    const forgetful = {
      ...lanes,
      claim: async (...args: Parameters<typeof lanes.claim>) => {
        await lanes.claim(...args)
        return null
      },
      takeOver: async (...args: Parameters<typeof lanes.takeOver>) => {
        await lanes.takeOver(...args)
        return null
      }
    }
    const [attempt, leaseMs] = what === 'claim' ? [1, 600_000] : [2, 1_000]
    await startWorker(t, { workerId: 'one', leaseMs, repositories: { ...repositories, lanes: forgetful }, run: completes }).wake(vendorId)
    t.match(await ended(repositories, vendorId, jobId), { status: 'completed', attempt })
  })
}

t.test('a run that is interrupted because what it needs is away begins again for as long as it takes, and no attempt is counted', async (t) => {
  const jobId = await accept(repositories, 'interrupted')
  let runs = 0
  await startWorker(t, {
    workerId: 'interrupted',
    repositories,
    beatMs: 1,
    run: async (options) => {
      if (++runs <= maxAttempts + 1) throw unavailable('not now')
      return await completes(options)
    }
  }).wake('interrupted')
  t.match(await ended(repositories, 'interrupted', jobId), { status: 'completed', attempt: 1 })
})

t.test('a run that breaks is tried three times', async (t) => {
  const jobId = await accept(repositories, 'breaks')
  const attempts: number[] = []
  await startWorker(t, {
    workerId: 'breaks',
    repositories,
    run: async ({ job: { attempt } }) => {
      attempts.push(attempt)
      throw new Error('the thread has died')
    }
  }).wake('breaks')
  t.strictSame(attempts, [1, 2, 3])
  await isGivenUp(t, { database, repositories }, 'breaks', jobId)
})
