/** How the doctor speaks to Kafka: as the service does, but that it makes no topic by asking for it, and is told at once that there is none. */
import { setTimeout as delay } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import { createBrokerCalls } from '../../jobs/broker-calls.js'
import { createConnectedProducer } from '../../jobs/connected-producer.js'
import { createTopicAdmin, type TopicAdmin } from '../../jobs/topic-admin.js'
import type { KafkaAccess } from '../../kafka/kafka-access.js'
import { messageOf } from './check.js'
import type { DoctorParts } from './parts.js'

export const pollMs = 100
const metadataTimeoutMs = 4_000
/** Brokers may make a topic that is asked for, which lasts; and librdkafka waits half a minute for one that may be just being made. */
const onlyLooks = { 'allow.auto.create.topics': false, 'topic.metadata.propagation.max.ms': 0 }

export interface Client {
  kafka: KafkaAccess
  admin: TopicAdmin
  /** Resolves when the message is safe at the broker. */
  send (topic: string, message: Buffer | null): Promise<void>
  metadata (topic: string, signal: AbortSignal): Promise<Kafka.Metadata>
  close (): Promise<void>
}

export function openClient (kafka: KafkaAccess, log: DoctorParts['log']): Client {
  const waiting = new Map<unknown, (error: { message: string, code?: number } | null) => void>()
  const producer = createConnectedProducer({ kafka, calls: createBrokerCalls(), settings: onlyLooks, onDelivery: (error, mark) => { waiting.get(mark)?.(error) }, log })
  return {
    kafka,
    admin: createTopicAdmin(kafka),
    async send (topic, message) {
      const mark = Symbol(topic)
      try {
        await new Promise<void>((resolve, reject) => {
          waiting.set(mark, (error) => { if (error === null) resolve(); else reject(Object.assign(new Error(error.message), { code: error.code })) })
          producer.produce(topic, 0, message, 'proof', mark)
        })
      } finally {
        waiting.delete(mark)
      }
    },
    async metadata (topic, signal) {
      while (!producer.isConnected()) {
        const line = kafka.faults.find('connection')
        if (line !== undefined) throw new Error(line)
        await delay(pollMs, undefined, { signal })
      }
      return await producer.metadata(topic, metadataTimeoutMs).catch((error: unknown) => {
        throw new Error(kafka.faults.find('connection') ?? (/transport failure|timed out/i.test(messageOf(error)) ? 'no broker answers' : messageOf(error)))
      })
    },
    async close () {
      await producer.close()
      kafka.close()
    }
  }
}

export async function openConsumer (kafka: KafkaAccess, groupId: string, signal: AbortSignal): Promise<{ consumer: Kafka.KafkaConsumer, close: () => Promise<void> }> {
  const consumer = new Kafka.KafkaConsumer({
    'client.id': 'catalog-doctor', 'fetch.wait.max.ms': 25, ...kafka.settings(), 'group.id': groupId, 'enable.auto.commit': false
  }, { 'auto.offset.reset': 'earliest' })
  const detach = kafka.attach(consumer)
  const close = async (): Promise<void> => {
    if (consumer.isConnected()) await new Promise<void>((resolve) => { consumer.disconnect(() => { resolve() }) })
    detach()
  }
  try {
    await inTime(signal, new Promise<void>((resolve, reject) => {
      consumer.connect({ timeout: metadataTimeoutMs }, (error) => { if (error as unknown) reject(new Error(error.message)); else resolve() })
    }))
  } catch (error) {
    await close()
    throw error
  }
  return { consumer, close }
}

export const poll = async (consumer: Kafka.KafkaConsumer): Promise<Kafka.Message[]> => await new Promise((resolve, reject) => {
  consumer.setDefaultConsumeTimeout(pollMs)
  consumer.consume(1, (error, messages) => { if (error as unknown) reject(Object.assign(new Error(error.message), { code: error.code })); else resolve(messages) })
})

/** Of what cannot be called off itself. */
export async function inTime<T> (signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return await Promise.race([promise, new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason as Error) }, { once: true })
  })])
}
