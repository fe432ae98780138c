import type { Document } from 'mongodb'
import t from 'tap'
import { wordIssue, type Fault, type JobIssue } from '../../../../src/domain/issue.js'
import { createImportIssues, type PlacedIssue } from '../../../../src/store/jobs/import-issues.js'
import type { UnkeptIssue } from '../../../../src/store/jobs/unkept-issues.js'
import { testDatabase } from '../../../support/database.js'
import { withMethod } from '../../../support/with-method.js'

const { repositories: { importIssues }, database: { collections } } = await testDatabase(t)

let jobs = 0
const newJob = (): string => `job-${++jobs}`
const blank: Fault = { code: 'blank', path: 'name' }

const error = (line: number, more: Partial<PlacedIssue> = {}): PlacedIssue =>
  ({ severity: 'error', position: { file: 0, line }, file: 'a.jsonl', line, externalId: null, faults: [blank], ...more })
const warning = (line: number, ordinal: number): PlacedIssue =>
  error(line, { severity: 'warning', faults: [{ code: 'unknown-image', path: `variants[${ordinal}]` }], ordinal })

t.test('adding the same issues again adds nothing, and the first stay', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [error(1), error(2)])
  await importIssues.add('acme', job, [error(2, { externalId: 'later' }), error(3), warning(2, 0), warning(2, 1)])
  await importIssues.add('acme', job, [warning(2, 1)])
  t.strictSame((await importIssues.list('acme', job, 'error', 100)).map(({ line, externalId }) => [line, externalId]), [[1, null], [2, null], [3, null]])
  t.equal((await importIssues.list('acme', job, 'warning', 100)).length, 2)
})

t.test('putting one replaces it', async (t) => {
  const job = newJob()
  await importIssues.put('acme', job, { ...warning(1, 0), count: 1 })
  await importIssues.put('acme', job, { ...warning(1, 0), count: 5 })
  t.match(await importIssues.list('acme', job, 'warning', 100), [{ count: 5 }])
})

t.test('the order is: the job as a whole, then file by file, line by line', async (t) => {
  const job = newJob()
  const at = (file: number, line: number): PlacedIssue => error(line, { position: { file, line } })
  await importIssues.add('acme', job, [at(10, 1), at(2, 9), at(0, 100), at(0, 20), at(0, 3), error(0, { position: null, line: null, file: null, message: 'why', faults: [] })])
  t.strictSame((await importIssues.list('acme', job, 'error', 100)).map(({ line }) => line), [null, 3, 20, 100, 9, 1])
  const streamed: Array<number | null> = []
  for await (const { line } of importIssues.stream('acme', job)) streamed.push(line)
  t.strictSame(streamed, [null, 3, 20, 100, 9, 1])
})

t.test('a stream gives errors, then warnings', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [warning(1, 0), error(2), warning(3, 0), error(4)])
  const streamed: string[] = []
  for await (const { severity, line } of importIssues.stream('acme', job)) streamed.push(`${severity} ${line}`)
  t.strictSame(streamed, ['error 2', 'error 4', 'warning 1', 'warning 3'])
})

t.test('a list is as long as asked, from the front', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [error(1), error(2), error(3)])
  t.strictSame((await importIssues.list('acme', job, 'error', 2)).map(({ line }) => line), [1, 2])
})

t.test('another vendor sees nothing, and a job whose id begins the same is another job', async (t) => {
  const job = newJob()
  await importIssues.add('acme', `${job}0`, [error(1)])
  t.strictSame(await importIssues.list('other', `${job}0`, 'error', 100), [])
  t.strictSame(await importIssues.list('acme', job, 'error', 100), [])
})

t.test('nothing of the storage shows in an issue', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [error(1)])
  t.strictSame(await importIssues.list('acme', job, 'error', 1), [{ severity: 'error', file: 'a.jsonl', line: 1, externalId: null, faults: [blank] }])
})

t.test('the bad lines of a range are found with both ends, of that file alone, and no warnings among them', async (t) => {
  const job = newJob()
  const other = error(6, { position: { file: 1, line: 6 } })
  await importIssues.add('acme', job, [error(4), error(5), warning(6, 0), error(7, { faults: [blank, { code: 'malformed-json', path: '' }] }), error(10), error(11), other])
  const found = await importIssues.errorsBetween(job, 0, 5, 10)
  t.strictSame([...found.keys()].sort((a, b) => a - b), [5, 7, 10])
  t.equal(found.get(7)?.length, 2)
  t.strictSame([...(await importIssues.errorsBetween(job, 1, 1, 100)).keys()], [6])
})

t.test('issues outlive their job\'s 90 days by no more than it may have run', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [error(1)])
  const stored = await collections.importIssues.findOne({ jobId: job })
  const days = ((stored?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000
  t.ok(days > 90 && days < 100)
})

