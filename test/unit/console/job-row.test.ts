import t from 'tap'
import { durationMs, isAmong, isNewest, linesPerSecond, nameOf, newsOf, withChanged, wordStarter, type JobFilter, type JobRow } from '../../../src/console/imports/job-row.js'

const job = (jobId: string, changes: Partial<JobRow> = {}): JobRow => ({
  jobId, status: 'queued', mode: 'UPDATE', files: ['a.jsonl'], dryRun: false, queuePosition: null,
  createdAt: `2026-01-01T00:00:0${jobId}.000Z`, startedAt: null, completedAt: null, stats: null, progress: null, startedBy: null, ...changes
})
const ids = (jobs: JobRow[]): string[] => jobs.map(({ jobId }) => jobId)
const whichever: JobFilter = { status: null, file: null, from: null, to: null }
const firstOfAll = { among: whichever, isFirstPage: true, most: 3 }

t.test('a job that changes stays where it is in the list', async (t) => {
  const jobs = withChanged([job('2'), job('1')], job('1', { status: 'processing' }), firstOfAll)
  t.strictSame(ids(jobs), ['2', '1'])
  t.equal(jobs[1]?.status, 'processing')
})

t.test('what changes says who asked for it, by what was known of that before', async (t) => {
  const startedBy = { actor: 'INTEGRATION_KEY' as const, userId: null, keyId: 'k1' }
  const [changed] = withChanged([job('1', { startedBy: { ...startedBy, keyName: 'sync' } })], job('1', { startedBy }), firstOfAll)
  t.equal(wordStarter(changed?.startedBy ?? null), 'sync')
  t.equal(wordStarter(startedBy), 'An integration key')
  t.equal(wordStarter({ actor: 'USER', userId: 'ada', keyId: null }), 'ada')
  t.equal(wordStarter({ actor: 'USER', userId: 'ada', keyId: 'k2' }), 'ada, by a key')
  t.equal(wordStarter(null), '')
})

t.test('a new job goes on top of the first page, which does not grow beyond its size', async (t) => {
  t.strictSame(ids(withChanged([job('3'), job('2'), job('1')], job('4'), firstOfAll)), ['4', '3', '2'])
  t.strictSame(ids(withChanged([job('2')], job('4'), { ...firstOfAll, isFirstPage: false })), ['2'])
})

t.test('a job leaves a list of a state that it is in no more', async (t) => {
  const jobs = withChanged([job('2'), job('1')], job('1', { status: 'processing' }), { ...firstOfAll, among: { ...whichever, status: 'queued' } })
  t.strictSame(ids(jobs), ['2'])
})

t.test('only a job that was asked for after all others is one more', async (t) => {
  const jobs = [job('3'), job('2')]
  t.equal(isNewest(jobs, job('4')), true)
  t.equal(isNewest(jobs, job('3')), false)
  t.equal(isNewest(jobs, job('1')), false)
})

t.test('what begins and ends is news, what goes on is not', async (t) => {
  const stats = { productsProcessed: 9, productsCreated: 0, productsUpdated: 7, productsArchived: 0, productsSkipped: 2, errors: 2 }
  t.equal(newsOf(job('1'), job('1', { status: 'processing' })), 'Import of a.jsonl has begun')
  t.equal(newsOf(job('1', { status: 'processing' }), job('1', { status: 'completed', stats })), 'Import of a.jsonl is done, 2 lines with errors')
  t.equal(newsOf(job('1', { status: 'processing' }), job('1', { status: 'processing' })), null)
})

t.test('lines per second are of the whole job, and nothing before there is any', async (t) => {
  const running = job('1', { status: 'processing', startedAt: '2026-01-01T00:00:00.000Z', progress: { bytesRead: 1, bytesTotal: null, linesRead: 500, percent: null } })
  const nowMs = Date.parse('2026-01-01T00:00:02.000Z')
  t.equal(linesPerSecond(running, nowMs), 250)
  t.equal(linesPerSecond(job('1'), nowMs), null)
  t.equal(durationMs(running, nowMs), 2_000)
})

t.test('a job of several files is named after the first', async (t) => {
  t.equal(nameOf(['a.jsonl', 'b.jsonl', 'c.jsonl']), 'a.jsonl and 2 more')
})

t.test('a list of one file or time takes in no job of another', async (t) => {
  const among = (changes: Partial<JobFilter>): boolean => isAmong(job('5', { files: ['a.jsonl', 'b.jsonl'] }), { ...whichever, ...changes })
  t.equal(among({ file: 'b.jsonl' }), true)
  t.equal(among({ file: 'b' }), false)
  t.equal(among({ from: '2026-01-01T00:00:05.000Z' }), true)
  t.equal(among({ from: '2026-01-01T00:00:05.001Z' }), false)
  t.equal(among({ to: '2026-01-01T00:00:05.000Z' }), false)
  t.equal(among({ to: '2026-01-01T00:00:05.001Z' }), true)
  t.strictSame(ids(withChanged([job('1')], job('2'), { ...firstOfAll, among: { ...whichever, file: 'b.jsonl' } })), ['1'])
})
