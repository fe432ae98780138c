/**
 * A worker that is given up for dead while it lives: another takes its job over, and the two of them on one job leave
 * what one would have left.
 */
import t, { type Test } from 'tap'
import type { ImportJob, ImportMode } from '../../src/domain/import-job.js'
import { createRunImport, type RunImport } from '../../src/jobs/run-import.js'
import type { Collections } from '../../src/store/database/connection.js'
import { createRepositories, type Repositories } from '../../src/store/repositories.js'
import { catalogOf, issuesOf } from '../support/catalog-contents.js'
import { testDatabase, type TestDatabase } from '../support/database.js'
import { createGate, eventually } from '../support/eventually.js'
import { accept, ended, neverTakesOver, startWorker } from '../support/import-workers.js'
import { memoryFiles, type FilePieces } from '../support/memory-files.js'
import { file, line, lines } from '../support/product-lines.js'
import { siblingDatabase } from '../support/sibling-database.js'
import { withMethod } from '../support/with-method.js'
import { silent } from '../support/log.js'

const server = await testDatabase(t)

const before = file(...lines(50, 'absent-'), line('P3', { name: 'before' }))

/** Two batches; products twice, bad lines, and one that is bad only until a later line makes its product. */
const first = file(
  JSON.stringify({ externalId: 'late', description: 'too early' }), ...lines(300), 'not a product', line('P7', { name: 'again' }), line('late'), ...lines(250, 'Q')
)
const second = file(...lines(300, 'R'), line('P7', { name: 'at last' }), '[]')

/** Pieces of the same file, the rest of which is held up. */
const withHold = (hold: Promise<void>): FilePieces => [first, hold.then(() => second)]

async function importBefore (t: Test, { database, repositories }: TestDatabase): Promise<void> {
  const run = createRunImport({ collections: database.collections, files: memoryFiles({ 'before.jsonl': [before] }), log: silent })
  await accept(repositories, 'acme', { files: ['before.jsonl'] })
  await startWorker(t, { workerId: 'before', repositories, run }).wake('acme')
}

/** Its heart has stopped, as seen from outside; all else goes on. */
function withoutBeat (repositories: Repositories, isBeating: () => boolean): Repositories {
  const { lanes } = repositories
  return {
    ...repositories,
    lanes: {
      ...lanes,
      beat: async (...claim) => {
        if (!isBeating()) throw new Error('the beat was lost')
        return await lanes.beat(...claim)
      }
    }
  }
}

interface DeadWorker {
  /** Its run of the job; rejects as that does. */
  runEnded: () => Promise<unknown>
  /** Its run, and all that it does afterwards, whatever becomes of it. */
  ended: () => Promise<unknown>
}

/** Begins with the vendor's jobs, is given up by others, and never takes anything back. */
function startDead (t: Test, repositories: Repositories, realRun: RunImport, isBeating = () => false): DeadWorker {
  let running: Promise<unknown> = Promise.resolve()
  const worker = startWorker(t, {
    ...neverTakesOver,
    workerId: 'dead',
    repositories: withoutBeat(repositories, isBeating),
    run: async (options) => {
      const result = realRun(options)
      running = result
      return await result
    }
  })
  const woken = worker.wake('acme')
  woken.catch(() => {}) // whatever becomes of it
  return {
    runEnded: async () => await running,
    ended: async () => { await Promise.allSettled([running, woken]) }
  }
}

interface Outcome { job: ImportJob, catalog: unknown[], issues: unknown[] }

/** The same for every test of a mode, so made once. */
const undisturbedBy = new Map<ImportMode, Promise<Outcome>>()

async function undisturbed (mode: ImportMode): Promise<Outcome> {
  const known = undisturbedBy.get(mode) ?? importUndisturbed(t, mode)
  undisturbedBy.set(mode, known)
  return await known
}

async function importUndisturbed (t: Test, mode: ImportMode): Promise<Outcome> {
  const db = await siblingDatabase(t, server)
  await importBefore(t, db)
  const run = createRunImport({ collections: db.database.collections, files: memoryFiles({ 'a.jsonl': [first, second] }), log: silent })
  const jobId = await accept(db.repositories, 'acme', { mode })
  await startWorker(t, { workerId: 'only', repositories: db.repositories, run }).wake('acme')
  return await outcome(db, jobId)
}

async function outcome ({ database, repositories }: TestDatabase, jobId: string): Promise<Outcome> {
  return { job: await ended(repositories, 'acme', jobId), catalog: await catalogOf(database, 'acme'), issues: await issuesOf(database, 'acme', jobId) }
}

function sameAs (t: Test, found: Outcome, wanted: Outcome): void {
  t.equal(found.job.status, 'completed')
  t.strictSame(found.job.stats, wanted.job.stats, 'stats')
  t.strictSame(found.issues, wanted.issues, 'issues')
  t.strictSame(found.catalog, wanted.catalog, 'products')
}

