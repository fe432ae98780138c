import t from 'tap'
import { createVendorJobsWatch } from '../../../../../src/api/graphql/jobs/vendor-jobs-watch.js'
import type { ImportJob, JobStatus } from '../../../../../src/domain/import-job.js'
import type { Repositories } from '../../../../../src/store/repositories.js'
import { silent } from '../../../../support/log.js'

const job = (id: string, status: JobStatus, attempt = 0): ImportJob => ({ _id: id, vendorId: 'shop', status, attempt }) as ImportJob

/** `rounds`: what the database holds, read after read; the last stays. */
function setUp (rounds: ImportJob[][], queues: string[][] = [[]]) {
  const repositories = {
    importJobs: {
      watched: async () => (rounds.length > 1 ? rounds.shift() : rounds[0]) ?? []
    },
    lanes: { find: async () => ({ queue: ((queues.length > 1 ? queues.shift() : queues[0]) ?? []).map((jobId) => ({ jobId })), running: null }) }
  } as unknown as Repositories
  return createVendorJobsWatch(repositories, silent, 1)
}

async function told (watch: ReturnType<typeof setUp>, count: number): Promise<string[]> {
  const stop = new AbortController()
  const seen: string[] = []
  for await (const { _id, status } of watch.follow('shop', stop.signal)) {
    seen.push(`${_id} ${status}`)
    if (seen.length === count) stop.abort()
  }
  return seen
}

t.test('open jobs are told at once, then what changes, its end included; what is over before is no news', async (t) => {
  const watch = setUp([
    [job('c', 'completed'), job('a', 'processing')],
    [job('b', 'queued'), job('a', 'processing')],
    [job('b', 'processing'), job('a', 'completed')],
    [job('b', 'processing'), job('a', 'completed')]
  ])
  t.strictSame(await told(watch, 4), ['a processing', 'b queued', 'a completed', 'b processing'])
})

t.test('a place in the queue that changes is a change', async (t) => {
  const watch = setUp([[job('a', 'queued')]], [['x', 'a'], ['a']])
  t.strictSame(await told(watch, 2), ['a queued', 'a queued'])
})

t.test('who comes later is told the state as it is', async (t) => {
  const watch = setUp([[job('a', 'processing')]])
  t.strictSame(await told(watch, 1), ['a processing'])
  t.strictSame(await told(watch, 1), ['a processing'])
})

t.test('a job that begins and ends between two looks is told once, as it ended', async (t) => {
  const watch = setUp([
    [job('a', 'processing'), job('old', 'completed')],
    [job('quick', 'completed'), job('a', 'processing'), job('old', 'completed')],
    [job('quick', 'completed'), job('a', 'completed'), job('old', 'completed')]
  ])
  t.strictSame(await told(watch, 3), ['a processing', 'quick completed', 'a completed'])
})