t.test('a list, and a report, end with how many there are of each code that are not kept', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [error(1), warning(2, 0)])
  const bad = (line: number): UnkeptIssue => ({ severity: 'error', position: { file: 0, line }, codes: ['blank', 'too-long'] })
  await importIssues.addUnkept('acme', job, [bad(3), bad(4), { ...bad(2_500), codes: ['blank', 'blank'] }])
  await importIssues.addUnkept('acme', job, [{ severity: 'warning', position: { file: 0, line: 5 }, codes: ['unknown-image'] }])
  const worded = (issues: JobIssue[]): string[] => issues.map((issue) => `${issue.severity} ${issue.line}: ${wordIssue(issue)}`)
  const blanks = 'error null: 3 more with the code blank, not listed'
  const tooLong = 'error null: 2 more with the code too-long, not listed'
  t.strictSame(worded(await importIssues.list('acme', job, 'error', 100)), ['error 1: name must not be blank', blanks, tooLong])
  t.strictSame(worded(await importIssues.list('acme', job, 'error', 2)), ['error 1: name must not be blank', blanks])
  t.strictSame(worded(await importIssues.list('acme', job, 'error', 1)), ['error 1: name must not be blank'])
  const streamed: JobIssue[] = []
  for await (const issue of importIssues.stream('acme', job)) streamed.push(issue)
  t.strictSame(worded(streamed).slice(2), [blanks, tooLong, 'warning null: 1 more with the code unknown-image, not listed'])
  t.equal(await importIssues.countBadLines('acme', job), 4)
})

t.test('each code is counted, a line once, those that are not kept with the others', async (t) => {
  const job = newJob()
  const tooLong: Fault = { code: 'too-long', path: 'name', detail: 255 }
  await importIssues.add('acme', job, [
    error(1), error(2, { faults: [blank, tooLong] }), error(3, { faults: [{ ...blank, path: 'brandName' }, blank] }), warning(4, 0), warning(4, 1), warning(5, 0),
    error(0, { position: null, line: null, file: null, message: 'why', faults: [] })
  ])
  await importIssues.addUnkept('acme', job, [{ severity: 'error', position: { file: 0, line: 6 }, codes: ['too-long', 'required'] }, { severity: 'warning', position: { file: 0, line: 7 }, codes: ['unknown-image'] }])
  await importIssues.add('rival', newJob(), [error(1)])
  t.strictSame(await importIssues.countsByCode('acme', job), [
    { severity: 'error', code: 'blank', count: 3 }, { severity: 'error', code: 'too-long', count: 2 }, { severity: 'error', code: 'required', count: 1 },
    { severity: 'warning', code: 'unknown-image', count: 4 }
  ])
  t.strictSame(await importIssues.countsByCode('acme', newJob()), [])
})

t.test('bad lines that are not kept are bad lines all the same, without their faults', async (t) => {
  const job = newJob()
  await importIssues.add('acme', job, [error(998)])
  const bad = (line: number, file = 0): UnkeptIssue => ({ severity: 'error', position: { file, line }, codes: ['blank'] })
  await importIssues.addUnkept('acme', job, [999, 1_000, 1_001, 1_005].map((line) => bad(line)))
  await importIssues.addUnkept('acme', job, [bad(1_003, 1), { ...bad(1_002), severity: 'warning' }])
  const found = await importIssues.errorsBetween(job, 0, 998, 1_003)
  t.strictSame([...found], [[998, [blank]], [999, []], [1_000, []], [1_001, []]])
})

t.test('issues are counted by the index alone, and what else is wanted of them is looked at afterwards', async (t) => {
  const job = newJob()
  const reason: PlacedIssue = { ...error(0), position: null, line: null, file: null, message: 'why', faults: [] }
  await importIssues.add('acme', job, [reason, error(1), error(2), warning(3, 0), warning(3, 1)])
  const matches: Document[] = []
  const watched = new Proxy(collections.importIssues, {
    get (target, name) {
      if (name !== 'aggregate') return name === 'countDocuments' ? undefined : Reflect.get(target, name) as unknown
      return (stages: Document[]) => {
        matches.push(stages[0]?.['$match'] as Document)
        return target.aggregate(stages)
      }
    }
  })
  const issues = createImportIssues({ ...collections, importIssues: watched })
  t.strictSame([await issues.countKept('acme', job), await issues.countBadLines('acme', job), await issues.countKept('rival', job)], [4, 2, 0])
  for (const match of matches) t.strictSame(Object.keys(match), ['jobId', '_id'])
  t.equal(matches.length, 5)
})

t.test('those of a running job that has many are counted once for all who look at it, and when it is over for good', async (t) => {
  let [time, asked] = [0, 0]
  const watched = withMethod(collections.importIssues, 'aggregate', (stages: Document[]) => {
    asked++
    time += 10
    return collections.importIssues.aggregate(stages)
  })
  const issues = createImportIssues({ ...collections, importIssues: watched }, () => time)
  const blanks = async (job: string, isRunning: boolean): Promise<number | undefined> => (await issues.countsByCode('acme', job, isRunning))[0]?.count
  const job = newJob()
  await importIssues.add('acme', job, Array.from({ length: 1_000 }, (_, index) => error(index + 1)))
  t.strictSame(await Promise.all([blanks(job, true), blanks(job, true)]), [1_000, 1_000])
  await importIssues.add('acme', job, [error(1_001)])
  t.equal(await blanks(job, true), 1_000)
  t.equal(asked, 1)
  t.equal(await blanks(job, false), 1_001)
  time += 1_000
  t.equal(await blanks(job, true), 1_001)
  const few = newJob()
  await importIssues.add('acme', few, [error(1)])
  t.equal(await blanks(few, true), 1)
  await importIssues.add('acme', few, [error(2)])
  t.equal(await blanks(few, true), 2)
})
