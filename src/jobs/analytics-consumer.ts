/**
 * Reads analytics records from Kafka and has them written, a batch at a time: poll → write → commit → poll.
 *
 * At least once: offsets are committed after the records and what is derived from them are durable, and writing them again
 * changes nothing. A message that holds no good record is logged, counted and passed by, because it would be none the next
 * time either. While the database is away the batch in hand is tried until it is back; should the group meanwhile give the
 * partitions to another consumer, that one writes the same records.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import { loadAnalyticsMessages } from '../../pipelines/analytics-load.js'
import { maxLineBytes } from '../domain/line-markers.js'
import { wordFault } from '../domain/issue.js'
import type { AnalyticsWriter } from '../store/analytics/analytics-writer.js'
import { createPatience } from '../store/database/while-away.js'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import type { BrokerCalls } from './broker-calls.js'
import { createGroupConsumer } from './kafka-group.js'

export interface AnalyticsConsumerOptions {
  kafka: KafkaAccess
  calls?: BrokerCalls | undefined
  topic: string
  groupId: string
  writer: AnalyticsWriter
  metrics: Registry
  log: Logger
}

export interface AnalyticsConsumer {
  /** The batch in hand is finished and committed. */
  close (): Promise<void>
}

/** As a batch of a file. */
const messagesPerBatch = 500
/** When writing fails for another reason than a database that is away. */
const retryMs = 5_000
const toldPerBatch = 10

export function createAnalyticsConsumer ({ kafka, calls, topic, groupId, writer, metrics, log }: AnalyticsConsumerOptions): AnalyticsConsumer {
  const messagesTotal = new Counter({
    name: 'analytics_messages_total',
    help: 'Messages with analytics records that were dealt with: written, or bad and passed by',
    labelNames: ['outcome'],
    registers: [metrics]
  })
  for (const outcome of ['written', 'bad']) messagesTotal.inc({ outcome }, 0)
  const group = createGroupConsumer({
    kafka,
    calls,
    topic,
    groupId,
    log,
    metadataRefreshMs: 5_000,
    messagesPerPoll: messagesPerBatch,
    take: async (messages) => { if (messages.length > 0) await settle(messages) }
  })
  const { closing } = group

  /** Ends when the batch is written and committed, or on closing; then the messages come again, here or elsewhere. */
  async function settle (messages: Kafka.Message[]): Promise<void> {
    const texts = messages.map(({ value }) => value === null || value.length > maxLineBytes ? '' : value.toString())
    const patience = createPatience(closing, log)
    for (;;) {
      try {
        const bad = await patience(async () => await loadAnalyticsMessages(texts, writer))
        messagesTotal.inc({ outcome: 'written' }, messages.length - bad.length)
        messagesTotal.inc({ outcome: 'bad' }, bad.length)
        for (const { index, faults } of bad.slice(0, toldPerBatch)) {
          const { partition, offset } = messages[index] as Kafka.Message
          log.warn({ topic, partition, offset, fault: faults.map((fault) => wordFault(fault)).join('; ') }, 'a message that holds no analytics record was passed by')
        }
        if (bad.length > 0) log.warn({ topic, count: bad.length }, 'bad analytics messages')
        return commit(messages)
      } catch (error) {
        if (closing.aborted) return
        log.error({ err: error }, 'analytics records were not written; trying again')
        await sleep(retryMs, undefined, { signal: closing }).catch(() => {})
        if (closing.aborted) return
      }
    }
  }

  function commit (messages: Kafka.Message[]): void {
    const next = new Map<number, number>()
    for (const { partition, offset } of messages) next.set(partition, offset + 1)
    group.commit(next)
  }

  return { close: group.close }
}
