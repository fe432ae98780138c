/** A vendor's jobs run in the order of their acceptance, one at a time; vendors do not wait for each other. */
import t from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import { createImportQueue } from '../../src/jobs/import-queue.js'
import { createHintConsumer } from '../../src/jobs/kafka-consumer.js'
import { createHintProducer } from '../../src/jobs/kafka-producer.js'
import type { RunImport } from '../../src/jobs/run-import.js'
import { testDatabase } from '../support/database.js'
import { createGate, eventually } from '../support/eventually.js'
import { ended, request, startWorker } from '../support/import-workers.js'
import { startTestKafka } from '../support/kafka.js'
import { silent } from '../support/log.js'

const { repositories } = await testDatabase(t)
const { kafka, topic } = await startTestKafka(t)
const producer = createHintProducer({ kafka, topic, log: silent })
t.teardown(async () => { await producer.close() })

// All vendors share a partition: the worst case.
const queue = createImportQueue(repositories, (vendorId, jobId) => { void producer.send(0, { vendorId, jobId }) }, silent)

const started: Array<{ vendorId: string, jobId: string }> = []
const running = new Map<string, number>()
let mostAtOnce = 0
const held = createGate()
const run: RunImport = async ({ job: { vendorId, _id: jobId } }) => {
  started.push({ vendorId, jobId })
  const now = (running.get(vendorId) ?? 0) + 1
  running.set(vendorId, now)
  mostAtOnce = Math.max(mostAtOnce, now)
  await (vendorId === 'slow' ? held.passed : new Promise((resolve) => setImmediate(resolve)))
  running.set(vendorId, now - 1)
  return { status: 'completed', stats: emptyStats() }
}

// Two workers, so that order is not that of one process by chance.
for (const workerId of ['one', 'two']) {
  const worker = startWorker(t, { workerId, repositories, run, leaseMs: 2_000 })
  const consumer = createHintConsumer({ kafka, topic, groupId: topic, handle: async ({ vendorId }) => { await worker.wake(vendorId) }, log: silent })
  t.teardown(async () => {
    held.open()
    await worker.stop()
    await consumer.close()
  })
}

t.test('fifteen jobs of one vendor run one after the other, in the order of acceptance', async (t) => {
  const accepted: string[] = []
  for (let number = 0; number < 15; number++) accepted.push((await queue.start('quick', request(), null))._id)
  for (const jobId of accepted) t.equal((await ended(repositories, 'quick', jobId)).status, 'completed')
  t.strictSame(started.map(({ jobId }) => jobId), accepted)
  t.equal(mostAtOnce, 1)
})

t.test('a vendor whose job takes long does not hold up another one on the same partition', async (t) => {
  const slow = await queue.start('slow', request(), null)
  await eventually('the slow job runs', () => started.some(({ jobId }) => jobId === slow._id))
  const behind = await queue.start('slow', request(), null)
  for (const vendorId of ['quick', 'other']) {
    const job = await queue.start(vendorId, request(), null)
    t.equal((await ended(repositories, vendorId, job._id)).status, 'completed')
  }
  t.match(await repositories.importJobs.find('slow', slow._id), { status: 'processing' })
  t.match(await repositories.importJobs.find('slow', behind._id), { status: 'queued' })
  held.open()
  t.equal((await ended(repositories, 'slow', behind._id)).status, 'completed')
  t.equal(mostAtOnce, 1)
})
