/** Sends hints to vendors' partitions. What they hint at is in MongoDB, so a lost one costs a minute (jobs/recovery), not a job. */
import { setTimeout as sleep } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import { createTopicGrowth } from './topic-growth.js'

export interface HintProducer {
  /** `number` is the vendor's own, its partition that modulo the topic's. Resolves when handed to the client; failures are logged. */
  send (number: number, hint: { vendorId: string, jobId: string }): Promise<void>
  /** Throws when no broker answers within `timeoutMs`, or those that do have no such topic: then nothing can be sent. */
  ping (timeoutMs?: number): Promise<void>
  close (): Promise<void>
}

export interface HintProducerOptions {
  brokers: string
  topic: string
  /** The topic is made to grow with the vendors' numbers up to this. Default 0: it is left as it is. */
  maxPartitions?: number
  log: Logger
}

/** How long a topic's partition count is believed: partitions are added while we run. */
const partitionsMaxAgeMs = 30_000
const metadataTimeoutMs = 5_000
const topicTimeoutMs = 10_000
const topicPollMs = 100

/** Does not wait for the brokers: the client connects, and goes on trying, in the background. */
export function createHintProducer ({ brokers, topic, maxPartitions = 0, log }: HintProducerOptions): HintProducer {
  const producer = new Kafka.Producer({
    'metadata.broker.list': brokers,
    'client.id': 'catalog-api',
    'socket.keepalive.enable': true,
    dr_cb: true
  }, {
    // A hint that could not be delivered by then is sent again by recovery.
    'message.timeout.ms': 60_000
  })
  producer.setPollInterval(100)
  producer.on('event.error', (error) => { log.warn({ err: error }, 'kafka producer') })
  producer.on('delivery-report', (error: Kafka.LibrdKafkaError | null) => {
    if (error !== null) log.warn({ err: error }, 'a job hint was not delivered; recovery will send it again')
  })
  const connection = keepConnecting(producer, log)

  let stopped = false
  let partitions = { count: 0, readAtMs: -Infinity }
  const growth = createTopicGrowth({ brokers, topic, maxPartitions, onGrown: () => { partitions.readAtMs = -Infinity }, log })

  const metadata = async (timeoutMs: number): Promise<Kafka.Metadata> => {
    if (!producer.isConnected()) throw unavailable('Kafka is not reachable')
    return await new Promise((resolve, reject) => {
      producer.getMetadata({ topic, allTopics: false, timeout: timeoutMs }, (error, data) => {
        if (error === null || error === undefined) resolve(data)
        else reject(unavailable('Kafka is not reachable', error))
      })
    })
  }

  const partitionsIn = ({ topics }: Kafka.Metadata): number => topics.find(({ name }) => name === topic)?.partitions.length ?? 0

  async function partitionCount (): Promise<number> {
    if (performance.now() - partitions.readAtMs > partitionsMaxAgeMs) {
      // Asking for a topic also makes it, where the broker allows that.
      // It is there a moment later, and so is the connection of a client that has just been made.
      // eslint-disable-next-line no-unmodified-loop-condition -- close() sets it
      for (const deadline = performance.now() + topicTimeoutMs; !stopped; await sleep(topicPollMs)) {
        const count = producer.isConnected()
          ? partitionsIn(await metadata(metadataTimeoutMs))
          : 0
        partitions = { count, readAtMs: performance.now() }
        if (count > 0 || performance.now() > deadline) break
      }
    }
    if (partitions.count === 0) throw unavailable(`The Kafka topic ${topic} has no partitions yet`)
    return partitions.count
  }

  return {
    async send (number, hint) {
      try {
        const count = await partitionCount()
        growth.want(number + 1, count)
        const partition = number % count
        producer.produce(topic, partition, Buffer.from(JSON.stringify(hint)), hint.vendorId)
      } catch (error) {
        partitions.readAtMs = -Infinity
        log.warn({ err: error, ...hint }, 'a job hint was not sent; recovery will send it again')
      }
    },
    async ping (timeoutMs = 1_500) {
      // Asking for a topic makes it, where the broker allows that, and takes the broker a moment.
      for (const deadline = performance.now() + timeoutMs; ; await sleep(topicPollMs)) {
        const left = Math.max(topicPollMs, deadline - performance.now())
        if (partitionsIn(await metadata(left)) > 0) return
        if (left <= topicPollMs) throw unavailable(`Kafka has no topic ${topic}`)
      }
    },
    async close () {
      stopped = true
      connection.stop()
      await growth.close()
      if (!producer.isConnected()) return
      await new Promise<void>((resolve) => {
        producer.setPollInterval(0)
        producer.disconnect(5_000, () => { resolve() })
      })
    }
  }
}

const reconnectMs = 1_000

/** The client looks after its connections once it has had one; until then it gives up after a time, and is told to go on. */
function keepConnecting (producer: Kafka.Producer, log: Logger): { stop: () => void } {
  let stopped = false
  const connect = (): void => {
    producer.connect({ timeout: 10_000 }, (error) => {
      if (stopped || error === null || error === undefined) return
      log.warn({ err: error }, 'kafka producer is not connected')
      setTimeout(connect, reconnectMs).unref()
    })
  }
  connect()
  return { stop () { stopped = true } }
}
