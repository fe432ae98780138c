/** Hints over a real broker: what the embedded one cannot show about order, sharing and loss. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { eventually } from '../support/eventually.js'
import { kafkaOfServices } from '../support/kafka.js'
import { committedHints, consume, newTopic, partitionCount, produce, produceReady, type HintTopic } from './hints.js'

const kafka = await kafkaOfServices()
const never = new Promise<never>(() => {})
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

t.test('hints of a partition come in the order in which they were sent', async (t) => {
  const topic = newTopic(kafka)
  const producer = await produceReady(t, topic)
  const received = new Map<string, string[]>()
  for (const index of numbers(2_000)) await producer.send(index % 8, { vendorId: `v${index % partitionCount}`, jobId: String(index) })
  let count = 0
  consume(t, topic, async ({ vendorId, jobId }) => {
    received.set(vendorId, [...received.get(vendorId) ?? [], jobId])
    count += 1
  })
  await eventually('all hints come', () => count >= 2_000)
  for (const partition of numbers(partitionCount)) {
    t.strictSame(received.get(`v${partition}`), numbers(2_000).filter((index) => index % partitionCount === partition).map(String))
  }
})

t.test('a hint that makes the topic does not wait for recovery', async (t) => {
  const topic = newTopic(kafka)
  const received: string[] = []
  consume(t, topic, async ({ jobId }) => { received.push(jobId) })
  const producer = produce(t, topic)
  await eventually('the producer is connected', async () => await producer.ping().then(() => true, () => false))
  await producer.send(0, { vendorId: 'acme', jobId: 'first' })
  await eventually('the hint comes', () => received.length > 0)
  t.strictSame(received, ['first'])
})

t.test('a hint that is sent at once, as recovery does at start, does not wait for recovery', async (t) => {
  const topic = newTopic(kafka)
  await produceReady(t, topic)
  const received: string[] = []
  consume(t, topic, async ({ jobId }) => { received.push(jobId) })
  await produce(t, topic).send(0, { vendorId: 'acme', jobId: 'first' })
  await eventually('the hint comes', () => received.length > 0)
  t.strictSame(received, ['first'])
})

t.test('what a killed worker had not dealt with comes again, what it had does not', async (t) => {
  const topic = newTopic(kafka)
  const producer = await produceReady(t, topic)
  const committed = await committedHints(t, topic)
  for (const index of numbers(10)) await producer.send(0, { vendorId: 'acme', jobId: String(index) })

  const worker = startWorker(t, topic, 4)
  await eventually('the worker has all hints', () => worker.received.length === 10)
  await eventually('the worker has committed the four', async () => await committed() === 4)
  await worker.kill9()

  const again: string[] = []
  consume(t, topic, async ({ jobId }) => { again.push(jobId) })
  await eventually('the others come again', () => again.length >= 6)
  await eventually('all are committed', async () => await committed() === 10)
  t.strictSame(again, ['4', '5', '6', '7', '8', '9'])
})

t.test('a second worker takes its share of the partitions, and gives it back', async (t) => {
  const topic = newTopic(kafka)
  const producer = await produceReady(t, topic)
  const rounds = new Map<string, Set<'first' | 'second'>>()
  const note = (who: 'first' | 'second') => async ({ jobId }: { jobId: string }): Promise<void> => {
    rounds.set(jobId, new Set([...rounds.get(jobId) ?? [], who]))
  }
  /** One hint to each partition; who got them? */
  let round = 0
  const askAround = async (): Promise<string> => {
    const ids = numbers(partitionCount).map((partition) => `${round}.${partition}`)
    round += 1
    for (const [partition, jobId] of ids.entries()) await producer.send(partition, { vendorId: 'acme', jobId })
    return await eventually('a round of hints comes', () => ids.every((id) => rounds.has(id)) &&
      [...new Set(ids.flatMap((id) => [...rounds.get(id) ?? []]))].sort().join(' and '))
  }
  consume(t, topic, note('first'))
  t.equal(await askAround(), 'first')
  const second = consume(t, topic, note('second'))
  await eventually('both get hints', async () => await askAround() === 'first and second')
  await second.close()
  t.equal(await askAround(), 'first')
})

t.test('a worker with unread and unfinished hints closes at once', { timeout: 60_000 }, async (t) => {
  for (const attempt of numbers(3)) {
    const topic = newTopic(kafka)
    const producer = await produceReady(t, topic)
    for (const index of numbers(5_000)) await producer.send(index, { vendorId: 'acme', jobId: String(index) })
    let received = 0
    const consumer = consume(t, topic, async () => {
      received += 1
      await never
    })
    await eventually('hints come', () => received > 0)
    const started = performance.now()
    await consumer.close()
    t.ok(performance.now() - started < 10_000, `attempt ${attempt}`)
  }
})

interface KillableWorker {
  received: readonly string[]
  kill9 (): Promise<void>
}

function startWorker (t: Parameters<typeof consume>[0], { topic }: HintTopic, count: number): KillableWorker {
  const program = fileURLToPath(new URL('hint-worker.js', import.meta.url))
  const child = spawn(process.execPath, [program, topic, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const received: string[] = []
  createInterface(child.stdout).on('line', (line) => { received.push(line) })
  const kill9 = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill9)
  return { received, kill9 }
}
