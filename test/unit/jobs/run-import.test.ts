/** A job from its files to the database, as one worker runs it: REPLACE above all. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb'
import t from 'tap'
import { emptyStats, type ImportJob } from '../../../src/domain/import-job.js'
import { givenUp, unavailable } from '../../../src/errors.js'
import { createRunImport, ImportCancelled, type ImportResult } from '../../../src/jobs/run-import.js'
import type { SftpFiles } from '../../../src/sources/sftp-files.js'
import { testDatabase } from '../../support/database.js'
import { memoryFiles } from '../../support/memory-files.js'
import { file, line, lines, product } from '../../support/product-lines.js'
import { testCatalog, withBeforeBulk, type TestCatalog } from '../store/test-catalog.js'
import { runningJob } from './running-job.js'
import { silent } from '../../support/log.js'
import { storeLocation } from '../../support/store-location.js'

const parts = await testDatabase(t)
const { collections } = parts.database

type Job = Partial<ImportJob>

async function run (catalog: TestCatalog, contents: Record<string, string>, fields: Job = {}, files: SftpFiles = memoryFiles(Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, [text]])))): Promise<ImportResult> {
  const job = runningJob(catalog.vendorId, { files: Object.keys(contents), ...fields })
  return await createRunImport({ collections, files, log: silent })({ job, attempt: job.attempt, signal: new AbortController().signal, onProgress: () => {} })
}

const live = async ({ vendorId }: TestCatalog): Promise<string[]> =>
  (await collections.products.find({ vendorId, archived: false }).toArray()).map(({ externalId }) => externalId).sort()

async function catalogWith (...externalIds: string[]): Promise<TestCatalog> {
  const catalog = testCatalog(parts)
  await catalog.import(externalIds.map((externalId) => line(externalId)))
  return catalog
}

t.test('REPLACE archives what is absent from all files of the job', async (t) => {
  const catalog = await catalogWith('a', 'b', 'c', 'd')
  const result = await run(catalog, { 'a.jsonl': file(line('a'), line('new')), 'b.jsonl': file(line('c')) })
  t.match(result, { status: 'completed', stats: { productsProcessed: 3, productsCreated: 1, productsUpdated: 2, productsArchived: 2 } })
  t.strictSame(await live(catalog), ['a', 'c', 'new'])
})

t.test('UPDATE archives nothing', async (t) => {
  const catalog = await catalogWith('a', 'b')
  t.match(await run(catalog, { 'a.jsonl': file(line('a')) }, { mode: 'UPDATE' }), { status: 'completed', stats: { productsArchived: 0 } })
  t.strictSame(await live(catalog), ['a', 'b'])
})

t.test('a product that is present and was archived is live again, unless its line says otherwise', async (t) => {
  const catalog = await catalogWith('a', 'b', 'c')
  await run(catalog, { 'a.jsonl': file(line('c')) })
  await run(catalog, { 'a.jsonl': file(line('a'), line('b', { archived: true }), line('c')) })
  t.strictSame(await live(catalog), ['a', 'c'])
})

for (const [what, text] of Object.entries({
  'a fault of a field': line('bad', { name: '' }),
  'a missing field': JSON.stringify({ externalId: 'bad' }),
  'a bad variant': line('bad', { variants: [{}] }),
  'a metafield too long': line('bad', { 'meta:k': 'x'.repeat(70_000) }),
  'a lone surrogate': '{"externalId":"bad","name":"\\ud800"}'
})) {
  t.test(`a line with ${what} is skipped, and its product counts as present`, async (t) => {
    const catalog = await catalogWith('a', 'bad', 'absent')
    t.match(await run(catalog, { 'a.jsonl': file(line('a'), text) }), { status: 'completed', stats: { productsArchived: 1, productsSkipped: 1, errors: 1 } })
    t.strictSame(await live(catalog), ['a', 'bad'])
  })
}

for (const [what, text] of Object.entries({ 'malformed JSON': '{"name":bad,', 'a number as id': '{"externalId":5}', 'an array': '["bad"]' })) {
  t.test(`a line of ${what} names no product, so nothing is archived`, async (t) => {
    const catalog = await catalogWith('a', 'bad')
    t.match(await run(catalog, { 'a.jsonl': file(line('a'), text) }), { status: 'completed', stats: { productsArchived: 0 } })
    t.strictSame(await live(catalog), ['a', 'bad'])
  })
}

for (const [what, content] of Object.entries({ 'an empty file': '', 'blank lines': '\n \r\n\n', 'malformed lines': '{\n{\n', 'lines without an id': `${JSON.stringify({ name: 'x' })}\n` })) {
  t.test(`a REPLACE of ${what} fails instead of archiving everything`, async (t) => {
    const catalog = await catalogWith('a', 'b')
    t.match(await run(catalog, { 'a.jsonl': content }), { status: 'failed', reason: /No line of this REPLACE has a readable externalId/ })
    t.strictSame(await live(catalog), ['a', 'b'])
  })
}

t.test('a file that is missing fails the job before anything is imported', async (t) => {
  const catalog = await catalogWith('a', 'b')
  const files = memoryFiles({ 'a.jsonl': [file(line('new'))] })
  t.match(await run(catalog, { 'a.jsonl': '', 'missing.jsonl': '' }, {}, files), { status: 'failed', stats: emptyStats(), reason: /missing\.jsonl/ })
  t.strictSame(await live(catalog), ['a', 'b'])
})

t.test('a file that cannot be read to its end fails the job: what was imported stays, nothing is archived', async (t) => {
  const catalog = await catalogWith('a', 'b')
  const packed = gzipSync(file(...lines(3_000, 'new'))).subarray(0, -8)
  const files = { ...memoryFiles({ 'a.jsonl': [file(line('a', { name: 'Imported' }))], 'b.jsonl.gz': [''] }) }
  const { read } = files
  files.read = (vendorId, name, options) => name === 'a.jsonl' ? read(vendorId, name, options) : memoryBytes(packed)
  t.match(await run(catalog, { 'a.jsonl': '', 'b.jsonl.gz': '' }, {}, files), { status: 'failed', reason: /b\.jsonl\.gz is truncated/, stats: { productsArchived: 0 } })
  t.equal((await catalog.product('a')).name, 'Imported')
  t.ok((await live(catalog)).includes('b'))
})

t.test('a .json file that is no array fails the job', async (t) => {
  const catalog = await catalogWith('a', 'b')
  t.match(await run(catalog, { 'a.json': '[{"externalId":"a"' }), { status: 'failed', reason: /^a\.json is not a JSON array of products/ })
  t.strictSame(await live(catalog), ['a', 'b'])
})

t.test('a .json file holds an array of products', async (t) => {
  const catalog = await catalogWith('a', 'b')
  t.match(await run(catalog, { 'a.json': JSON.stringify([product('a', { name: 'New' }), product('c')]) }), { status: 'completed', stats: { productsCreated: 1, productsUpdated: 1, productsArchived: 1 } })
  t.strictSame(await live(catalog), ['a', 'c'])
})

t.test('with maxArchivePercent a REPLACE that would archive too much fails with that reason and archives none', async (t) => {
  const catalog = await catalogWith('a', 'b', 'c', 'd')
  const guard = { maxArchivePercent: 50, liveProductsAtStart: 4 }
  t.match(await run(catalog, { 'a.jsonl': file(line('a')) }, guard), { status: 'failed', reason: /would archive 3 of 4 live products \(75\.0 %\)/, stats: { productsUpdated: 1, productsArchived: 0 } })
  t.strictSame(await live(catalog), ['a', 'b', 'c', 'd'])
  t.match(await run(catalog, { 'a.jsonl': file(line('a'), line('b')) }, guard), { status: 'completed', stats: { productsArchived: 2 } })
})

t.test('a dry run of a REPLACE counts what it would archive and writes nothing', async (t) => {
  const catalog = await catalogWith('a', 'b')
  t.match(await run(catalog, { 'a.jsonl': file(line('a', { name: 'Changed' }), line('new')) }, { dryRun: true }),
    { status: 'completed', stats: { productsCreated: 1, productsUpdated: 1, productsArchived: 1 } })
  t.strictSame(await live(catalog), ['a', 'b'])
  t.equal((await catalog.product('a')).revision, 1)
})

t.test('a dry run leaves a store location unused, of which its lines say what is in stock', async (t) => {
  const catalog = await catalogWith()
  const location = await parts.repositories.storeLocations.create(catalog.vendorId, storeLocation('S1'))
  const content = { 'a.jsonl': file(line('a', { variants: [{ externalId: 'V', name: 'V', inventoryByLocation: { S1: 3 } }] })) }
  const isUnused = async (): Promise<boolean> => (await parts.repositories.storeLocations.find(catalog.vendorId, location._id))?.isUnused === true
  t.match(await run(catalog, content, { dryRun: true }), { status: 'completed', stats: { productsCreated: 1 } })
  t.ok(await isUnused())
  await run(catalog, content)
  t.notOk(await isUnused())
})

t.test('a re-run of a finished REPLACE tells the same stats, but not how many it left as they were', async (t) => {
  const catalog = await catalogWith('a', 'b', 'c')
  const content = { 'a.jsonl': file(line('a'), line('new'), '{"externalId":"new",'), 'b.jsonl': file(line('new', { tags: ['x'] })) }
  const _id = randomUUID()
  const startedAt = new Date()
  const first = await run(catalog, content, { _id, startedAt })
  t.match(first, { status: 'completed', unchanged: 1, stats: { productsProcessed: 4, productsCreated: 1, productsUpdated: 2, productsArchived: 2, productsSkipped: 1, errors: 1 } })
  t.strictSame(await run(catalog, content, { _id, startedAt, attempt: 2, runs: 2 }), { ...first, unchanged: null })
})

t.test('a cancelled job ends as failed with what it has done', async (t) => {
  const catalog = await catalogWith('a', 'b')
  const abort = new AbortController()
  const job = runningJob(catalog.vendorId, {})
  const aborted = new Promise<string>((resolve) => { abort.signal.addEventListener('abort', () => { resolve('') }) })
  const files = memoryFiles({ 'a.jsonl': [file(...lines(600, 'new')), aborted] })
  const running = createRunImport({ collections, files, log: silent })({
    job, attempt: 1, signal: abort.signal, onProgress: ({ linesRead }) => { if (linesRead >= 500) abort.abort(new ImportCancelled()) }
  })
  t.match(await running, { status: 'failed', reason: 'The import was cancelled', stats: { productsArchived: 0 } })
  t.ok((await live(catalog)).includes('b'))
})

t.test('a job that is cancelled in the middle of a batch tells what that has written', async (t) => {
  const catalog = testCatalog(parts)
  const ids = ['a', 'b', 'c']
  // Too large to be in memory together.
  await catalog.upsert(...ids.map((externalId) => product(externalId, { description: 'x'.repeat(2_200_000) })))
  const abort = new AbortController()
  const result = await createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [file(...ids.map((externalId) => line(externalId, { name: 'New' })), '{')] }), log: silent })({
    job: runningJob(catalog.vendorId, { mode: 'UPDATE' }), attempt: 1, signal: abort.signal, onProgress: () => {},
    async inTurn (write) {
      const written = await write()
      abort.abort(new ImportCancelled())
      return written
    }
  })
  t.match(result, { status: 'failed', reason: 'The import was cancelled', stats: { productsProcessed: 2, productsUpdated: 1, productsSkipped: 1, errors: 1 } })
  t.equal(await collections.products.countDocuments({ vendorId: catalog.vendorId, revision: 2 }), 1)
})

/** The same files, but a server that fails so over each. */
const failingFiles = (error: Error): SftpFiles => ({ ...memoryFiles({ 'a.jsonl': [file(line('a'))] }), read: () => Readable.from((async function * () { throw error })()) })

