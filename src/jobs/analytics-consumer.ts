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
import { loadAnalyticsMessages } from '../../pipelines/analytics-load.js'
import { maxLineBytes } from '../domain/line-markers.js'
import { wordFault } from '../domain/issue.js'
import type { AnalyticsWriter } from '../store/analytics/analytics-writer.js'
import { createPatience } from '../store/while-away.js'
import { createGroupConsumer, pollTimeoutMs, reconnectMs, tryToConnect } from './kafka-group.js'

export interface AnalyticsConsumerOptions {
  brokers: string
  topic: string
  groupId: string
  writer: AnalyticsWriter
  log: Logger
}

export interface AnalyticsConsumer {
  /** Since the start. */
  counts: { messages: number, bad: number }
  /** The batch in hand is finished and committed. */
  close (): Promise<void>
}

/** As a batch of a file. */
const messagesPerBatch = 500
/** When writing fails for another reason than a database that is away. */
const retryMs = 5_000
const toldPerBatch = 10

export function createAnalyticsConsumer ({ brokers, topic, groupId, writer, log }: AnalyticsConsumerOptions): AnalyticsConsumer {
  const consumer = createGroupConsumer({ brokers, groupId, log, metadataRefreshMs: 5_000 })

  const counts = { messages: 0, bad: 0 }
  const closing = new AbortController()
  const running = run()

  async function run (): Promise<void> {
    while (!closing.signal.aborted && !await connect()) await sleep(reconnectMs, undefined, { signal: closing.signal }).catch(() => {})
    if (closing.signal.aborted) return
    consumer.subscribe([topic])
    while (!closing.signal.aborted) {
      const messages = await poll()
      if (messages.length > 0) await settle(messages)
    }
  }

  async function connect (): Promise<boolean> {
    const error = await tryToConnect(consumer, topic)
    if (error !== null) log.warn({ err: error }, 'kafka consumer is not connected; trying again')
    return error === null
  }

  async function poll (): Promise<Kafka.Message[]> {
    return await new Promise((resolve) => {
      consumer.consume(messagesPerBatch, (error, messages) => {
        if (error === null || error === undefined) return resolve(messages)
        log.debug({ err: error }, 'kafka poll')
        // An error comes back at once.
        setTimeout(() => { resolve([]) }, pollTimeoutMs)
      })
    })
  }

  /** Ends when the batch is written and committed, or on closing; then the messages come again, here or elsewhere. */
  async function settle (messages: Kafka.Message[]): Promise<void> {
    const texts = messages.map(({ value }) => value === null || value.length > maxLineBytes ? '' : value.toString())
    const patience = createPatience(closing.signal, log)
    for (;;) {
      try {
        const bad = await patience(async () => await loadAnalyticsMessages(texts, writer))
        counts.messages += messages.length
        counts.bad += bad.length
        for (const { index, faults } of bad.slice(0, toldPerBatch)) {
          const { partition, offset } = messages[index] as Kafka.Message
          log.warn({ topic, partition, offset, fault: faults.map((fault) => wordFault(fault)).join('; ') }, 'a message that holds no analytics record was passed by')
        }
        if (bad.length > 0) log.warn({ topic, inBatch: bad.length, sinceStart: counts.bad }, 'bad analytics messages')
        return commit(messages)
      } catch (error) {
        if (closing.signal.aborted) return
        log.error({ err: error }, 'analytics records were not written; trying again')
        await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {})
        if (closing.signal.aborted) return
      }
    }
  }

  function commit (messages: Kafka.Message[]): void {
    const next = new Map<number, number>()
    for (const { partition, offset } of messages) next.set(partition, offset + 1)
    try {
      consumer.commit([...next].map(([partition, offset]) => ({ topic, partition, offset })))
    } catch (error) {
      log.debug({ err: error }, 'offsets not committed; the records will come again')
    }
  }

  return {
    counts,
    async close () {
      closing.abort()
      await running
      if (consumer.isConnected()) await new Promise<void>((resolve) => { consumer.disconnect(() => { resolve() }) })
    }
  }
}
