import t from 'tap'
import type { ImportRequest } from '../../../src/domain/import-job.js'
import { createImportQueue } from '../../../src/jobs/import-queue.js'
import { allJobs } from '../../../src/store/jobs/import-jobs.js'
import { testDatabase } from '../../support/database.js'
import { recordingLog, silent } from '../../support/log.js'
import { recordingTracer, testTraceId } from '../../support/recorded-spans.js'

const { repositories, database: { collections } } = await testDatabase(t)
const { lanes, importJobs, importIssues } = repositories
const woken: string[] = []
const queue = createImportQueue(repositories, (vendorId, jobId) => { woken.push(`${vendorId} ${jobId}`) }, silent)

let vendors = 0
const newVendor = (): string => `queue-${++vendors}`
const request = (fields: Partial<ImportRequest> = {}): ImportRequest => ({ files: ['a.jsonl'], mode: 'UPDATE', dryRun: false, maxArchivePercent: null, ...fields })

/** Starts this many at once; how each ended. */
async function startAtOnce (vendorId: string, count: number): Promise<{ accepted: string[], refused: unknown[] }> {
  const ends = await Promise.allSettled(Array.from({ length: count }, async () => await queue.start(vendorId, request(), null)))
  return {
    accepted: ends.flatMap((end) => end.status === 'fulfilled' ? [end.value._id] : []),
    refused: ends.flatMap((end) => end.status === 'rejected' ? [end.reason as unknown] : [])
  }
}

/** The vendor's first job, running. */
async function running (vendorId: string): Promise<string> {
  const { _id } = await queue.start(vendorId, request(), null)
  const taken = await lanes.claim(vendorId, 'worker')
  if (taken === null) throw new Error('nothing to claim')
  await importJobs.begin(vendorId, taken.job, taken.claim.attempt)
  return _id
}

t.test('an accepted job is queued, known by a UUID, and its worker is told', async (t) => {
  const vendorId = newVendor()
  const job = await queue.start(vendorId, request({ mode: 'REPLACE', maxArchivePercent: 5 }), null)
  t.match(job, { _id: /^[0-9a-f]{8}-[0-9a-f]{4}-4/, vendorId, status: 'queued', mode: 'REPLACE', maxArchivePercent: 5, stats: null, startedAt: null, attempt: 0 })
  t.ok(woken.includes(`${vendorId} ${job._id}`))
  t.match(await lanes.find(vendorId), { queue: [{ jobId: job._id }] })
})

t.test('of 60 starts at once exactly 20 are accepted, the others refused with LIMIT_EXCEEDED', async (t) => {
  const vendorId = newVendor()
  const { accepted, refused } = await startAtOnce(vendorId, 60)
  t.equal(new Set(accepted).size, 20)
  t.equal(refused.length, 40)
  for (const error of refused) t.match(error, { code: 'LIMIT_EXCEEDED' })
  t.equal(await importJobs.count(vendorId, { ...allJobs, status: 'queued' }), 20, 'and no document is left of those refused')
  t.equal(await importJobs.count(vendorId, allJobs), 20)
})

t.test('the job that is being processed does not count', async (t) => {
  const vendorId = newVendor()
  await running(vendorId)
  const { accepted, refused } = await startAtOnce(vendorId, 25)
  t.strictSame([accepted.length, refused.length], [20, 5])
})

t.test('one vendor\'s full queue is nothing to another', async (t) => {
  await startAtOnce(newVendor(), 21)
  await t.resolves(queue.start(newVendor(), request(), null))
})

t.test('a place that became free is given again', async (t) => {
  const vendorId = newVendor()
  const { accepted: [first = ''] } = await startAtOnce(vendorId, 20)
  await t.rejects(queue.start(vendorId, request(), null), { code: 'LIMIT_EXCEEDED' })
  await queue.cancel(vendorId, first)
  await t.resolves(queue.start(vendorId, request(), null))
  await t.rejects(queue.start(vendorId, request(), null), { code: 'LIMIT_EXCEEDED' })
})

t.test('jobs are claimed in the order in which they were accepted', async (t) => {
  const vendorId = newVendor()
  const accepted: string[] = []
  for (let index = 0; index < 4; index++) accepted.push((await queue.start(vendorId, request(), null))._id)
  const claimed: string[] = []
  for (let taken = await lanes.claim(vendorId, 'w'); taken !== null; taken = await lanes.claim(vendorId, 'w')) {
    claimed.push(taken.claim.jobId)
    await lanes.release(vendorId, taken.claim)
  }
  t.strictSame(claimed, accepted)
})

t.test('the same idempotency key is the same job, also ten times at once', async (t) => {
  const vendorId = newVendor()
  const jobs = await Promise.all(Array.from({ length: 10 }, async () => await queue.start(vendorId, request(), 'nightly')))
  t.equal(new Set(jobs.map(({ _id }) => _id)).size, 1)
  t.equal((await lanes.find(vendorId)).queue.length, 1)
  t.equal((await queue.start(vendorId, request({ mode: 'REPLACE' }), 'nightly')).mode, 'UPDATE', 'the first one is answered')
})

