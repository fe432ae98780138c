/** A Kafka and a topic of the test's own: the embedded one, or a topic nobody else knows at `TEST_KAFKA_BROKERS`. */
import { randomBytes } from 'node:crypto'
import Kafka from 'node-rdkafka'
import type { Test } from 'tap'
import { startEmbeddedKafka } from '../../src/embedded/embedded-kafka.js'
import { createKafkaAccess, type KafkaAccess } from '../../src/kafka/kafka-access.js'
import { loadConfig } from '../../src/config.js'
import { silent } from './log.js'

export interface TestKafka { brokers: string, topic: string, kafka: KafkaAccess }

/** In plain text. */
export function kafkaAt (brokers: string): KafkaAccess {
  const { kafka: config } = loadConfig({ KAFKA_BROKERS: brokers })
  return createKafkaAccess({ config, brokers, log: silent }, { username: '', password: '', ca: '', certificate: '', key: '', properties: {} })
}

export async function startTestKafka (t: Test): Promise<TestKafka> {
  const topic = `test.${randomBytes(6).toString('hex')}`
  const given = process.env['TEST_KAFKA_BROKERS']
  if (given !== undefined) return { brokers: given, topic, kafka: kafkaAt(given) }
  const { brokers, close } = await startEmbeddedKafka({ topics: [topic], log: silent })
  t.teardown(close)
  return { brokers, topic, kafka: kafkaAt(brokers) }
}

/** Sends messages as they are, as no producer of ours would, to one partition; resolves when the broker has them. */
export async function sendRaw ({ brokers, topic }: Pick<TestKafka, 'brokers' | 'topic'>, messages: Array<Buffer | null>, partition = 0, headers?: Kafka.MessageHeader[]): Promise<void> {
  const producer = new Kafka.Producer({ 'metadata.broker.list': brokers, dr_cb: true })
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
