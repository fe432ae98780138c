import { MongoNetworkError } from 'mongodb'
import t from 'tap'
import { createJobWatch } from '../../../../../src/api/graphql/jobs/job-watch.js'
import type { ImportJob, JobStatus } from '../../../../../src/domain/import-job.js'
import type { Repositories } from '../../../../../src/store/repositories.js'
import { silent } from '../../../../support/log.js'

function setUp (read: () => ImportJob | null) {
  let reads = 0
  const repositories = {
    importJobs: { find: async () => { reads++; return read() } },
    lanes: { find: async () => ({ queue: [], running: null }) }
  } as unknown as Repositories
  const watch = createJobWatch(repositories, silent, 1)
  return { watch, follow: (signal = new AbortController().signal) => watch.follow('shop', 'job', signal), reads: () => reads }
}

const job = (status: JobStatus, attempt = 0): ImportJob => ({ _id: 'job', vendorId: 'shop', status, attempt }) as ImportJob

t.test('only changes are told, and the end ends it', async (t) => {
  const states = [job('processing'), job('processing'), job('processing', 1), job('processing', 1), job('completed', 1)]
  const { follow, watch } = setUp(() => states.length > 1 ? states.shift() ?? null : states[0] ?? null)
  const seen: string[] = []
  for await (const { status, attempt } of follow()) seen.push(`${status} ${attempt}`)
  t.strictSame(seen, ['processing 0', 'processing 1', 'completed 1'])
  t.equal(watch.size, 0)
})

t.test('a job that is over is told once', async (t) => {
  const { follow } = setUp(() => job('failed'))
  const seen = []
  for await (const { status } of follow()) seen.push(status)
  t.strictSame(seen, ['failed'])
})

t.test('no such job: NOT_FOUND', async (t) => {
  const { follow, watch } = setUp(() => null)
  await t.rejects(follow().next(), { code: 'NOT_FOUND' })
  t.equal(watch.size, 0)
})

t.test('a database that goes away for a while is waited for', async (t) => {
  const states: Array<() => ImportJob> = [() => job('processing'), () => { throw new MongoNetworkError('away') }, () => job('completed')]
  const { follow } = setUp(() => (states.length > 1 ? states.shift() : states[0])?.() ?? null)
  const seen = []
  for await (const { status } of follow()) seen.push(status)
  t.strictSame(seen, ['processing', 'completed'])
})

t.test('a database that is away from the start is told', async (t) => {
  const { follow, watch } = setUp(() => { throw new MongoNetworkError('away') })
  await t.rejects(follow().next(), { name: 'MongoNetworkError' })
  t.equal(watch.size, 0)
})

t.test('any other error ends it', async (t) => {
  const states: Array<() => ImportJob> = [() => job('processing'), () => { throw new TypeError('broken') }]
  const { follow } = setUp(() => (states.length > 1 ? states.shift() : states[0])?.() ?? null)
  const jobs = follow()
  await jobs.next()
  await t.rejects(jobs.next(), { message: 'broken' })
})

t.test('the last who leaves stops the poller', async (t) => {
  const { follow, watch, reads } = setUp(() => job('processing'))
  const leaving = [new AbortController(), new AbortController()]
  const followers = leaving.map(({ signal }) => follow(signal))
  for (const follower of followers) await follower.next()
  t.equal(watch.size, 1)
  const pending = followers.map(async (follower) => await follower.next())
  leaving[0]?.abort()
  t.equal((await pending[0])?.done, true)
  t.equal(watch.size, 1)
  leaving[1]?.abort()
  t.equal((await pending[1])?.done, true)
  t.equal(watch.size, 0)
  const before = reads()
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.ok(reads() <= before + 1)
})
