/** A consumer in a group, as both kinds of ours are: it commits what is done by itself, and polls with `consume(n)`. */
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'

export const pollTimeoutMs = 100
export const reconnectMs = 1_000

export interface GroupConsumerOptions {
  brokers: string
  groupId: string
  log: Logger
  /** How soon partitions are found that the topic has grown by. */
  metadataRefreshMs: number
  onRebalance?: (error: Kafka.LibrdKafkaError, assignments: Kafka.TopicPartition[]) => void
}

export function createGroupConsumer ({ brokers, groupId, log, metadataRefreshMs, onRebalance }: GroupConsumerOptions): Kafka.KafkaConsumer {
  const consumer = new Kafka.KafkaConsumer({
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
  consumer.setDefaultConsumeTimeout(pollTimeoutMs)
  consumer.on('event.error', (error) => { log.warn({ err: error }, 'kafka consumer') })
  return consumer
}

/** One try; null when it succeeded. */
export const tryToConnect = async (consumer: Kafka.KafkaConsumer, topic: string): Promise<Kafka.LibrdKafkaError | null> =>
  await new Promise((resolve) => {
    consumer.connect({ topic, timeout: 5_000 }, (error) => { resolve(error ?? null) })
  })
