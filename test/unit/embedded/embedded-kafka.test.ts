import { connect } from 'node:net'
import { once } from 'node:events'
import Kafka from 'node-rdkafka'
import t from 'tap'
import { startEmbeddedKafka } from '../../../src/embedded/embedded-kafka.js'
import { silent as log } from '../../support/log.js'

async function topicsAt (brokers: string): Promise<Map<string, number>> {
  const client = new Kafka.Producer({ 'metadata.broker.list': brokers })
  await new Promise((resolve) => client.connect({ timeout: 5_000 }, resolve))
  const metadata = await new Promise<Kafka.Metadata>((resolve) => {
    client.getMetadata({ timeout: 5_000 }, (_error, answer) => { resolve(answer) })
  })
  await new Promise((resolve) => client.disconnect(resolve))
  return new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]))
}

t.test('the topics are there, with partitions, for any client that gets the address', async (t) => {
  const kafka = await startEmbeddedKafka({ topics: ['catalog.product-imports', 'catalog.analytics-records'], log })
  t.teardown(async () => { await kafka.close() })
  t.strictSame(await topicsAt(kafka.brokers), new Map([['catalog.product-imports', 4], ['catalog.analytics-records', 4]]))
})

t.test('it listens on loopback', async (t) => {
  const kafka = await startEmbeddedKafka({ topics: [], log })
  t.teardown(async () => { await kafka.close() })
  t.match(kafka.brokers, /^127\.0\.0\.1:\d+$/)
})

t.test('two brokers in one process do not share topics', async (t) => {
  const [one, other] = await Promise.all(['a', 'b'].map(async (topic) => await startEmbeddedKafka({ topics: [topic], log })))
  if (one === undefined || other === undefined) return t.fail('not started')
  t.teardown(async () => { await Promise.all([one.close(), other.close()]) })
  t.strictSame([...(await topicsAt(one.brokers)).keys()], ['a'])
  t.strictSame([...(await topicsAt(other.brokers)).keys()], ['b'])
})

t.test('after close() nothing listens any more, and closing again does nothing', async (t) => {
  const kafka = await startEmbeddedKafka({ topics: ['a'], log })
  await kafka.close()
  await kafka.close()
  const [host, port] = kafka.brokers.split(':')
  await t.rejects(once(connect({ host: host ?? '', port: Number(port) }), 'connect'), { code: 'ECONNREFUSED' })
})