t.test('the same key of another vendor is another job', async (t) => {
  const [a, b] = [await queue.start(newVendor(), request(), 'nightly'), await queue.start(newVendor(), request(), 'nightly')]
  t.not(a._id, b._id)
})

t.test('a key whose job has run still answers with that job', async (t) => {
  const vendorId = newVendor()
  const { _id } = await queue.start(vendorId, request(), 'nightly')
  await queue.cancel(vendorId, _id)
  t.match(await queue.start(vendorId, request(), 'nightly'), { _id, status: 'failed' })
  t.equal((await lanes.find(vendorId)).queue.length, 0)
})

t.test('a key whose job was refused can be used again', async (t) => {
  const vendorId = newVendor()
  const { accepted: [first = ''] } = await startAtOnce(vendorId, 20)
  await t.rejects(queue.start(vendorId, request(), 'nightly'), { code: 'LIMIT_EXCEEDED' })
  await queue.cancel(vendorId, first)
  t.match(await queue.start(vendorId, request(), 'nightly'), { status: 'queued' })
})

t.test('a key whose owner died before the job was accepted is accepted by the next call', async (t) => {
  const vendorId = newVendor()
  await repositories.idempotencyKeys.claim(vendorId, 'nightly', '11111111-1111-4111-8111-111111111111')
  t.match(await queue.start(vendorId, request(), 'nightly'), { _id: '11111111-1111-4111-8111-111111111111', status: 'queued' })
})

t.test('a key is 1 to 255 characters', async (t) => {
  const vendorId = newVendor()
  for (const key of ['', 'x'.repeat(256)]) await t.rejects(queue.start(vendorId, request(), key), { code: 'BAD_USER_INPUT', field: 'idempotencyKey' })
  await t.resolves(queue.start(vendorId, request(), 'x'.repeat(255)))
})

t.test('a queued job that is cancelled has failed, says why, and is gone from the queue', async (t) => {
  const vendorId = newVendor()
  const { _id } = await queue.start(vendorId, request(), null)
  const job = await queue.cancel(vendorId, _id)
  t.match(job, { status: 'failed', stats: { productsProcessed: 0, errors: 0 } })
  t.ok(job.completedAt instanceof Date)
  t.match(await importIssues.list(vendorId, _id, 'error', 10), [{ line: null, message: 'The import was cancelled' }])
  t.strictSame((await lanes.find(vendorId)).queue, [])
})

t.test('a running job that is cancelled is asked to end, and again is harmless', async (t) => {
  const vendorId = newVendor()
  const jobId = await running(vendorId)
  t.match(await queue.cancel(vendorId, jobId), { status: 'processing', cancelRequested: true })
  t.match(await queue.cancel(vendorId, jobId), { status: 'processing', cancelRequested: true })
})

t.test('a job that has completed cannot be cancelled', async (t) => {
  const vendorId = newVendor()
  const jobId = await running(vendorId)
  await importJobs.end(vendorId, jobId, 1, 'completed', { productsProcessed: 0, productsCreated: 0, productsUpdated: 0, productsArchived: 0, productsSkipped: 0, errors: 0 })
  await t.rejects(queue.cancel(vendorId, jobId), { code: 'CONFLICT' })
})

t.test('another vendor\'s job does not exist', async (t) => {
  const { _id } = await queue.start(newVendor(), request(), null)
  await t.rejects(queue.cancel(newVendor(), _id), { code: 'NOT_FOUND' })
  t.match(await collections.importJobs.findOne({ _id }), { cancelRequested: false })
})

t.test('a job remembers the trace that it was accepted in, its hint carries it on, and the log names it', async (t) => {
  const [vendorId, { log, entries }, root] = [newVendor(), recordingLog(), recordingTracer().root]
  const spans: unknown[] = []
  const { _id } = await createImportQueue(repositories, (_vendorId, _jobId, span) => { spans.push(span) }, log).start(vendorId, request(), null, { span: root })
  t.match((await lanes.find(vendorId)).queue, [{ jobId: _id, traceparent: root.traceparent }])
  t.match(spans, [{ traceparent: new RegExp(testTraceId) }])
  t.match(entries, [{ msg: 'import accepted', trace_id: testTraceId }])
})

t.test('where nothing is traced nothing of it is stored', async (t) => {
  const vendorId = newVendor()
  const { _id } = await queue.start(vendorId, request(), null)
  t.notOk(Object.hasOwn((await lanes.find(vendorId)).queue[0] ?? {}, 'traceparent'))
  t.notOk(Object.hasOwn(await importJobs.find(vendorId, _id) ?? {}, 'traceparent'))
})
