/** A Kafka and a topic of the test's own: the embedded one, or a topic nobody else knows at `TEST_KAFKA_BROKERS`. */
import { randomBytes } from 'node:crypto'
import Kafka from 'node-rdkafka'
import type { Test } from 'tap'
import { startEmbeddedKafka } from '../../src/embedded/embedded-kafka.js'
import { createKafkaAccess, openKafkaAccess, type KafkaAccess } from '../../src/kafka/kafka-access.js'
import { loadConfig } from '../../src/config.js'
import { createTopicAdmin } from '../../src/jobs/topic-admin.js'
import { silent } from './log.js'
import { givenServiceEnvironment } from './own-names.js'

export interface TestKafka { topic: string, kafka: KafkaAccess }

/** In plain text. */
export function kafkaAt (brokers: string): KafkaAccess {
  const { kafka: config } = loadConfig({ KAFKA_BROKERS: brokers })
  return createKafkaAccess({ config, brokers, log: silent }, { username: '', password: '', ca: '', certificate: '', key: '', properties: {} })
}

/** As a service under test does it: the given Kafka by the login that was given with it, an embedded one in plain text. `env` names another. */
export async function kafkaOfServices (env: NodeJS.ProcessEnv = { KAFKA_BROKERS: process.env['TEST_KAFKA_BROKERS'] }): Promise<KafkaAccess> {
  const { kafka: config } = loadConfig({ ...givenServiceEnvironment(), ...env })
  const { brokers } = config
  if (brokers === undefined) throw new Error('TEST_KAFKA_BROKERS is not set: there is no Kafka but the embedded ones')
  return await openKafkaAccess({ config, brokers, log: silent })
}

/** Of a topic and of its group: the login of the given Kafka has rights on what begins as the service's own topics do. */
export const ownTopicName = (of: 'hints' | 'test'): string => `${givenServiceEnvironment()['KAFKA_TOPIC_PREFIX'] ?? ''}${of}.${randomBytes(6).toString('hex')}`

export async function startTestKafka (t: Test): Promise<TestKafka> {
  const topic = ownTopicName('test')
  if (process.env['TEST_KAFKA_BROKERS'] !== undefined) {
    const kafka = await kafkaOfServices()
    t.teardown(() => { kafka.close() })
    await createTopicAdmin(kafka).make(topic)
    return { topic, kafka }
  }
  const { brokers, close } = await startEmbeddedKafka({ topics: [topic], log: silent })
  t.teardown(close)
  return { topic, kafka: kafkaAt(brokers) }
}

/** Sends messages as they are, as no producer of ours would, to one partition; resolves when the broker has them. */
export async function sendRaw ({ kafka, topic }: TestKafka, messages: Array<Buffer | null>, partition = 0, headers?: Kafka.MessageHeader[]): Promise<void> {
  const producer = new Kafka.Producer({ ...kafka.settings(), dr_cb: true })
  await new Promise<void>((resolve, reject) => {
    producer.connect({}, (error) => { if (error) reject(new Error(error.message)); else resolve() })
  })
  try {
    for (const message of messages) producer.produce(topic, partition, message, undefined, undefined, undefined, headers)
    await new Promise<void>((resolve, reject) => {
      producer.flush(10_000, (error) => { if (error) reject(new Error(error.message)); else resolve() })
    })
  } finally {
    await new Promise<void>((resolve) => { producer.disconnect(() => { resolve() }) })
  }
}
