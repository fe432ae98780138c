/** SIGTERM during an import: the service ends in good order, and the next one finishes the job as if nothing had been. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createRunImport } from '../../src/jobs/run-import.js'
import { productId } from '../../src/domain/product.js'
import type { Collections } from '../../src/store/database/connection.js'
import { catalogOf, issuesOf } from '../support/catalog-contents.js'
import { testDatabase } from '../support/database.js'
import { createGate, eventually } from '../support/eventually.js'
import { startHaltingFiles } from '../support/halting-files.js'
import { accept, ended, startWorker } from '../support/import-workers.js'
import { memoryFiles } from '../support/memory-files.js'
import { file, line, lines } from '../support/product-lines.js'
import { siblingDatabase } from '../support/sibling-database.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { withMethod } from '../support/with-method.js'
import { silent } from '../support/log.js'

const server = await testDatabase(t)

t.test('the process ends with 0, no attempt is counted, the job goes on after the restart with exact stats', async (t) => {
  const files = await startHaltingFiles(t)
  const service = await startServiceProcess(t, { files })
  const vendor = await createVendor(service)
  const count = 2_500
  await vendor.put('long.jsonl', file(...lines(count), 'not a product'))
  files.haltAfter(100_000)
  const jobId = await vendor.startImport({ files: ['long.jsonl'], mode: 'UPDATE' })
  const { collections } = service.database()
  const some = productId(vendor.id, 'P7')
  await eventually('the job is at work', async () => await collections.products.findOne({ _id: some }))

  const upload = await beginRequest(t, service.url)

  const before = service.logs.length
  const terminated = service.terminate()
  await eventually('the job is handed back, whatever requests are under way', () => service.logs.some(({ msg }) => msg === 'import handed back'), 20_000)
  upload.destroy()
  t.strictSame(await terminated, { code: 0, signal: null })
  t.strictSame(service.logs.slice(before).filter(({ level }) => Number(level) >= 40), [], 'the end is nothing to warn of')

  files.goOn()
  await service.start()
  t.equal((await vendor.ended(jobId)).status, 'completed')
  const job = await service.repositories().importJobs.find(vendor.id, jobId)
  t.equal(job?.attempt, 1)
  t.strictSame(job?.stats, {
    productsProcessed: count + 1, productsCreated: count, productsUpdated: 0, productsArchived: 0, productsSkipped: 1, errors: 1
  })
  t.equal(await collectionSize(service.database().collections), count)
})

/** Whose body does not come. */
async function beginRequest (t: Test, url: string): Promise<Socket> {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => { socket.destroy() })
  socket.write('POST /api/v1/products/import HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{')
  await once(socket, 'data')
  return socket
}

const collectionSize = async ({ products }: Collections): Promise<number> => await products.countDocuments()

t.test('a line that was bad before the job was handed back is bad afterwards', async (t) => {
  const { database, repositories } = await siblingDatabase(t, server)
  // The update comes before the line that makes its product, so only the first time is it bad for lack of one.
  const early = JSON.stringify({ externalId: 'late', description: 'too early' })
  const hold = createGate()
  const content = [file(early, line('late'), ...lines(600)), hold.passed.then(() => file(line('last')))]
  const files = memoryFiles({ 'a.jsonl': content })
  const run = createRunImport({ collections: database.collections, files, log: silent })
  const jobId = await accept(repositories, 'acme')

  const first = startWorker(t, { workerId: 'first', repositories, run })
  const draining = first.wake('acme')
  draining.catch(() => {}) // it is stopped on purpose
  await eventually('the line has made its product', async () => await repositories.products.findByExternalId('acme', 'late'))
  const stopped = first.stop()
  hold.open()
  await stopped

  await startWorker(t, { workerId: 'second', repositories, run }).wake('acme')
  const job = await ended(repositories, 'acme', jobId)
  t.equal(job.attempt, 1)
  t.strictSame(job.stats, {
    productsProcessed: 603, productsCreated: 602, productsUpdated: 0, productsArchived: 0, productsSkipped: 1, errors: 1
  })
  t.match(await issuesOf(database, 'acme', jobId), [{ line: 1, externalId: 'late' }])
  t.match(await repositories.products.findByExternalId('acme', 'late'), { description: null })
})

t.test('products that were archived before the job was handed back are counted', async (t) => {
  const { database, repositories } = await siblingDatabase(t, server)
  const absent = 1_500
  const files = memoryFiles({ 'before.jsonl': [file(...lines(absent, 'absent-'))], 'a.jsonl': [file(line('kept'))] })
  const collections = { ...database.collections }
  const run = createRunImport({ collections, files, log: silent })
  await accept(repositories, 'acme', { files: ['before.jsonl'] })
  await startWorker(t, { workerId: 'before', repositories, run }).wake('acme')

  const jobId = await accept(repositories, 'acme', { mode: 'REPLACE', maxArchivePercent: 100 })
  const first = startWorker(t, { workerId: 'first', repositories, run })
  // Shut down between two pages of archiving: after the first bulk of updates.
  collections.products = withMethod(database.collections.products, 'bulkWrite', async (...parameters) => {
    const result = await database.collections.products.bulkWrite(...parameters)
    if (parameters[0].some((operation) => 'updateOne' in operation)) void first.stop()
    return result
  })
  await t.rejects(first.wake('acme'), 'it shuts down')
  await first.stop()
  t.match(await repositories.importJobs.find('acme', jobId), { status: 'processing' }, 'the job is not over')
  collections.products = database.collections.products

  await startWorker(t, { workerId: 'second', repositories, run }).wake('acme')
  const job = await ended(repositories, 'acme', jobId)
  t.match(job, { status: 'completed', attempt: 1, stats: { productsCreated: 1, productsArchived: absent } })
  const live = (await catalogOf(database, 'acme') as Array<{ archived: boolean }>).filter(({ archived }) => !archived)
  t.equal(live.length, 1)
})