t.test('a file server that was waited for long enough ends the job', async (t) => {
  const lost = givenUp('SFTP connection lost and not back within 120 s', new Error('gone'))
  t.match(await run(testCatalog(parts), { 'a.jsonl': '' }, {}, failingFiles(lost)), { status: 'failed', reason: /^SFTP connection lost/ })
})

for (const [what, error] of Object.entries({ 'a dependency that is away': unavailable('not now'), 'a database that is away': new MongoNetworkError('gone') })) {
  t.test(`${what} does not end the job, but interrupts it`, async (t) => {
    await t.rejects(run(testCatalog(parts), { 'a.jsonl': '' }, {}, failingFiles(error)), { kind: 'retryable', code: 'SERVICE_UNAVAILABLE' })
  })
}

for (const [what, error] of Object.entries({
  'storage that was given up': new MongoServerError({ message: 'internal server error', code: 1 }), 'a database that is too slow for what it is asked': new MongoNetworkTimeoutError('timed out')
})) {
  t.test(`${what} is no database that is away: the attempt is counted`, async (t) => {
    await t.rejects(run(testCatalog(parts), { 'a.jsonl': '' }, {}, failingFiles(error)), error)
  })
}

t.test('a job survives that others are faster with its products for as long as a writer tries', async (t) => {
  t.intercept(Math, 'random', { value: () => 0 })
  const catalog = await catalogWith('a')
  let races = 0
  const raced = {
    ...collections,
    ...withBeforeBulk(collections, async () => { if (++races <= 60) await collections.products.updateOne({ vendorId: catalog.vendorId }, { $inc: { revision: 1 } }) })
  }
  const result = await createRunImport({ collections: raced, files: memoryFiles({ 'a.jsonl': [file(line('a', { name: 'New' }))] }), log: silent })({
    job: runningJob(catalog.vendorId), attempt: 1, signal: new AbortController().signal, onProgress: () => {}
  })
  t.match(result, { status: 'completed', stats: { productsUpdated: 1 } })
  t.equal((await catalog.product('a')).name, 'New')
})

