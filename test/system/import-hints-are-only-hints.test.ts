/** Kafka says when to look; what there is to do is in the database. So its messages may be anything. */
import t from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import { createHintConsumer } from '../../src/jobs/kafka-consumer.js'
import { createHintProducer } from '../../src/jobs/kafka-producer.js'
import { startRecovery } from '../../src/jobs/recovery.js'
import { testDatabase } from '../support/database.js'
import { accept, ended, startWorker } from '../support/import-workers.js'
import { kafkaOfServices, sendRaw, startTestKafka } from '../support/kafka.js'
import { givenTopics } from '../support/own-names.js'
import { file, line } from '../support/product-lines.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { silent } from '../support/log.js'

t.test('duplicate, reordered, lost and foreign hints neither lose nor repeat nor reorder a job', async (t) => {
  const { repositories } = await testDatabase(t)
  const kafka = await startTestKafka(t)
  const started: string[] = []
  const worker = startWorker(t, {
    workerId: 'one',
    repositories,
    run: async ({ job }) => {
      started.push(job._id)
      return { status: 'completed', stats: emptyStats() }
    }
  })
  const producer = createHintProducer({ ...kafka, log: silent })
  const consumer = createHintConsumer({
    ...kafka, groupId: kafka.topic, handle: async ({ vendorId }) => { await worker.wake(vendorId) }, log: silent
  })
  t.teardown(async () => {
    await worker.stop()
    await Promise.all([consumer.close(), producer.close()])
  })

  const jobs: string[] = []
  for (let number = 0; number < 6; number++) jobs.push(await accept(repositories, 'acme'))
  // Backwards, three times each, none for the first, in two partitions, and for what does not exist.
  for (const jobId of jobs.slice(1).reverse()) {
    for (let time = 0; time < 3; time++) await producer.send(time % 2, { vendorId: 'acme', jobId })
  }
  await producer.send(1, { vendorId: 'nobody', jobId: 'nothing' })
  for (const jobId of jobs) t.equal((await ended(repositories, 'acme', jobId)).status, 'completed')
  await producer.send(0, { vendorId: 'acme', jobId: jobs[0] ?? '' })

  const silentJob = await accept(repositories, 'unheard')
  const recovery = startRecovery({
    waiting: repositories.lanes.activeVendors, wake: (vendorId, jobId) => { void producer.send(0, { vendorId, jobId }) }, wakeHere: async () => {}, log: silent, everyMs: 50
  })
  t.teardown(async () => { await recovery.stop() })
  t.equal((await ended(repositories, 'unheard', silentJob)).status, 'completed', 'recovery finds a job whose hint was lost')
  t.strictSame(started, [...jobs, silentJob], 'each once, in the order of acceptance')
})

t.test('messages that are no hints do not hurt the service', async (t) => {
  const service = await startServiceProcess(t)
  const vendor = await createVendor(service)
  await vendor.put('a.jsonl', file(line('A')))
  await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' })
  const messages = ['', 'not JSON', 'null', '7', '[]', '{}', '{"vendorId": 7, "jobId": "x"}', '{"vendorId": "acme"}', `"${'x'.repeat(100_000)}"`]
  const kafka = await kafkaOfServices({ KAFKA_BROKERS: service.kafka })
  t.teardown(() => { kafka.close() })
  for (const partition of [0, 1]) {
    await sendRaw({ kafka, topic: givenTopics().productImports }, [...messages.map((text) => Buffer.from(text)), Buffer.of(0xFF, 0xFE), null], partition)
  }
  t.match(await vendor.runImport({ files: ['a.jsonl'], mode: 'UPDATE' }), { status: 'completed', stats: { productsUpdated: 1 } })
  t.match(await vendor.rest('GET', '/healthz'), { status: 200 })
  t.notOk(service.logs.some(({ level }) => Number(level) >= 60), 'nothing fatal was logged')
})

t.test('a job whose hint was lost with its process is found at the next start', async (t) => {
  const service = await startServiceProcess(t)
  const vendor = await createVendor(service)
  await vendor.put('a.jsonl', file(line('A')))
  const jobId = await accept(service.repositories(), vendor.id)
  await service.terminate()
  await service.start()
  t.match(await vendor.ended(jobId), { status: 'completed', stats: { productsCreated: 1 } })
})
