/** A partition per vendor on a real broker: the topic grows, workers share it, and nothing of that shows in the jobs. */
import { randomBytes } from 'node:crypto'
import Kafka from 'node-rdkafka'
import t, { type Test } from 'tap'
import { emptyStats } from '../../src/domain/import-job.js'
import { createHintConsumer } from '../../src/jobs/kafka-consumer.js'
import { createHintProducer, type HintProducer } from '../../src/jobs/kafka-producer.js'
import { startRecovery } from '../../src/jobs/recovery.js'
import type { RunImport } from '../../src/jobs/run-import.js'
import type { Repositories } from '../../src/store/repositories.js'
import { testDatabase } from '../support/database.js'
import { createGate, eventually } from '../support/eventually.js'
import { accept, ended, startWorker } from '../support/import-workers.js'
import { kafkaOfServices } from '../support/kafka.js'
import { siblingDatabase } from '../support/sibling-database.js'
import { consume, newTopic, partitionCount, produceReady, type HintTopic } from './hints.js'
import { silent } from '../support/log.js'

const server = await testDatabase(t)
const kafka = await kafkaOfServices()

async function growing (t: Test, topic: HintTopic, maxPartitions: number): Promise<HintProducer> {
  await produceReady(t, topic) // makes the topic, with as many partitions as a broker's default
  const producer = createHintProducer({ ...topic, maxPartitions, log: silent })
  t.teardown(async () => { await producer.close() })
  return producer
}

/** As the broker has it now. */
async function partitionsOf (t: Test, { kafka, topic }: HintTopic): Promise<() => Promise<number>> {
  const observer = new Kafka.Producer(kafka.settings())
  await new Promise<void>((resolve) => { observer.connect({}, () => { resolve() }) })
  t.teardown(async () => { await new Promise<void>((resolve) => { observer.disconnect(() => { resolve() }) }) })
  return async () => await new Promise((resolve, reject) => {
    observer.getMetadata({ topic, allTopics: false, timeout: 5_000 }, (error, data) => {
      if (error) reject(new Error(error.message))
      else resolve(data.topics.find(({ name }) => name === topic)?.partitions.length ?? 0)
    })
  })
}

t.test('the topic grows with the vendors, and a new vendor\'s hints reach a worker that was there before', async (t) => {
  const topic = newTopic(kafka)
  const producer = await growing(t, topic, 64)
  const partitions = await partitionsOf(t, topic)
  const received = new Set<string>()
  consume(t, topic, async ({ jobId }) => { received.add(jobId) })
  await producer.send(0, { vendorId: 'first', jobId: 'first' })
  await eventually('the first vendor is heard', () => received.has('first'))
  t.equal(await partitions(), partitionCount, 'there is no need to grow')

  await producer.send(20, { vendorId: 'new', jobId: 'new' })
  await eventually('the new vendor is heard', () => received.has('new'))
  await eventually('the topic has grown', async () => await partitions() === 32)
  const askedAtMs = performance.now()
  for (let number = 0; number < 32; number++) await producer.send(number, { vendorId: `v${number}`, jobId: `own-${number}` })
  await eventually('every partition is read', () => received.size === 34)
  t.comment(`after ${Math.round(performance.now() - askedAtMs)} ms`)
})

t.test('it does not grow beyond its bound; vendors share partitions then', async (t) => {
  const topic = newTopic(kafka)
  const producer = await growing(t, topic, 8)
  const partitions = await partitionsOf(t, topic)
  const received = new Set<string>()
  consume(t, topic, async ({ jobId }) => { received.add(jobId) })
  for (const number of [5_000, 5_001, 5_008]) await producer.send(number, { vendorId: `v${number}`, jobId: String(number) })
  await eventually('all are heard', () => received.size === 3)
  await eventually('the topic has grown', async () => await partitions() === 8)
})

t.test('vendors with numbers next to each other are with different workers, however many partitions there are', async (t) => {
  const topic = newTopic(kafka)
  const producer = await produceReady(t, topic)
  const heardBy = new Map<string, string>()
  for (const worker of ['one', 'other']) consume(t, topic, async ({ vendorId, jobId }) => { heardBy.set(`${vendorId} ${jobId}`, worker) })
  await eventually('each worker hears one of the two vendors', async () => {
    const round = randomBytes(4).toString('hex')
    for (const number of [0, 1]) await producer.send(number, { vendorId: `v${number}`, jobId: round })
    await eventually('both are heard', () => heardBy.has(`v0 ${round}`) && heardBy.has(`v1 ${round}`))
    return heardBy.get(`v0 ${round}`) !== heardBy.get(`v1 ${round}`)
  })
})

