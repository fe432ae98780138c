import t from 'tap'
import { createHintConsumer } from '../../../src/jobs/kafka-consumer.js'
import { startTestKafka } from '../../support/kafka.js'
import { silent } from '../../support/log.js'

t.test('a consumer that is closed while it connects ends', async (t) => {
  const kafka = await startTestKafka(t)
  const consumer = createHintConsumer({ ...kafka, groupId: 'g', handle: async () => {}, log: silent })
  await consumer.close()
  t.pass('it has ended')
})
