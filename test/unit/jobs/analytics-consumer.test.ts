/** Analytics records over Kafka. */
import { Registry, type Counter } from 'prom-client'
import t from 'tap'
import { createAnalyticsConsumer } from '../../../src/jobs/analytics-consumer.js'
import { testDatabase } from '../../support/database.js'
import { eventually } from '../../support/eventually.js'
import { sendRaw, startTestKafka } from '../../support/kafka.js'
import { silent as log } from '../../support/log.js'

const message = (id: string): Buffer => Buffer.from(JSON.stringify({ kind: 'experts', vendorId: 'acme', record: { id } }))

async function counted (metrics: Registry, outcome: string): Promise<number> {
  const { values } = await (metrics.getSingleMetric('analytics_messages_total') as Counter).get()
  return values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? NaN
}

t.test('messages are written, bad ones are passed by, and a consumer that comes later goes on behind them', async (t) => {
  const { repositories: { analytics } } = await testDatabase(t)
  const kafka = await startTestKafka(t)
  const stored = async (id: string): Promise<boolean> => (await analytics.lookups.experts('acme', [id])).has(id)
  const consume = (metrics: Registry) => createAnalyticsConsumer({ ...kafka, groupId: kafka.topic, writer: analytics.writer, metrics, log })

  await sendRaw(kafka, [message('a'), null, Buffer.from('{'), Buffer.from('{"kind":"nothing"}'), message('b')])
  const firstMetrics = new Registry()
  const first = consume(firstMetrics)
  await eventually('the records behind the bad messages are there', async () => await stored('b'))
  await eventually('all are counted', async () => await counted(firstMetrics, 'written') === 2)
  t.equal(await counted(firstMetrics, 'bad'), 3)
  t.ok(await stored('a'))
  await first.close()

  await sendRaw(kafka, [message('c')])
  const secondMetrics = new Registry()
  const second = consume(secondMetrics)
  await eventually('the next record is there', async () => await stored('c'))
  await eventually('it is counted', async () => await counted(secondMetrics, 'written') > 0)
  t.equal(await counted(secondMetrics, 'written') + await counted(secondMetrics, 'bad'), 1, 'what was committed does not come again')
  await second.close()
})

t.test('a record that could not be written comes again', async (t) => {
  const { repositories: { analytics } } = await testDatabase(t)
  const kafka = await startTestKafka(t)
  await sendRaw(kafka, [message('late')])
  let tries = 0
  const failing = createAnalyticsConsumer({
    ...kafka, groupId: kafka.topic, writer: { write: async () => { tries++; throw new Error('no') } }, metrics: new Registry(), log
  })
  await eventually('writing was tried', () => tries > 0)
  await failing.close()
  const working = createAnalyticsConsumer({ ...kafka, groupId: kafka.topic, writer: analytics.writer, metrics: new Registry(), log })
  await eventually('the record is there', async () => (await analytics.lookups.experts('acme', ['late'])).has('late'))
  await working.close()
})