interface Run { vendorId: string, jobId: string, worker: string }

/** A worker with its own place in the group. */
function join (t: Test, topic: HintTopic, repositories: Repositories, workerId: string, run: RunImport): { leave (): Promise<void> } {
  const worker = startWorker(t, { workerId, repositories, run, leaseMs: 10_000 })
  const consumer = createHintConsumer({ ...topic, groupId: topic.topic, handle: async ({ vendorId }) => { await worker.wake(vendorId) }, log: silent })
  const leave = async (): Promise<void> => {
    consumer.pause()
    await worker.stop()
    await consumer.close()
  }
  t.teardown(leave)
  return { leave }
}

t.test('workers come and go while the topic grows: no job is lost, and every vendor\'s run in order', { timeout: 120_000 }, async (t) => {
  const { repositories } = await siblingDatabase(t, server)
  const topic = newTopic(kafka)
  const producer = await growing(t, topic, 16)
  const runs: Run[] = []
  const running = new Map<string, number>()
  let overlaps = 0
  const runOf = (worker: string): RunImport => async ({ job: { vendorId, _id: jobId } }) => {
    running.set(vendorId, (running.get(vendorId) ?? 0) + 1)
    if (running.get(vendorId) !== 1) overlaps += 1
    await new Promise((resolve) => setImmediate(resolve))
    runs.push({ vendorId, jobId, worker })
    running.set(vendorId, (running.get(vendorId) ?? 0) - 1)
    return { status: 'completed', stats: emptyStats() }
  }
  const numbers = new Map(Array.from({ length: 8 }, (_, number) => [`v${number}`, number]))
  const hint = (vendorId: string, jobId: string): void => { void producer.send(numbers.get(vendorId) ?? 0, { vendorId, jobId }) }
  const recovery = startRecovery({ waiting: repositories.lanes.activeVendors, wake: hint, wakeHere: async () => {}, log: silent, everyMs: 2_000 })
  t.teardown(async () => { await recovery.stop() })

  const jobs = new Map<string, string[]>()
  const acceptRound = async (): Promise<void> => {
    for (const vendorId of numbers.keys()) {
      const jobId = await accept(repositories, vendorId)
      jobs.set(vendorId, [...jobs.get(vendorId) ?? [], jobId])
      hint(vendorId, jobId)
      // Twice: what Kafka delivers again after a rebalance looks the same.
      hint(vendorId, jobId)
    }
  }
  const first = join(t, topic, repositories, 'first', runOf('first'))
  await acceptRound()
  join(t, topic, repositories, 'second', runOf('second'))
  await acceptRound()
  await eventually('both have worked', async () => {
    await acceptRound()
    return new Set(runs.map(({ worker }) => worker)).size === 2
  })
  await first.leave()
  await acceptRound()
  join(t, topic, repositories, 'third', runOf('third'))
  await acceptRound()
  for (const [vendorId, accepted] of jobs) for (const jobId of accepted) await ended(repositories, vendorId, jobId)
  for (const [vendorId, accepted] of jobs) {
    // A worker that leaves hands back what it has not ended: the next one runs it again before anything else of that vendor.
    const ran = runs.filter((run) => run.vendorId === vendorId).map(({ jobId }) => jobId)
    t.strictSame(ran.filter((jobId, index) => jobId !== ran[index - 1]), accepted, vendorId)
  }
  t.equal(overlaps, 0, 'no two of a vendor at a time')
})

t.test('a long job delays no one, also not those who share its partition', async (t) => {
  const { repositories } = await siblingDatabase(t, server)
  const topic = newTopic(kafka)
  const producer = await produceReady(t, topic)
  const gate = createGate()
  const run: RunImport = async ({ job: { vendorId } }) => {
    if (vendorId === 'long') await gate.passed
    return { status: 'completed', stats: emptyStats() }
  }
  join(t, topic, repositories, 'only', run)
  const long = await accept(repositories, 'long')
  await producer.send(0, { vendorId: 'long', jobId: long })
  await eventually('the long job runs', async () => (await repositories.importJobs.find('long', long))?.status === 'processing')
  for (const number of [0, 1, 2, 3, partitionCount]) {
    const jobId = await accept(repositories, `other-${number}`)
    await producer.send(number, { vendorId: `other-${number}`, jobId })
    t.equal((await ended(repositories, `other-${number}`, jobId)).status, 'completed')
  }
  t.equal((await repositories.importJobs.find('long', long))?.status, 'processing', 'it still runs')
  gate.open()
  t.equal((await ended(repositories, 'long', long)).status, 'completed')
})
