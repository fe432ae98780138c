/** Sends hints to vendors' partitions. What they hint at is in MongoDB, so a lost one costs a minute (jobs/recovery), not a job. */
import { setTimeout as sleep } from 'node:timers/promises'
import type Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { unavailable } from '../errors.js'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import { isTopicDenied } from '../kafka/refusals.js'
import { noSpan, type Span } from '../tracing/span.js'
import { createBrokerCalls, type BrokerCalls } from './broker-calls.js'
import { createConnectedProducer } from './connected-producer.js'
import { beginSending, endSending, headersOf } from './hint-trace.js'
import { createTopicGrowth } from './topic-growth.js'

export interface HintProducer {
  /**
   * `number` is the vendor's own, its partition that modulo the topic's. The message carries on the trace of `span`. Resolves when handed to the client; failures
   * are logged.
   */
  send (number: number, hint: { vendorId: string, jobId: string }, span?: Span): Promise<void>
  /** Finds out whether it may send, by a message without a value, and until it may tries again. Returns at once; the answer is kafka.faults'. */
  prove (): void
  /** Throws when no broker answers, or those that do have no such topic: then nothing can be sent. */
  ping (): Promise<void>
  close (): Promise<void>
}

export interface HintProducerOptions {
  kafka: KafkaAccess
  /** Shared by all clients of a process. */
  calls?: BrokerCalls
  topic: string
  /** The topic is made where it is missing, and to grow with the vendors' numbers up to this. Default 0: it is left as it is. */
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
/** A broker that makes topics by itself has by then. */
const missedAfterMs = 1_000
const proveAgainMs = 5_000

/** What a delivery report says of a message that only proves that it may be sent. */
const proof = Symbol('proof')

/** Does not wait for the brokers: the client connects, and goes on trying, in the background. */
export function createHintProducer ({ kafka, calls = createBrokerCalls(), topic, maxPartitions = 0, log }: HintProducerOptions): HintProducer {
  const { administration, faults } = kafka
  const producer = createConnectedProducer({ kafka, calls, onDelivery: delivered, log })
  const closing = new AbortController()
  let partitions = { count: 0, readAtMs: -Infinity }
  const growth = createTopicGrowth({ kafka, topic, maxPartitions, onGrown: () => { partitions.readAtMs = -Infinity }, log })

  function delivered (error: { code?: number, message: string } | null, mark: unknown): void {
    if (mark !== proof) endSending(mark as Span, error === null)
    if (error === null) return faults.clear(`write ${topic}`)
    if (isTopicDenied(error)) deny()
    if (mark !== proof) log.warn({ err: error }, 'a job hint was not delivered; recovery will send it again')
  }

  function deny (): void {
    faults.note(`write ${topic}`, `The Kafka brokers do not let this service write to ${topic}: an administrator has to grant it`, [administration.allowWriting([topic])])
    prove()
  }

  let proving: Promise<void> | undefined
  function prove (): void {
    proving ??= (async () => {
      for (let isSent = false; !closing.signal.aborted && (!isSent || faults.find(`write ${topic}`) !== undefined);) {
        isSent = await trySending()
        await sleep(proveAgainMs, undefined, { signal: closing.signal, ref: false }).catch(() => { /* closing */ })
      }
    })().finally(() => { proving = undefined })
  }

  async function trySending (): Promise<boolean> {
    try {
      await partitionCount()
      producer.produce(topic, 0, null, 'proof', proof)
      return true
    } catch (error) {
      if (error instanceof Error && isTopicDenied(error)) deny()
      else log.debug({ err: error, topic }, 'whether hints may be sent is not known yet')
      return false
    }
  }

  const metadata = async (): Promise<Kafka.Metadata> => {
    // That is known without a call, and no reason for others not to make theirs.
    if (!producer.isConnected()) throw unavailable(faults.find('connection') ?? 'Kafka is not reachable')
    const answer = await calls.ask(topic, async () => await producer.metadata(topic, metadataTimeoutMs)
      .catch((error: unknown) => { throw unavailable('Kafka is not reachable', error) }))
    kafka.answered()
    return answer
  }

  const partitionsIn = ({ topics }: Kafka.Metadata): number => topics.find(({ name }) => name === topic)?.partitions.length ?? 0

  let looking: Promise<void> | undefined
  async function partitionCount (): Promise<number> {
    // Who comes while it is looked for waits for the same answer: that there are none yet is none.
    if (performance.now() - partitions.readAtMs > partitionsMaxAgeMs) await (looking ??= look().finally(() => { looking = undefined }))
    if (partitions.count === 0) throw unavailable(`The Kafka topic ${topic} has no partitions yet`)
    return partitions.count
  }

  /** Asking for a topic also makes it, where the broker allows that. It is there a moment later, and so is the connection of a client that has just been made. */
  async function look (): Promise<void> {
    for (const started = performance.now(); !closing.signal.aborted; await sleep(topicPollMs)) {
      const count = producer.isConnected() ? partitionsIn(await metadata()) : 0
      partitions = { count, readAtMs: count > 0 ? performance.now() : -Infinity }
      if (count > 0 || performance.now() > started + topicTimeoutMs) return
      if (producer.isConnected() && performance.now() > started + missedAfterMs) growth.miss()
    }
  }

  return {
    prove,
    async send (number, hint, span = noSpan) {
      const sending = beginSending(span, topic, hint)
      try {
        const count = await partitionCount()
        growth.want(number + 1, count)
        producer.produce(topic, number % count, Buffer.from(JSON.stringify(hint)), hint.vendorId, sending, headersOf(sending))
      } catch (error) {
        endSending(sending, false)
        partitions.readAtMs = -Infinity
        if (error instanceof Error && isTopicDenied(error)) deny()
        log.warn({ err: error, ...hint }, 'a job hint was not sent; recovery will send it again')
      }
    },
    async ping () {
      // Asking for a topic makes it, where the broker allows that, and takes the broker a moment.
      for (const deadline = performance.now() + pingTopicTimeoutMs; ; await sleep(topicPollMs)) {
        if (partitionsIn(await metadata()) > 0) {
          if (faults.find(`write ${topic}`) !== undefined) prove()
          return
        }
        if (performance.now() < deadline) continue
        growth.miss()
        throw unavailable(faults.find(`write ${topic}`) ?? `Kafka has no topic ${topic}`)
      }
    },
    async close () {
      closing.abort()
      await proving
      await growth.close()
      await producer.close()
    }
  }
}