t.test('a worker that is stopped rejects, so that the job can go on elsewhere', async (t) => {
  const catalog = await catalogWith('a', 'b')
  const running = createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [file(line('a'))] }), log: silent })({
    job: runningJob(catalog.vendorId, {}), attempt: 1, signal: AbortSignal.abort(new Error('shutting down')), onProgress: () => {}
  })
  await t.rejects(running)
  t.strictSame(await live(catalog), ['a', 'b'])
})

function memoryBytes (bytes: Buffer): ReturnType<SftpFiles['read']> {
  return Readable.from([bytes], { objectMode: false })
}

t.test('every bad element of an array has its error entry, null among them', async (t) => {
  const catalog = testCatalog(parts)
  const _id = randomUUID()
  const { stats } = await run(catalog, { 'a.json': JSON.stringify([product('a'), null, 5, 'x', [], product('b', { name: null }), false]) }, { _id })
  const errors = await parts.repositories.importIssues.list(catalog.vendorId, _id, 'error', 100)
  t.match(stats, { productsProcessed: 7, productsCreated: 1, productsSkipped: 6, errors: 6 })
  t.strictSame(errors.map(({ line }) => line), [2, 3, 4, 5, 6, 7])
})

t.test('a job that was handed back is a re-run too: it tells the same stats', async (t) => {
  const catalog = await catalogWith('a', 'b', 'c')
  const content = { 'a.jsonl': file(JSON.stringify({ externalId: 'late' }), line('a'), line('new'), line('late')) }
  const _id = randomUUID()
  const startedAt = new Date()
  const first = await run(catalog, content, { _id, startedAt })
  t.strictSame(await run(catalog, content, { _id, startedAt, attempt: 1, runs: 2 }), { ...first, unchanged: null })
})

