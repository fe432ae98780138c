/**
 * A consumer in a group, as both kinds of ours are: it polls all the time, because one that stops polling loses its partitions,
 * and commits what is done by itself. (`consume(n)` and not the flowing mode, whose disconnect can hang.)
 *
 *   open ─▶ connect ─┬─ no broker ──────────────────────────────────────▶ leave ─▶ 1 s later: open
 *                    └─▶ subscribe ─▶ poll ─┬─ new credentials ──────────▶ leave ─▶ open
 *                                           └─ a right is missing for 5 s ▶ leave ─▶ open
 *
 * The last is because librdkafka says once that something may not be read, and never that it may be by now: a client that has
 * partitions and has complained of nothing for 5 s may.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import { isGroupDenied, isTopicDenied, isTopicUnknown } from '../kafka/refusals.js'
import { createBrokerCalls, type BrokerCalls } from './broker-calls.js'
import { createTopicAdmin } from './topic-admin.js'

export interface GroupConsumerOptions {
  kafka: KafkaAccess
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
  /** Assigns and unassigns itself. Default: it is done as librdkafka would. */
  onRebalance?: (client: Kafka.KafkaConsumer, error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]) => void
  /** The group is about to be left, for good or for a new client; it may still commit. */
  beforeLeaving?: () => void
}

export interface GroupConsumer {
  /** The present one; another after credentials have changed. */
  readonly client: Kafka.KafkaConsumer
  /** What is dealt with up to, per partition: the offset of the next message. Not committed for certain; it says so in the log. */
  commit (next: Iterable<readonly [partition: number, offset: number]>): void
  /** Aborted when `close` is called. */
  closing: AbortSignal
  /** Takes no more, and leaves the group. */
  close (): Promise<void>
}

const pollTimeoutMs = 100
const reconnectMs = 1_000
const connectTimeoutMs = 5_000
const deniedMs = 5_000

