/** A broker that is away for a while. Each test has one of its own, since it is taken away from everyone. */
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import pino from 'pino'
import t, { type Test } from 'tap'
import { createHintConsumer } from '../../src/jobs/kafka-consumer.js'
import { createHintProducer, type HintProducer } from '../../src/jobs/kafka-producer.js'
import { startRecovery } from '../../src/jobs/recovery.js'
import type { Lanes } from '../../src/store/lanes.js'
import { eventually } from '../support/eventually.js'
import { consume, newTopic, produce, produceReady } from './hints.js'
import { createKafka, type Kafka } from './parts/kafka.js'
import { temporaryFolder } from './parts/temporary-folder.js'

async function broker (t: Test): Promise<Kafka> {
  const folder = await temporaryFolder(join(tmpdir(), 'catalog-broker-'))
  const kafka = await createKafka(join(folder.path, 'kafka'))
  t.teardown(async () => {
    await kafka.stop()
    await folder.remove()
  })
  return kafka
}

/** Recovery with one job that is not done until its hint has come. */
function recover (t: Test, producer: HintProducer, jobId: string, isDone: () => boolean): void {
  const lanes = {
    async * activeVendors () { if (!isDone()) yield { vendorId: 'acme', jobId } }
  } satisfies Partial<Lanes> as unknown as Lanes
  const recovery = startRecovery(lanes.activeVendors, (vendorId, jobId) => { void producer.send(0, { vendorId, jobId }) }, pino({ level: 'silent' }), 1_000)
  t.teardown(recovery.stop)
}

for (const end of ['stop', 'kill'] as const) {
  t.test(`hints that are sent while the broker is away (${end}) arrive when it is back`, async (t) => {
    const kafka = await broker(t)
    await kafka.start()
    const topic = newTopic(kafka.brokers)
    const producer = await produceReady(t, topic)
    const received = new Set<string>()
    consume(t, topic, async ({ jobId }) => { received.add(jobId) })
    await producer.send(0, { vendorId: 'acme', jobId: 'before' })
    await eventually('the first hint comes', () => received.has('before'))

    await kafka[end]()
    for (const index of [1, 2, 3, 4, 5]) await producer.send(index, { vendorId: 'acme', jobId: `while-away-${index}` })
    await kafka.start()
    await eventually('the hints come', () => received.size === 6)
    await producer.send(0, { vendorId: 'acme', jobId: 'after' })
    await eventually('and so do later ones', () => received.has('after'))
  })
}

t.test('a producer and a worker started before the broker find it later', { timeout: 150_000 }, async (t) => {
  const kafka = await broker(t)
  const topic = newTopic(kafka.brokers)
  const producer = produce(t, topic)
  const received = new Set<string>()
  consume(t, topic, async ({ jobId }) => { received.add(jobId) })
  // As long as a client's first attempt may take: what counts is that another follows.
  const attemptEndsMs = 31_000
  const started = performance.now()
  await eventually('the first attempt is over', () => performance.now() - started > attemptEndsMs)
  await kafka.start()
  recover(t, producer, 'job', () => received.has('job'))
  await eventually('the producer reaches the broker', async () => await producer.ping().then(() => true, () => false))
  await eventually('the hint comes', () => received.has('job'))
})

t.test('a producer and a worker whose broker never comes can be closed', { timeout: 60_000 }, async (t) => {
  const topic = newTopic('127.0.0.1:9')
  const producer = createHintProducer({ ...topic, log: pino({ level: 'silent' }) })
  const consumer = createHintConsumer({ ...topic, groupId: topic.topic, handle: async () => {}, log: pino({ level: 'silent' }) })
  await Promise.all([consumer.close(), producer.close()])
  t.pass('closed')
})