t.test('a REPLACE with a line whose product cannot be told archives nothing, and says so', async (t) => {
  const catalog = await catalogWith('a', 'b')
  const contents = { 'a.jsonl': file(line('a'), '{"name":x,"externalId":"b"}', ...Array.from({ length: 11 }, () => '{}')) }
  t.match(await run(catalog, contents, { _id: 'untold' }), { status: 'completed', stats: { productsUpdated: 1, productsSkipped: 12, productsArchived: 0 } })
  t.strictSame(await live(catalog), ['a', 'b'])
  const [warning] = await parts.repositories.importIssues.list(catalog.vendorId, 'untold', 'warning', 10)
  t.match(warning, { line: null, faults: [{ code: 'archive-skipped', detail: /^a\.jsonl line 2, a\.jsonl line 3, .*a\.jsonl line 11, and 2 more$/ }] })
})

t.test('a REPLACE with such a line archives what is absent when it is told to', async (t) => {
  const catalog = await catalogWith('a', 'b')
  t.match(await run(catalog, { 'a.jsonl': file(line('a'), '{}') }, { archiveDespiteUnreadable: true }), { status: 'completed', stats: { productsArchived: 1 } })
  t.strictSame(await live(catalog), ['a'])
})

for (const [what, broken] of Object.entries({ 'malformed JSON': '{"externalId":"b","name":"Half', 'a byte that is lost': Buffer.concat([Buffer.from('{"externalId":"b","name":"'), Buffer.of(0xFF), Buffer.from('"}')]) })) {
  t.test(`${what} takes no product out of the shop: it counts as present, others are archived`, async (t) => {
    const catalog = await catalogWith('a', 'b', 'c')
    const bytes = Buffer.concat([Buffer.from(file(line('a'))), Buffer.from(broken), Buffer.from('\n')])
    const files = { ...memoryFiles({ 'a.jsonl': [''] }), read: () => memoryBytes(bytes) }
    t.match(await run(catalog, { 'a.jsonl': '' }, {}, files), { status: 'completed', stats: { productsUpdated: 1, productsSkipped: 1, productsArchived: 1 } })
    t.strictSame(await live(catalog), ['a', 'b'])
  })
}

