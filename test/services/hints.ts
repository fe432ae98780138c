/** Producers and consumers of hints on a topic of their own, closed in the teardown. */
import Kafka from 'node-rdkafka'
import pino, { type Logger } from 'pino'
import type { Test } from 'tap'
import { createHintConsumer, type Hint, type HintConsumer } from '../../src/jobs/kafka-consumer.js'
import { createHintProducer, type HintProducer } from '../../src/jobs/kafka-producer.js'
import type { KafkaAccess } from '../../src/kafka/kafka-access.js'
import { eventually } from '../support/eventually.js'
import { ownTopicName } from '../support/kafka.js'

export interface HintTopic {
  kafka: KafkaAccess
  /** The name of the consumer group too, as in the service. */
  topic: string
}

export const partitionCount = 4
const quiet = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' })

export const newTopic = (kafka: KafkaAccess): HintTopic => ({ kafka, topic: ownTopicName('hints') })

export function produce (t: Test, { kafka, topic }: HintTopic, log: Logger = quiet): HintProducer {
  const producer = createHintProducer({ kafka, topic, log })
  t.teardown(async () => { await producer.close() })
  return producer
}

/** On a topic that is there already, as in every service but one that has just been set up. */
export async function produceReady (t: Test, given: HintTopic): Promise<HintProducer> {
  const admin = Kafka.AdminClient.create(given.kafka.settings())
  await new Promise<void>((resolve, reject) => {
    admin.createTopic({ topic: given.topic, num_partitions: partitionCount, replication_factor: 1 }, 10_000, (error) => {
      // node-rdkafka's type leaves out that there may be none.
      if ((error as unknown) == null) resolve()
      else reject(new Error('The topic was not made', { cause: error }))
    })
  })
  admin.disconnect()
  const producer = produce(t, given)
  await eventually('the producer reaches the broker', async () => await producer.ping().then(() => true, () => false))
  return producer
}

/** Every hint is dealt with at once, unless `handle` says otherwise. */
export function consume (t: Test, { kafka, topic }: HintTopic, handle: (hint: Hint) => Promise<void>, log: Logger = quiet): HintConsumer {
  const consumer = createHintConsumer({ kafka, topic, groupId: topic, handle, log })
  t.teardown(async () => { await consumer.close() })
  return consumer
}

/** The sum of what the group has committed, looked at from outside of it. */
export async function committedHints (t: Test, { kafka, topic }: HintTopic): Promise<() => Promise<number>> {
  const observer = new Kafka.KafkaConsumer({ ...kafka.settings(), 'group.id': topic, 'enable.auto.commit': false }, {})
  await new Promise<void>((resolve, reject) => {
    observer.connect({}, (error: Kafka.LibrdKafkaError | null | undefined) => {
      if (error) reject(new Error('No connection', { cause: error }))
      else resolve()
    })
  })
  t.teardown(async () => { await new Promise<void>((resolve) => { observer.disconnect(() => { resolve() }) }) })
  const partitions = Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition }))
  return async () => await new Promise<number>((resolve, reject) => {
    observer.committed(partitions, 5_000, (error: Kafka.LibrdKafkaError | null | undefined, offsets) => {
      if (error) reject(new Error('No answer', { cause: error }))
      else resolve(offsets.reduce((sum, { offset }) => sum + (typeof offset === 'number' && offset > 0 ? offset : 0), 0))
    })
  })
}
