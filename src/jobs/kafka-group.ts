/**
 * A consumer in a group, as both kinds of ours are: it polls all the time, because one that stops polling loses its partitions,
 * and commits what is done by itself. (`consume(n)` and not the flowing mode, whose disconnect can hang.)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { createBrokerCalls, type BrokerCalls } from './broker-calls.js'

export interface GroupConsumerOptions {
  brokers: string
  /** Shared by all clients of a process. */
  calls?: BrokerCalls | undefined
  topic: string
  groupId: string
  log: Logger
  /** How soon partitions are found that the topic has grown by. */
  metadataRefreshMs: number
  messagesPerPoll: number
  /** Called for each poll's messages, an empty poll's too; the next poll is made when it resolves. */
  take: (messages: Kafka.Message[]) => Promise<void> | void
  onRebalance?: (error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]) => void
}

export interface GroupConsumer {
  client: Kafka.KafkaConsumer
  /** What is dealt with up to, per partition: the offset of the next message. Not committed for certain; it says so in the log. */
  commit (next: Iterable<readonly [partition: number, offset: number]>): void
  /** Aborted when `close` is called. */
  closing: AbortSignal
  /** Takes no more; then `last`, which may still commit; then leaves the group. */
  close (last?: () => void): Promise<void>
}

const pollTimeoutMs = 100
const reconnectMs = 1_000
const connectTimeoutMs = 5_000

export function createGroupConsumer (options: GroupConsumerOptions): GroupConsumer {
  const { brokers, calls = createBrokerCalls(), topic, groupId, log, metadataRefreshMs, messagesPerPoll, take, onRebalance } = options
  const client = new Kafka.KafkaConsumer({
    'metadata.broker.list': brokers,
    'client.id': 'catalog-worker',
    'group.id': groupId,
    'enable.auto.commit': false,
    'socket.keepalive.enable': true,
    'session.timeout.ms': 10_000,
    'topic.metadata.refresh.interval.ms': metadataRefreshMs,
    // The embedded broker does not wake a waiting fetch when something arrives; this bounds what that costs.
    'fetch.wait.max.ms': 25,
    ...onRebalance === undefined ? {} : { rebalance_cb: onRebalance }
  }, { 'auto.offset.reset': 'earliest' })
  client.on('event.error', (error) => { log.warn({ err: error }, 'kafka consumer') })
  const closing = new AbortController()
  const running = run()

  async function run (): Promise<void> {
    while (!closing.signal.aborted && !await connect()) await pause(reconnectMs)
    if (closing.signal.aborted) return
    client.subscribe([topic])
    for (;;) {
      const messages = await poll()
      if (closing.signal.aborted) return
      await take(messages)
    }
  }

  const pause = async (ms: number): Promise<void> => { await sleep(ms, undefined, { signal: closing.signal }).catch(() => { /* closing */ }) }

  async function connect (): Promise<boolean> {
    const error = await calls.inTurn(async () => await new Promise<Kafka.LibrdKafkaError | null>((resolve) => {
      client.connect({ topic, timeout: connectTimeoutMs }, (error) => { resolve(error ?? null) })
    }), closing.signal).catch(() => null /* closing */)
    if (error !== null) log.warn({ err: error }, 'kafka consumer is not connected; trying again')
    return error === null
  }

  /** Waits for one message, and takes with it what has come beside it: node-rdkafka would wait as long after each message for yet another. */
  async function poll (): Promise<Kafka.Message[]> {
    const first = await consume(1, pollTimeoutMs)
    // An error comes back at once; a quiet poll has waited already.
    if (first === null) await pause(pollTimeoutMs)
    if (first === null || first.length === 0 || messagesPerPoll === 1) return first ?? []
    return [...first, ...await consume(messagesPerPoll - 1, 0) ?? []]
  }

  /** Null when it failed, and then no message was taken. */
  const consume = async (count: number, timeoutMs: number): Promise<Kafka.Message[] | null> => await new Promise((resolve) => {
    client.setDefaultConsumeTimeout(timeoutMs)
    client.consume(count, (error, messages) => {
      if (error === null || error === undefined) return resolve(messages)
      log.debug({ err: error }, 'kafka poll')
      resolve(null)
    })
  })

  return {
    client,
    closing: closing.signal,
    commit (next) {
      const offsets = Array.from(next, ([partition, offset]) => ({ topic, partition, offset }))
      if (offsets.length === 0) return
      try {
        client.commit(offsets)
      } catch (error) {
        log.debug({ err: error }, 'offsets not committed; the messages will come again')
      }
    },
    async close (last) {
      closing.abort()
      await running
      if (!client.isConnected()) return
      last?.()
      await new Promise<void>((resolve) => { client.disconnect(() => { resolve() }) })
    }
  }
}
