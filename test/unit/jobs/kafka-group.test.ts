import { EventEmitter } from 'node:events'
import Kafka from 'node-rdkafka'
import t, { type Test } from 'tap'
import { createGroupConsumer } from '../../../src/jobs/kafka-group.js'
import { eventually } from '../../support/eventually.js'
import { kafkaAt } from '../../support/kafka.js'
import { silent } from '../../support/log.js'

interface Asked { count: number, timeoutMs: number }

/**
 * In the place of node-rdkafka's consumer for as long as a test runs. Answers as that does: at once where it has as many messages as are asked for, and otherwise when the timeout has passed
 * without another, here told and not waited for.
 */
function withMessages (t: Test, there: string[]): { asked: Asked[], waitedMs: () => number } {
  const asked: Asked[] = []
  let [timeoutMs, waitedMs] = [0, 0]
  class Consumer extends EventEmitter {
    connect (_options: object, done: (error: null) => void): void { setImmediate(done, null) }
    subscribe (): void {}
    isConnected (): boolean { return true }
    disconnect (done: () => void): void { setImmediate(done) }
    setDefaultConsumeTimeout (ms: number): void { timeoutMs = ms }
    consume (count: number, done: (error: null, messages: Kafka.Message[]) => void): void {
      const messages = there.splice(0, count).map((value) => ({ value: Buffer.from(value) }) as Kafka.Message)
      asked.push({ count, timeoutMs })
      if (messages.length < count) waitedMs += timeoutMs
      setTimeout(done, messages.length === 0 ? 5 : 0, null, messages)
    }
  }
  const { KafkaConsumer } = Kafka
  Object.assign(Kafka, { KafkaConsumer: Consumer })
  t.teardown(() => { Object.assign(Kafka, { KafkaConsumer }) })
  return { asked, waitedMs: () => waitedMs }
}

/** What the first poll that found something has taken, and for how long it waited. */
async function firstTaken (t: Test, there: string[], messagesPerPoll: number): Promise<{ taken: string[], waitedMs: number, asked: Asked[] }> {
  const consumer = withMessages(t, there)
  const kafka = kafkaAt('127.0.0.1:1')
  let first: { taken: string[], waitedMs: number, asked: Asked[] } | undefined
  const group = createGroupConsumer({
    kafka,
    topic: 'hints',
    groupId: 'workers',
    log: silent,
    metadataRefreshMs: 2_000,
    messagesPerPoll,
    take (messages) { first ??= { taken: messages.map(({ value }) => String(value)), waitedMs: consumer.waitedMs(), asked: [...consumer.asked] } }
  })
  const found = await eventually('something is taken', () => first)
  await group.close()
  kafka.close()
  return found
}

t.test('a message that is there is taken at once: nothing is waited for beside it', async (t) => {
  const { taken, waitedMs, asked } = await firstTaken(t, ['a'], 100)
  t.strictSame(taken, ['a'])
  t.equal(waitedMs, 0)
  t.match(asked, [{ count: 1, timeoutMs: 100 }, { count: 99, timeoutMs: 0 }], 'one is waited for, and no other')
})

t.test('what has come beside it is taken with it, as many as fit', async (t) => {
  const { taken, waitedMs } = await firstTaken(t, ['a', 'b', 'c', 'd'], 3)
  t.strictSame(taken, ['a', 'b', 'c'])
  t.equal(waitedMs, 0)
})

t.test('who takes one at a time asks for no others', async (t) => {
  const { taken, asked } = await firstTaken(t, ['a', 'b'], 1)
  t.strictSame(taken, ['a'])
  t.match(asked, [{ count: 1, timeoutMs: 100 }])
  t.equal(asked.length, 1)
})
