/** Sends hints to vendors' partitions. What they hint at is in MongoDB, so a lost one costs a minute (jobs/recovery), not a job. */
import { setTimeout as sleep } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import { createBrokerCalls, type BrokerCalls } from './broker-calls.js'
import { createTopicGrowth } from './topic-growth.js'

export interface HintProducer {
  /** `number` is the vendor's own, its partition that modulo the topic's. Resolves when handed to the client; failures are logged. */
  send (number: number, hint: { vendorId: string, jobId: string }): Promise<void>
  /** Throws when no broker answers, or those that do have no such topic: then nothing can be sent. */
  ping (): Promise<void>
  close (): Promise<void>
}

export interface HintProducerOptions {
  brokers: string
  /** Shared by all clients of a process. */
  calls?: BrokerCalls
  topic: string
  /** The topic is made to grow with the vendors' numbers up to this. Default 0: it is left as it is. */
  maxPartitions?: number
  log: Logger
}

/** How long a topic's partition count is believed: partitions are added while we run. */
const partitionsMaxAgeMs = 30_000
/** Within what /readyz waits for. A broker that takes longer, once there is a connection to it, is as good as away. */
const metadataTimeoutMs = 1_500
/** For a topic that is asked for to be made, by who looks whether it is there. */
const pingTopicTimeoutMs = 1_500
const topicTimeoutMs = 10_000
const topicPollMs = 100

/** Does not wait for the brokers: the client connects, and goes on trying, in the background. */
export function createHintProducer ({ brokers, calls = createBrokerCalls(), topic, maxPartitions = 0, log }: HintProducerOptions): HintProducer {
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
  const connection = keepConnecting(producer, calls, log)

  let stopped = false
  let partitions = { count: 0, readAtMs: -Infinity }
  const growth = createTopicGrowth({ brokers, topic, maxPartitions, onGrown: () => { partitions.readAtMs = -Infinity }, log })

  const metadata = async (): Promise<Kafka.Metadata> => {
    // That is known without a call, and no reason for others not to make theirs.
    if (!producer.isConnected()) throw unavailable('Kafka is not reachable')
    return await calls.ask(topic, async () => await new Promise((resolve, reject) => {
      producer.getMetadata({ topic, allTopics: false, timeout: metadataTimeoutMs }, (error, data) => {
        if (error === null || error === undefined) resolve(data)
        else reject(unavailable('Kafka is not reachable', error))
      })
    }))
  }

  const partitionsIn = ({ topics }: Kafka.Metadata): number => topics.find(({ name }) => name === topic)?.partitions.length ?? 0

  async function partitionCount (): Promise<number> {
    if (performance.now() - partitions.readAtMs > partitionsMaxAgeMs) {
      // Asking for a topic also makes it, where the broker allows that.
      // It is there a moment later, and so is the connection of a client that has just been made.
      // eslint-disable-next-line no-unmodified-loop-condition -- close() sets it
      for (const deadline = performance.now() + topicTimeoutMs; !stopped; await sleep(topicPollMs)) {
        const count = producer.isConnected()
          ? partitionsIn(await metadata())
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
    async ping () {
      // Asking for a topic makes it, where the broker allows that, and takes the broker a moment.
      for (const deadline = performance.now() + pingTopicTimeoutMs; ; await sleep(topicPollMs)) {
        if (partitionsIn(await metadata()) > 0) return
        if (performance.now() > deadline) throw unavailable(`Kafka has no topic ${topic}`)
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
const connectTimeoutMs = 10_000

/** The client looks after its connections once it has had one; until then it gives up after a time, and is told to go on. */
function keepConnecting (producer: Kafka.Producer, calls: BrokerCalls, log: Logger): { stop: () => void } {
  const stopping = new AbortController()
  const connect = (): void => {
    calls.inTurn(async () => await new Promise<Kafka.LibrdKafkaError | null>((resolve) => {
      producer.connect({ timeout: connectTimeoutMs }, (error) => { resolve(error ?? null) })
    }), stopping.signal).then((error) => {
      if (stopping.signal.aborted || error === null) return
      log.warn({ err: error }, 'kafka producer is not connected')
      setTimeout(connect, reconnectMs).unref()
    }, () => { /* stopped */ })
  }
  connect()
  return { stop () { stopping.abort() } }
}
