import Kafka from 'node-rdkafka'
import t, { type Test } from 'tap'
import { createBrokerCalls } from '../../../src/jobs/broker-calls.js'
import { createHintProducer } from '../../../src/jobs/kafka-producer.js'
import { eventually } from '../../support/eventually.js'
import { silent } from '../../support/log.js'
import { kafkaAt } from '../../support/kafka.js'

/** A client that has been connected, whose broker is asked for topics by `getMetadata`. */
function connectedClient (t: Test, getMetadata: (options: { topic: string }, callback: (error: Error | null, metadata?: unknown) => void) => void): void {
  const replace = (name: string, method: unknown): void => {
    const prototype = Kafka.Producer.prototype as unknown as Record<string, unknown>
    prototype[name] = method
    t.teardown(() => { Reflect.deleteProperty(prototype, name) })
  }
  replace('connect', (_options: unknown, callback: (error: null) => void) => { callback(null) })
  replace('isConnected', () => true)
  replace('disconnect', (_timeoutMs: number, callback: () => void) => { callback() })
  replace('getMetadata', getMetadata)
}

/** Of a broker that has gone. Gives the calls that wait for it, for the test to end. */
function brokerAway (t: Test): Array<() => void> {
  const waiting: Array<() => void> = []
  connectedClient(t, (_options, callback) => { waiting.push(() => { callback(new Error('timed out')) }) })
  return waiting
}

t.test('however much is sent and looked after while the broker is away, one call waits for it, and then none', async (t) => {
  const waiting = brokerAway(t)
  const calls = createBrokerCalls()
  const producers = ['imports', 'conversions'].map((topic) => createHintProducer({ kafka: kafkaAt('127.0.0.1:9'), topic, calls, log: silent }))
  const all = async (): Promise<void> => {
    await Promise.all(producers.flatMap((producer) => [
      t.rejects(producer.ping(), { code: 'SERVICE_UNAVAILABLE', message: 'Kafka is not reachable' }),
      ...[1, 2, 3].map(async (number) => { await producer.send(number, { vendorId: 'acme', jobId: String(number) }) })
    ]))
  }
  const asked = all()
  await new Promise(setImmediate)
  t.equal(waiting.length, 1)
  waiting[0]?.()
  await asked
  await all()
  t.equal(waiting.length, 1)
  for (const { close } of producers) await close()
})

t.test('a hint that is sent while another look-up finds that the topic is just being made waits for it, and is sent', async (t) => {
  let isAsked = false
  let isMade = false
  connectedClient(t, ({ topic }, callback) => {
    isAsked = true
    setImmediate(() => { callback(null, { topics: [{ name: topic, partitions: isMade ? [{ id: 0 }] : [] }] }) })
  })
  const sent: string[] = []
  const prototype = Kafka.Producer.prototype as unknown as { produce?: unknown }
  prototype.produce = (_topic: string, _partition: number, _message: unknown, key: string) => { sent.push(key) }
  t.teardown(() => { Reflect.deleteProperty(prototype, 'produce') })
  const producer = createHintProducer({ kafka: kafkaAt('127.0.0.1:9'), topic: 'new', log: silent })
  producer.prove()
  await eventually('it has looked', () => isAsked)
  const sending = producer.send(0, { vendorId: 'acme', jobId: 'first' })
  isMade = true
  await sending
  t.ok(sent.includes('acme'))
  await producer.close()
})