t.test('a run whose job another worker has begun since writes nothing', async (t) => {
  const catalog = testCatalog(parts)
  const job = runningJob(catalog.vendorId)
  await collections.importJobs.insertOne({ ...job, attempt: 2, runs: 2 })
  await t.rejects(run(catalog, { 'a.jsonl': file(line('a')) }, job), { message: 'another worker has taken this import over' })
  t.strictSame(await live(catalog), [])
})

t.test('nor does it store what is wrong with a line for its product alone, of which the other may have found another', async (t) => {
  const catalog = testCatalog(parts)
  const job = runningJob(catalog.vendorId, { mode: 'UPDATE' })
  await collections.importJobs.insertOne({ ...job, attempt: 2, runs: 2 })
  await t.rejects(run(catalog, { 'a.jsonl': file(JSON.stringify({ externalId: 'a', name: 'Of a new product more is wanted' })) }, job), { message: 'another worker has taken this import over' })
  t.strictSame(await parts.repositories.importIssues.list(catalog.vendorId, job._id, 'error', 10), [])
})

t.test('a run that was begun anew without another attempt, as after a thread that was given up, writes nothing more', async (t) => {
  const catalog = testCatalog(parts)
  const job = runningJob(catalog.vendorId, { mode: 'UPDATE' })
  await collections.importJobs.insertOne({ ...job, runs: 2 })
  const lines = file(line('a'), JSON.stringify({ externalId: 'b', name: 'Of a new product more is wanted' }))
  await t.rejects(run(catalog, { 'a.jsonl': lines }, job), { message: 'this import has been begun anew' })
  t.strictSame(await live(catalog), [])
  t.strictSame(await parts.repositories.importIssues.list(catalog.vendorId, job._id, 'error', 10), [])
})
