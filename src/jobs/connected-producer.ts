/**
 * A producer that is always being connected: it tries until a broker answers, and is made anew when credentials have changed. The client looks after its
 * connections once it has had one; until then it gives up after a time, and a new one takes its place.
 */
import Kafka from 'node-rdkafka'
import type { Logger } from 'pino'
import type { ClientSettings, KafkaAccess } from '../kafka/kafka-access.js'
import type { BrokerCalls } from './broker-calls.js'

export interface ConnectedProducerOptions {
  kafka: KafkaAccess
  calls: BrokerCalls
  /** In place of the client's usual ones. */
  settings?: ClientSettings
  /** `mark` is what was given to `produce`. */
  onDelivery: (error: { code?: number, message: string } | null, mark: unknown) => void
  log: Logger
}

export interface ConnectedProducer {
  isConnected (): boolean
  /** Throws node-rdkafka's error when the message cannot even be queued. */
  produce (topic: string, partition: number, message: Buffer | null, key: string, mark?: unknown, headers?: Kafka.MessageHeader[]): void
  metadata (topic: string, timeoutMs: number): Promise<Kafka.Metadata>
  close (): Promise<void>
}

const reconnectMs = 1_000
const connectTimeoutMs = 5_000
const flushMs = 5_000
/** A message that could not be delivered by then is sent again by recovery. */
const messageTimeoutMs = 60_000

interface Current { producer: Kafka.Producer, retire: () => Promise<void> }

export function createConnectedProducer ({ kafka, calls, settings = {}, onDelivery, log }: ConnectedProducerOptions): ConnectedProducer {
  let current = open()
  const unlisten = kafka.onChange(() => {
    const former = current
    current = open()
    former.retire().catch((error: unknown) => { log.debug({ err: error }, 'a former producer was not put away') })
  })

  function open (): Current {
    const producer = new Kafka.Producer({
      'client.id': 'catalog-api',
      // A hint is rare and somebody waits for it: there is nothing to be gathered with it.
      'linger.ms': 0,
      ...kafka.settings(),
      ...settings,
      dr_cb: true
    }, { 'message.timeout.ms': messageTimeoutMs })
    producer.setPollInterval(100)
    producer.on('event.error', (error) => { log.debug({ err: error }, 'kafka producer') })
    producer.on('delivery-report', (error: Kafka.LibrdKafkaError | null, report) => { onDelivery(error, (report as { opaque?: unknown }).opaque) })
    const detach = kafka.attach(producer)
    const stopping = new AbortController()
    let retry: NodeJS.Timeout | undefined
    calls.inTurn(async () => await new Promise<Kafka.LibrdKafkaError | null>((resolve) => {
      producer.connect({ timeout: connectTimeoutMs }, (error) => { resolve(error ?? null) })
    }), stopping.signal).then((error) => {
      if (error === null) {
        if (stopping.signal.aborted) producer.disconnect()
        return
      }
      // What stands in the way of it is told by itself, once.
      log[kafka.faults.find('connection') === undefined ? 'warn' : 'debug']({ err: error }, 'kafka producer is not connected; trying again')
      if (stopping.signal.aborted) return
      retry = setTimeout(() => {
        detach()
        current = open()
      }, reconnectMs).unref()
    }, () => { /* stopped */ })
    return {
      producer,
      async retire () {
        stopping.abort()
        clearTimeout(retry)
        if (producer.isConnected()) {
          await new Promise<void>((resolve) => {
            producer.setPollInterval(0)
            producer.disconnect(flushMs, () => { resolve() })
          })
        }
        detach()
      }
    }
  }

  return {
    isConnected: () => current.producer.isConnected(),
    produce (topic, partition, message, key, mark, headers) { current.producer.produce(topic, partition, message, key, undefined, mark, headers) },
    metadata: async (topic, timeoutMs) => await new Promise((resolve, reject) => {
      current.producer.getMetadata({ topic, allTopics: false, timeout: timeoutMs }, (error, data) => {
        if (error === null || error === undefined) resolve(data)
        else reject(new Error(error.message, { cause: error }))
      })
    }),
    async close () {
      unlisten()
      await current.retire()
    }
  }
}
