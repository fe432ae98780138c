/**
 * librdkafka's own in-process broker: speaks the Kafka protocol to the same clients, on loopback, from threads of this process.
 * It keeps nothing over a restart, has four partitions per topic and answers no admin requests. Good enough here,
 * because the truth about a job is its document in MongoDB; not meant for production.
 */
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'

export interface EmbeddedKafka {
  /** `host:port` */
  brokers: string
  close (): Promise<void>
}

type Metadata = Kafka.Metadata

const connectTimeoutMs = 10_000
const topicTimeoutMs = 10_000

/** Starts the broker and creates the topics. Rejects with AppError `SERVICE_UNAVAILABLE`. */
export async function startEmbeddedKafka ({ topics, log }: { topics: readonly string[], log: Logger }): Promise<EmbeddedKafka> {
  const producer = new Kafka.Producer({
    // Makes this client bring its own broker; the address is required and not used. The option is missing in the types.
    'test.mock.num.brokers': 1,
    'metadata.broker.list': '127.0.0.1:1'
  } as Kafka.ProducerGlobalConfig)
  producer.on('event.error', (error) => { log.warn({ err: error }, 'embedded Kafka') })

  const close = async (): Promise<void> => {
    if (producer.isConnected()) await fromCallback((done) => producer.disconnect(done))
  }
  try {
    const { brokers } = await fromCallback<Metadata>((done) => producer.connect({ timeout: connectTimeoutMs }, done))
    const broker = brokers[0]
    if (broker === undefined) throw new Error('The embedded broker has no address')
    for (const topic of topics) await createTopic(producer, topic)
    return { brokers: `${broker.host}:${broker.port}`, close }
  } catch (error) {
    await close()
    throw unavailable('The embedded Kafka did not start', error)
  }
}

/** Asking for a topic creates it; the answer names its partitions from the first or second time on. */
async function createTopic (producer: Kafka.Producer, topic: string): Promise<void> {
  const deadline = performance.now() + topicTimeoutMs
  for (;;) {
    const metadata = await fromCallback<Metadata>((done) => {
      producer.getMetadata({ topic, allTopics: false, timeout: topicTimeoutMs }, done)
    })
    if (metadata.topics.some(({ name, partitions }) => name === topic && partitions.length > 0)) return
    if (performance.now() > deadline) throw new Error(`The topic ${topic} got no partitions within ${topicTimeoutMs} ms`)
  }
}

async function fromCallback<T> (start: (done: (error: unknown, value: T) => void) => void): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    start((error, value) => {
      // librdkafka's errors are not all instances of Error.
      if (error === null || error === undefined) resolve(value)
      else reject(error instanceof Error ? error : Object.assign(new Error(String((error as { message?: unknown }).message)), error))
    })
  })
}
