/**
 * The database goes away in the middle of a job, for longer than a lease and longer than the driver waits by itself, and comes back.
 * `TEST_OUTAGE_MS` makes it longer.
 */
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createRunImport } from '../../src/jobs/run-import.js'
import { openDatabase } from '../../src/store/database/connection.js'
import { createRepositories } from '../../src/store/repositories.js'
import { testDatabase } from '../support/database.js'
import { createGate, eventually } from '../support/eventually.js'
import { accept, ended, startWorker } from '../support/import-workers.js'
import { memoryFiles } from '../support/memory-files.js'
import { file, line, lines } from '../support/product-lines.js'
import { siblingDatabase } from '../support/sibling-database.js'
import type { TcpProxy } from '../support/tcp-proxy.js'
import { proxiedDatabase } from '../support/proxied-database.js'
import { silent } from '../support/log.js'

const server = await testDatabase(t)
const outageMs = Number(process.env['TEST_OUTAGE_MS'] ?? 7_000)
/** Several times shorter than the outage. */
const leaseMs = 2_000

async function outlasts (t: Test, take: (proxy: TcpProxy) => void): Promise<void> {
  const { url, repositories } = await siblingDatabase(t, server)
  const { proxy, url: proxiedUrl } = await proxiedDatabase(t, url)
  const proxied = openDatabase(proxiedUrl, { appName: 'catalog-test' })
  t.teardown(async () => { await proxied.close() })
  const gate = createGate()
  const files = memoryFiles({ 'a.jsonl': [file(...lines(600), 'not a product'), gate.passed.then(() => file(...lines(600, 'Q'), line('P7', { name: 'again' })))] })
  const workers = ['one', 'two'].map((workerId) => startWorker(t, {
    workerId, leaseMs, beatMs: 100, repositories: createRepositories(proxied), run: createRunImport({ collections: proxied.collections, files, log: silent })
  }))

  const jobId = await accept(repositories, 'acme')
  // The second one watches the first one's beat.
  const woken = workers.map(async (worker) => { await worker.wake('acme') })
  await eventually('the job is at work', async () => await repositories.products.findByExternalId('acme', 'P7'))
  take(proxy)
  gate.open()
  await delay(outageMs)
  proxy.restore()

  const job = await ended(repositories, 'acme', jobId)
  t.match(job, { status: 'completed', attempt: 1 }, 'no worker was taken for dead')
  t.strictSame(job.stats, {
    productsProcessed: 1_202, productsCreated: 1_200, productsUpdated: 1, productsArchived: 0, productsSkipped: 1, errors: 1
  })
  t.equal(await repositories.products.count('acme', false), 1_200)
  await Promise.all(woken)
}

t.test('connections break and none can be made', async (t) => { await outlasts(t, (proxy) => { proxy.cut() }) })
t.test('connections stay and nothing comes through', async (t) => { await outlasts(t, (proxy) => { proxy.hang() }) })
