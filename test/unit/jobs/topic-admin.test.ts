import Kafka from 'node-rdkafka'
import t, { type Test } from 'tap'
import { createTopicAdmin } from '../../../src/jobs/topic-admin.js'
import { kafkaAt } from '../../support/kafka.js'

interface Wanted { topic: string, num_partitions: number, replication_factor: number }

/** Brokers that answer each request for a topic with that code; gives what they are asked for. */
function brokersAnswer (t: Test, code: number | null): Wanted[] {
  const asked: Wanted[] = []
  const { create } = Kafka.AdminClient
  const client = {
    createTopic (wanted: Wanted, _timeoutMs: number, done: (error: unknown) => void) {
      asked.push(wanted)
      done(code === null ? null : Object.assign(new Error(`code ${code}`), { code }))
    },
    disconnect () {}
  }
  Kafka.AdminClient.create = () => client as unknown as Kafka.IAdminClient
  t.teardown(() => { Kafka.AdminClient.create = create })
  return asked
}

const mayMake = async (): Promise<boolean> => await createTopicAdmin(kafkaAt('127.0.0.1:9')).mayMake('a')

t.test('who may make a topic is refused nothing but the replicas that no cluster has', async (t) => {
  const asked = brokersAnswer(t, 38)
  t.equal(await mayMake(), true)
  t.strictSame(asked, [{ topic: 'a', num_partitions: -1, replication_factor: 10_000 }])
})

for (const [code, what] of [[36, 'a topic that is there'], [44, 'a policy on replicas']] as const) {
  t.test(`${what} is no lack of the right`, async (t) => {
    brokersAnswer(t, code)
    t.equal(await mayMake(), true)
  })
}

for (const code of [29, 31]) {
  t.test(`who is not authorized may not make it (${code})`, async (t) => {
    brokersAnswer(t, code)
    t.equal(await mayMake(), false)
  })
}

t.test('what else the brokers say does not answer the question', async (t) => {
  brokersAnswer(t, -185)
  await t.rejects(mayMake(), { code: -185 })
})