for (const mode of ['REPLACE', 'UPDATE'] as const) {
  t.test(`${mode}: the one that was given up goes on where it was, after the other has finished`, async (t) => {
    const wanted = await undisturbed(mode)
    const db = await siblingDatabase(t, server)
    await importBefore(t, db)
    const { database: { collections }, repositories } = db
    const hold = createGate()
    let isBeating = false
    const run = createRunImport({ collections, files: memoryFiles({ 'a.jsonl': withHold(hold.passed) }), log: silent })
    const jobId = await accept(repositories, 'acme', { mode })
    const dead = startDead(t, repositories, run, () => isBeating)
    await eventually('the first batch is written', async () => await repositories.products.findByExternalId('acme', 'P7'))

    const living = startWorker(t, {
      workerId: 'living',
      repositories,
      run: createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [first, second] }), log: silent })
    })
    await living.wake('acme')
    const found = await outcome(db, jobId)
    t.equal(found.job.attempt, 2)
    sameAs(t, found, wanted)

    isBeating = true
    hold.open()
    await dead.ended()
    const afterwards = await outcome(db, jobId)
    sameAs(t, afterwards, wanted)
    t.strictSame(afterwards.job, found.job, 'the end that was told stands')
    t.match(await repositories.lanes.find('acme'), { running: null, queue: [] })
  })

  t.test(`${mode}: both write at the same time`, async (t) => {
    const wanted = await undisturbed(mode)
    const db = await siblingDatabase(t, server)
    await importBefore(t, db)
    const { database: { collections }, repositories } = db
    // The first one waits before its first byte until the other has begun.
    const start = createGate()
    const content = start.passed.then(() => first)
    const jobId = await accept(repositories, 'acme', { mode })
    const dead = startDead(t, repositories, createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [content, second] }), log: silent }))
    await eventually('the first one has begun', async () => (await repositories.importJobs.find('acme', jobId))?.status === 'processing')
    const realRun = createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [first, second] }), log: silent })
    const run: RunImport = async (options) => {
      start.open()
      return await realRun(options)
    }
    await startWorker(t, { workerId: 'living', repositories, run }).wake('acme')
    await dead.ended()
    sameAs(t, await outcome(db, jobId), wanted)
  })
}

t.test('a worker that was given up writes nothing once its job is over: later jobs have written since', async (t) => {
  const { database: { collections }, repositories } = await siblingDatabase(t, server)
  const hold = createGate()
  const [early, late] = [file(...lines(600)), file(line('late', { name: 'first job' }))]
  const run = createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [early, hold.passed.then(() => late)] }), log: silent })
  await accept(repositories, 'acme')
  const second = await accept(repositories, 'acme', { files: ['b.jsonl'] })
  const dead = startDead(t, repositories, run)
  await eventually('the first batch is written', async () => await repositories.products.findByExternalId('acme', 'P7'))
  await startWorker(t, {
    workerId: 'living',
    repositories,
    run: createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [early, late], 'b.jsonl': [file(line('late', { name: 'second job' }))] }), log: silent })
  }).wake('acme')
  t.match(await repositories.importJobs.find('acme', second), { status: 'completed' })

  hold.open()
  await dead.ended()
  t.match(await repositories.products.findByExternalId('acme', 'late'), { name: 'second job' })
})

t.test('what the one has on its way and writes while the other reads its products counts for both', async (t) => {
  const wanted = await undisturbed('UPDATE')
  const db = await siblingDatabase(t, server)
  await importBefore(t, db)
  const { database, repositories } = db
  const jobId = await accept(repositories, 'acme')
  const [writes, arrives] = [createGate(), createGate()]
  const late = withMethod(database.collections.products, 'bulkWrite', async (...parameters) => {
    writes.open()
    await arrives.passed
    return await database.collections.products.bulkWrite(...parameters)
  })
  const dead = startDead(t, repositories, createRunImport({
    collections: { ...database.collections, products: late }, files: memoryFiles({ 'a.jsonl': [first, second] }), log: silent
  }))
  await writes.passed

  // What the first one has asked its fence about before the second one began.
  const products = holdReads(database.collections, async () => {
    arrives.open()
    await dead.runEnded().catch(() => {})
  })
  const collections = { ...database.collections, products }
  await startWorker(t, {
    workerId: 'living',
    repositories: createRepositories({ ...database, collections }),
    run: createRunImport({ collections, files: memoryFiles({ 'a.jsonl': [first, second] }), log: silent })
  }).wake('acme')
  sameAs(t, await outcome(db, jobId), wanted)
})

/** Every read of products waits for `until` first. */
function holdReads ({ products }: Collections, until: () => Promise<void>): Collections['products'] {
  return withMethod(products, 'find', ((...args: Parameters<typeof products.find>) => {
    const cursor = products.find(...args)
    // The driver's own step, by which whatever is read is asked for (store/reads/gated-reads).
    const walking = cursor as unknown as { fetchBatch (): Promise<void> }
    const fetchBatch = walking.fetchBatch.bind(cursor)
    walking.fetchBatch = async () => {
      await until()
      await fetchBatch()
    }
    return cursor
  }) as typeof products.find)
}
