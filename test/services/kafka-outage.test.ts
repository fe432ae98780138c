/** A broker that is away for a while: of this file's own, since it is taken away from everyone. */
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import t, { type Test } from 'tap'
import { createHintConsumer } from '../../src/jobs/kafka-consumer.js'
import { createHintProducer, type HintProducer } from '../../src/jobs/kafka-producer.js'
import { startRecovery } from '../../src/jobs/recovery.js'
import type { KafkaAccess } from '../../src/kafka/kafka-access.js'
import type { Lanes } from '../../src/store/jobs/lanes.js'
import { eventually } from '../support/eventually.js'
import { kafkaAt, kafkaOfServices } from '../support/kafka.js'
import { file, line } from '../support/product-lines.js'
import { givenServiceEnvironment } from '../support/own-names.js'
import { startServiceProcess } from '../support/service-process.js'
import { createVendor } from '../support/vendor.js'
import { consume, newTopic, produce, produceReady } from './hints.js'
import { createKafka } from './parts/kafka.js'
import { createSecuredKafka } from './parts/secured-kafka.js'
import { temporaryFolder } from './parts/temporary-folder.js'
import { recordingLog, silent } from '../support/log.js'

interface Broker {
  /** What a service is told. */
  env: NodeJS.ProcessEnv
  access: KafkaAccess
  start (): Promise<void>
  stop (): Promise<void>
  kill (): Promise<void>
}

const names = givenServiceEnvironment()['KAFKA_TOPIC_PREFIX'] ?? ''

/** One that runs until the end of `t`. */
async function started<Kafka extends Pick<Broker, 'start' | 'stop'>> (t: Pick<Test, 'teardown'>, create: (folder: string) => Promise<Kafka>): Promise<Kafka> {
  const folder = await temporaryFolder(join(tmpdir(), 'catalog-broker-'))
  const kafka = await create(join(folder.path, 'kafka'))
  t.teardown(async () => {
    await kafka.stop()
    await folder.remove()
  })
  await kafka.start()
  return kafka
}

/** As the given one is, with the same rights on the same names. A broker takes seconds to make: all tests share it. */
async function makeSecured (): Promise<Broker> {
  const kafka = await started(t, createSecuredKafka)
  await kafka.allow(names)
  const env = { ...kafka.env, KAFKA_TOPIC_PREFIX: names }
  let isRunning = true
  return {
    env,
    access: await kafkaOfServices(env),
    async start () {
      if (isRunning) return
      await kafka.start()
      isRunning = true
    },
    async stop () {
      isRunning = false
      await kafka.stop()
    },
    async kill () {
      isRunning = false
      await kafka.nodes[0]?.kill()
    }
  }
}

let made: Promise<Broker> | undefined

async function secured (): Promise<Broker> {
  const broker = await (made ??= makeSecured())
  // A test that has failed may have left it away.
  await broker.start()
  return broker
}

/** As on a developer's machine, where it makes topics by itself. */
async function plain (t: Test): Promise<Broker> {
  const kafka = await started(t, createKafka)
  return { env: { KAFKA_BROKERS: kafka.brokers }, access: kafkaAt(kafka.brokers), start: kafka.start, stop: kafka.stop, kill: kafka.kill }
}

/** Recovery with one job that is not done until its hint has come. */
function recover (t: Test, producer: HintProducer, jobId: string, isDone: () => boolean): void {
  const lanes = {
    async * activeVendors () { if (!isDone()) yield { vendorId: 'acme', jobId, mark: '' } }
  } satisfies Partial<Lanes> as unknown as Lanes
  const recovery = startRecovery({
    waiting: lanes.activeVendors, wake: (vendorId, jobId) => { void producer.send(0, { vendorId, jobId }) }, wakeHere: async () => {}, log: silent, everyMs: 1_000
  })
  t.teardown(recovery.stop)
}

for (const [end, make] of [['stop', plain], ['kill', secured]] as const) {
  t.test(`hints that are sent while the broker is away (${end}, ${make.name}) arrive when it is back`, async (t) => {
    const kafka = await make(t)
    const topic = newTopic(kafka.access)
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

t.test('a producer and a worker started before the broker find it later', { timeout: 300_000 }, async (t) => {
  const kafka = await secured()
  await kafka.stop()
  const topic = newTopic(kafka.access)
  const { log, entries } = recordingLog()
  const producer = produce(t, topic, log)
  const received = new Set<string>()
  consume(t, topic, async ({ jobId }) => { received.add(jobId) }, log)
  // What counts is that another follows.
  for (const client of ['producer', 'consumer']) {
    await eventually(`the ${client}'s first attempt is over`, () => entries.some(({ msg }) => msg === `kafka ${client} is not connected; trying again`), 60_000)
  }
  await kafka.start()
  recover(t, producer, 'job', () => received.has('job'))
  await eventually('the producer reaches the broker', async () => await producer.ping().then(() => true, () => false))
  await eventually('the hint comes', () => received.has('job'))
})

t.test('a producer and a worker whose broker never comes can be closed', { timeout: 60_000 }, async (t) => {
  const topic = newTopic(kafkaAt('127.0.0.1:9'))
  const producer = createHintProducer({ ...topic, log: silent })
  const consumer = createHintConsumer({ ...topic, groupId: topic.topic, handle: async () => {}, log: silent })
  await Promise.all([consumer.close(), producer.close()])
  t.pass('closed')
})

t.test('a service whose broker is away for a minute accepts jobs meanwhile, and runs them in order when it is back', { timeout: 500_000 }, async (t) => {
  const kafka = await secured()
  const service = await startServiceProcess(t, { env: kafka.env })
  const vendors = await Promise.all(['acme', 'other'].map(async (id) => await createVendor(service, id)))
  const numbers = [0, 1, 2, 3]
  for (const vendor of vendors) {
    for (const number of numbers) await vendor.put(`${number}.jsonl`, file(line('P', { name: `name ${number}` }), line(`only-in-${number}`)))
    t.equal((await vendor.runImport({ files: ['0.jsonl'], mode: 'REPLACE' })).status, 'completed')
  }

  await kafka.kill()
  const gone = performance.now()
  const accepted = await Promise.all(vendors.map(async (vendor) => {
    const jobIds: string[] = []
    for (const number of numbers) jobIds.push(await vendor.startImport({ files: [`${number}.jsonl`], mode: 'REPLACE' }))
    return { vendor, jobIds }
  }))
  await eventually('the service says what is away', async () => (await fetch(`${service.url}/readyz`)).status === 503)
  await eventually('a minute has passed', () => performance.now() - gone > 60_000, 70_000)
  for (const { vendor, jobIds } of accepted) {
    t.strictSame(await Promise.all(jobIds.map(async (jobId) => (await vendor.job(jobId)).status)), jobIds.map(() => 'queued'))
  }

  await kafka.start()
  for (const { vendor, jobIds } of accepted) {
    const ended = await Promise.all(jobIds.map(vendor.ended))
    t.strictSame(ended.map(({ status }) => status), jobIds.map(() => 'completed'))
    // The first has changed nothing and taken nothing away; of the others each archives what the one before it has brought.
    t.strictSame(ended.map(({ stats }) => [stats?.productsCreated, stats?.productsUpdated, stats?.productsArchived]), [[0, 2, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1]])
    const ends = ended.map(({ completedAt }) => completedAt ?? '')
    t.strictSame(ends, [...ends].sort(), 'one after the other')
    t.match(await service.database().collections.products.findOne({ vendorId: vendor.id, externalId: 'P' }), { name: 'name 3' })
  }
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
})
