/**
 * Single commands of the database fail, or are done and not acknowledged, in the midst of an import. SecantusDB is told to
 * (`configureFailPoint`), so this file has a server of its own whichever is used otherwise.
 */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { findMongodb } from '../../src/embedded/find-mongodb.js'
import { freePort } from '../../src/embedded/local-ports.js'
import { addressOf, startMongodbProcess } from '../../src/embedded/mongodb-process.js'
import { createRunImport } from '../../src/jobs/run-import.js'
import { catalogOf, issuesOf } from '../support/catalog-contents.js'
import { accept, ended, startWorker } from '../support/import-workers.js'
import { memoryFiles } from '../support/memory-files.js'
import { file, line, lines } from '../support/product-lines.js'
import { siblingDatabase } from '../support/sibling-database.js'
import { silent } from '../support/log.js'

const url = await startServer(t)
const admin = new MongoClient(url)
t.teardown(async () => { await admin.close() })

async function startServer (t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-test-'))
  const program = await findMongodb({ wanted: 'secantusdb', writtenBy: undefined, env: process.env })
  const [port, dataPath, emptyConfigPath] = [await freePort(), join(folder, 'data'), join(folder, 'empty.toml')]
  await mkdir(dataPath)
  await writeFile(emptyConfigPath, '')
  const child = await startMongodbProcess({
    program: { ...program, args: [...program.args, '--enable-test-commands'] }, port, dataPath, emptyConfigPath, logPath: join(folder, 'log'), env: process.env, log: silent
  }, async () => {})
  t.teardown(async () => {
    await child.stop()
    await rm(folder, { recursive: true, force: true })
  })
  // Polled: over an error that a failpoint has made up, the server does not end the monitor's long wait, as one that steps down would.
  return `${addressOf(port)}&serverMonitoringMode=poll&heartbeatFrequencyMS=500`
}

/** New products, changes to old ones, bad lines, and lines whose second reading differs from the first; a REPLACE, which also archives. */
const before = file(...lines(15, 'absent-'), ...lines(15, 'P', { name: 'before' }))
const content = file(
  JSON.stringify({ externalId: 'late', description: 'too early' }), ...lines(40), '{"externalId":"cut"', line('P7', { name: 'again' }), line('late'), ...lines(20, 'Q'), line('P7', { name: 'at last' })
)

interface Outcome { status: string, attempt: number, stats: unknown, issues: unknown, catalog: unknown[] }

async function importWith (t: Test, failPoint: object | null): Promise<Outcome> {
  const { database, repositories } = await siblingDatabase(t, { url })
  const run = createRunImport({ collections: database.collections, files: memoryFiles({ 'before.jsonl': [before], 'a.jsonl': [content] }), log: silent })
  const worker = startWorker(t, { workerId: 'one', repositories, run })
  await accept(repositories, 'acme', { files: ['before.jsonl'] })
  await worker.wake('acme')
  const jobId = await accept(repositories, 'acme', { mode: 'REPLACE' })
  if (failPoint !== null) await admin.db('admin').command({ configureFailPoint: 'failCommand', ...failPoint })
  await worker.wake('acme')
  await admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' })
  const { status, attempt, stats } = await ended(repositories, 'acme', jobId)
  return { status, attempt, stats, issues: await issuesOf(database, 'acme', jobId), catalog: await catalogOf(database, 'acme') }
}

const undisturbed = await importWith(t, null)

t.test('undisturbed, the job does what its file says', async (t) => {
  t.match(undisturbed, { status: 'completed', attempt: 1, stats: { productsProcessed: 65, productsCreated: 46, productsSkipped: 2, productsArchived: 15 } })
})

// The driver repeats a failed command once by itself: three in a row reach the service.
const thrice = { times: 3 }
const writes = ['insert', 'update']
const failures: Array<[what: string, failPoint: { mode: object, data: object }]> = [
  ['the connection breaks over inserts', { mode: thrice, data: { failCommands: ['insert'], closeConnection: true } }],
  ['the connection breaks over updates', { mode: thrice, data: { failCommands: ['update'], closeConnection: true } }],
  ['the connection breaks over reads', { mode: thrice, data: { failCommands: ['find', 'aggregate', 'getMore'], closeConnection: true } }],
  ['the connection breaks in the middle of a bulk', { mode: { skip: 3, times: 3 }, data: { failCommands: writes, closeConnection: true } }],
  ['the primary steps down over a write', { mode: { skip: 4, times: 3 }, data: { failCommands: writes, errorCode: 189 } }],
  ['the server is no longer primary', { mode: { skip: 2, times: 5 }, data: { failCommands: writes, errorCode: 10107 } }],
  ['the server shuts down over a read', { mode: { skip: 2, times: 3 }, data: { failCommands: ['find', 'aggregate'], errorCode: 91 } }],
  ['inserts are done but not by a majority', { mode: thrice, data: { failCommands: ['insert'], writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } } }],
  ['updates are done but not by a majority', { mode: thrice, data: { failCommands: ['update'], writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } } }],
  ['writes are done while the server shuts down', { mode: { skip: 3, times: 3 }, data: { failCommands: writes, writeConcernError: { code: 91, errmsg: 'shutting down' } } }]
]
for (const [what, failPoint] of failures) {
  t.test(what, async (t) => {
    const { catalog: wanted, ...job } = undisturbed
    const { catalog, ...found } = await importWith(t, failPoint)
    t.strictSame(found, job, 'the job')
    t.ok(JSON.stringify(catalog) === JSON.stringify(wanted), 'the products')
  })
}
