/** Analytics records over Kafka. */
import pino from 'pino'
import t from 'tap'
import { createAnalyticsConsumer } from '../../../src/jobs/analytics-consumer.js'
import { testDatabase } from '../../support/database.js'
import { eventually } from '../../support/eventually.js'
import { sendRaw, startTestKafka } from '../../support/kafka.js'

const log = pino({ level: 'silent' })
const message = (id: string): Buffer => Buffer.from(JSON.stringify({ kind: 'experts', vendorId: 'acme', record: { id } }))

t.test('messages are written, bad ones are passed by, and a consumer that comes later goes on behind them', async (t) => {
  const { repositories: { analytics } } = await testDatabase(t)
  const kafka = await startTestKafka(t)
  const stored = async (id: string): Promise<boolean> => (await analytics.lookups.experts('acme', [id])).has(id)
  const consume = (writer = analytics.writer) => createAnalyticsConsumer({ brokers: kafka.brokers, topic: kafka.topic, groupId: kafka.topic, writer, log })

  await sendRaw(kafka, [message('a'), null, Buffer.from('{'), Buffer.from('{"kind":"nothing"}'), message('b')])
  const first = consume()
  await eventually('the records behind the bad messages are there', async () => await stored('b'))
  await eventually('all are counted', () => first.counts.messages === 5)
  t.strictSame(first.counts, { messages: 5, bad: 3 })
  t.ok(await stored('a'))
  await first.close()

  await sendRaw(kafka, [message('c')])
  const second = consume()
  await eventually('the next record is there', async () => await stored('c'))
  await eventually('it is counted', () => second.counts.messages > 0)
  t.strictSame(second.counts, { messages: 1, bad: 0 })
  await second.close()
})

t.test('a record that could not be written comes again', async (t) => {
  const { repositories: { analytics } } = await testDatabase(t)
  const kafka = await startTestKafka(t)
  await sendRaw(kafka, [message('late')])
  let tries = 0
  const failing = createAnalyticsConsumer({
    brokers: kafka.brokers, topic: kafka.topic, groupId: kafka.topic, writer: { write: async () => { tries++; throw new Error('no') } }, log
  })
  await eventually('writing was tried', () => tries > 0)
  await failing.close()
  const working = createAnalyticsConsumer({ brokers: kafka.brokers, topic: kafka.topic, groupId: kafka.topic, writer: analytics.writer, log })
  await eventually('the record is there', async () => (await analytics.lookups.experts('acme', ['late'])).has('late'))
  await working.close()
})
