import t from 'tap'
import { openClient } from '../../../../src/cli/doctor/kafka-client.js'
import { isTopicUnknown } from '../../../../src/kafka/refusals.js'
import { startEmbeddedKafka } from '../../../../src/embedded/embedded-kafka.js'
import { kafkaAt } from '../../../support/kafka.js'
import { silent } from '../../../support/log.js'

t.test('a topic that is not there is told at once, and not made by asking brokers that make what they are asked for', async (t) => {
  const { brokers, close } = await startEmbeddedKafka({ topics: ['there'], log: silent })
  t.teardown(close)
  const client = openClient(kafkaAt(brokers), silent)
  t.teardown(client.close)
  const { signal } = new AbortController()
  const partitions = async (topic: string): Promise<number> => (await client.metadata(topic, signal)).topics.find(({ name }) => name === topic)?.partitions.length ?? 0
  t.ok(await partitions('there'))
  t.equal(await partitions('missing'), 0)
  await t.rejects(client.send('missing', null).catch((error: Error) => { throw isTopicUnknown(error) ? new Error('there is no such topic') : error }), { message: 'there is no such topic' })
  t.equal(await partitions('missing'), 0)
  await client.send('there', null)
})
