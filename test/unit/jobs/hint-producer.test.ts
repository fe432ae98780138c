import Kafka from 'node-rdkafka'
import t, { type Test } from 'tap'
import { createBrokerCalls } from '../../../src/jobs/broker-calls.js'
import { createHintProducer } from '../../../src/jobs/kafka-producer.js'
import { silent } from '../../support/log.js'
import { kafkaAt } from '../../support/kafka.js'

/** A client that has been connected, of a broker that has gone. Gives the calls that wait for it, for the test to end. */
function brokerAway (t: Test): Array<() => void> {
  const waiting: Array<() => void> = []
  const replace = (name: string, method: unknown): void => {
    const prototype = Kafka.Producer.prototype as unknown as Record<string, unknown>
    prototype[name] = method
    t.teardown(() => { Reflect.deleteProperty(prototype, name) })
  }
  replace('connect', (_options: unknown, callback: (error: null) => void) => { callback(null) })
  replace('isConnected', () => true)
  replace('disconnect', (_timeoutMs: number, callback: () => void) => { callback() })
  replace('getMetadata', (_options: unknown, callback: (error: Error) => void) => { waiting.push(() => { callback(new Error('timed out')) }) })
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