export function createGroupConsumer (options: GroupConsumerOptions): GroupConsumer {
  const { kafka, calls = createBrokerCalls(), topic, groupId, log, metadataRefreshMs, messagesPerPoll, take, onRebalance = follow, beforeLeaving } = options
  const { administration, faults } = kafka
  const closing = new AbortController()
  /** Aborted when the present client is to make way for another. */
  let leaving = new AbortController()
  /** When it has last been told that something may not be read, and when it was given its partitions. */
  let deniedAtMs: number | undefined
  let assignedAtMs: number | undefined
  const admin = createTopicAdmin(kafka)
  let making: Promise<void> | undefined
  let client = open()
  const unlisten = kafka.onChange(() => { leaving.abort() })
  const running = run()

  function open (): Kafka.KafkaConsumer {
    const opened: Kafka.KafkaConsumer = new Kafka.KafkaConsumer({
      'client.id': 'catalog-worker',
      'session.timeout.ms': 10_000,
      // The embedded broker does not wake a waiting fetch when something arrives; this bounds what that costs.
      'fetch.wait.max.ms': 25,
      ...kafka.settings(),
      'group.id': groupId,
      // One by one: in ranges, vendors with numbers next to each other would all be with one worker where there are more partitions than vendors.
      // A version that knew ranges as well has this in common with us, while processes are replaced.
      'partition.assignment.strategy': 'roundrobin',
      'enable.auto.commit': false,
      'topic.metadata.refresh.interval.ms': metadataRefreshMs,
      rebalance_cb (error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]) {
        assignedAtMs = error.code === Kafka.CODES.ERRORS.ERR__ASSIGN_PARTITIONS ? performance.now() : undefined
        onRebalance(opened, error, assignments)
      }
    }, { 'auto.offset.reset': 'earliest' })
    opened.on('event.error', (error) => { log.debug({ err: error }, 'kafka consumer') })
    return opened
  }

  function follow (opened: Kafka.KafkaConsumer, error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]): void {
    try {
      if (error.code === Kafka.CODES.ERRORS.ERR__ASSIGN_PARTITIONS) opened.assign(assignments)
      else opened.unassign()
    } catch (cause) {
      log.debug({ err: cause }, 'rebalance after close')
    }
  }

  async function run (): Promise<void> {
    for (;;) {
      const detach = kafka.attach(client)
      if (await connect()) await consume()
      detach()
      await leave()
      if (closing.signal.aborted) return
      leaving = new AbortController()
      deniedAtMs = assignedAtMs = undefined
      client = open()
    }
  }

  async function consume (): Promise<void> {
    client.subscribe([topic])
    for (;;) {
      const messages = await poll()
      if (closing.signal.aborted) return
      await take(messages)
      if (leaving.signal.aborted || isDenied()) return
    }
  }

  /** Whether to try with another client; tells whether all is well. */
  function isDenied (): boolean {
    const now = performance.now()
    if (deniedAtMs !== undefined) return now > deniedAtMs + deniedMs
    if (assignedAtMs !== undefined && now > assignedAtMs + deniedMs) for (const what of ['read', 'group'] as const) faults.clear(`${what} ${topic}`)
    return false
  }

  async function leave (): Promise<void> {
    if (!client.isConnected()) return
    beforeLeaving?.()
    await new Promise<void>((resolve) => { client.disconnect(() => { resolve() }) })
  }

  const pause = async (ms: number): Promise<void> => { await sleep(ms, undefined, { signal: closing.signal }).catch(() => { /* closing */ }) }

  async function connect (): Promise<boolean> {
    const error = await calls.inTurn(async () => await new Promise<Kafka.LibrdKafkaError | null>((resolve) => {
      client.connect({ topic, timeout: connectTimeoutMs }, (error) => { resolve(error ?? null) })
    }), closing.signal).catch(() => null /* closing */)
    if (closing.signal.aborted) return false
    if (error === null) return true
    // What stands in the way of it is told by itself, once.
    log[faults.find('connection') === undefined ? 'warn' : 'debug']({ err: error }, 'kafka consumer is not connected; trying again')
    await pause(reconnectMs)
    return false
  }

  /** Waits for one message, and takes with it what has come beside it: node-rdkafka would wait as long after each message for yet another. */
  async function poll (): Promise<Kafka.Message[]> {
    const first = await fetch(1, pollTimeoutMs)
    // An error comes back at once; a quiet poll has waited already.
    if (first === null) await pause(pollTimeoutMs)
    if (first === null || first.length === 0 || messagesPerPoll === 1) return first ?? []
    return [...first, ...await fetch(messagesPerPoll - 1, 0) ?? []]
  }

  /** Null when it failed, and then no message was taken. */
  const fetch = async (count: number, timeoutMs: number): Promise<Kafka.Message[] | null> => await new Promise((resolve) => {
    client.setDefaultConsumeTimeout(timeoutMs)
    client.consume(count, (error: Kafka.LibrdKafkaError | null | undefined, messages) => {
      if (error === null || error === undefined) return resolve(messages)
      log.debug({ err: error }, 'kafka poll')
      noteDenied(error)
      resolve(null)
    })
  })

  function noteDenied (error: Kafka.LibrdKafkaError): void {
    if (isGroupDenied(error)) {
      faults.note(`group ${topic}`, `The Kafka brokers do not let this service read as the group ${groupId}: an administrator has to grant it`, [administration.allowReading([topic])])
    } else if (isTopicDenied(error)) {
      // To who may not even see it brokers do not say whether it is there.
      noteUnreadable(`The Kafka brokers do not let this service read ${topic}, or there is no such topic: an administrator has to grant it`)
    } else if (isTopicUnknown(error)) {
      return makeTopic()
    } else return
    deniedAtMs ??= performance.now()
  }

  const noteUnreadable = (line: string): void => { faults.note(`read ${topic}`, line, [administration.createTopic(topic), administration.allowReading([topic])]) }

  function makeTopic (): void {
    making ??= admin.make(topic).then((what) => { if (what === 'made') log.info({ topic }, 'the topic was made') }, (error: unknown) => {
      log.debug({ err: error, topic }, 'the topic was not made')
      noteUnreadable(`There is no Kafka topic ${topic}, and this service may not make it: an administrator has to`)
      deniedAtMs ??= performance.now()
    }).finally(() => { making = undefined })
  }

  return {
    get client () { return client },
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
    async close () {
      unlisten()
      closing.abort()
      await running
      await making
    }
  }
}
