import Kafka from 'node-rdkafka'
import t from 'tap'
import { createHintConsumer, type Hint } from '../../../src/jobs/kafka-consumer.js'
import { createHintProducer } from '../../../src/jobs/kafka-producer.js'
import { eventually } from '../../support/eventually.js'
import { sendRaw, startTestKafka } from '../../support/kafka.js'
import { silent } from '../../support/log.js'
import { recordingTracer } from '../../support/recorded-spans.js'

t.test('a consumer that is closed while it connects ends', async (t) => {
  const kafka = await startTestKafka(t)
  const consumer = createHintConsumer({ ...kafka, groupId: 'g', handle: async () => {}, log: silent })
  await consumer.close()
  t.pass('it has ended')
})

t.test('a hint that cannot be dealt with does not hold up the others: its offset and theirs are committed', async (t) => {
  const kafka = await startTestKafka(t)
  const hint = (jobId: string): Buffer => Buffer.from(JSON.stringify({ vendorId: 'acme', jobId }))
  const received: string[] = []
  const consume = () => createHintConsumer({
    ...kafka,
    groupId: kafka.topic,
    handle: async ({ jobId }) => {
      received.push(jobId)
      if (jobId === 'breaks') throw new Error('too busy')
    },
    log: silent
  })
  await sendRaw(kafka, [hint('breaks'), hint('fine')])
  const first = consume()
  await eventually('both come', () => received.length === 2, 30_000)
  await first.close()
  await sendRaw(kafka, [hint('new')])
  const second = consume()
  t.teardown(async () => { await second.close() })
  await eventually('the new one comes', () => received.includes('new'), 30_000)
  t.strictSame(received, ['breaks', 'fine', 'new'])
})

t.test('a hint that was in hand when the process closed comes again', async (t) => {
  const kafka = await startTestKafka(t)
  const received: string[] = []
  let stop: (error: Error) => void = () => {}
  const consume = () => createHintConsumer({
    ...kafka,
    groupId: kafka.topic,
    handle: async ({ jobId }) => {
      received.push(jobId)
      await new Promise((_resolve, reject) => { stop = reject })
    },
    log: silent
  })
  await sendRaw(kafka, [Buffer.from(JSON.stringify({ vendorId: 'acme', jobId: 'long' }))])
  const first = consume()
  await eventually('it comes', () => received.length === 1, 30_000)
  first.pause()
  stop(new Error('shutting down'))
  await first.close()
  const second = consume()
  t.teardown(async () => { await second.close() })
  await eventually('it comes again', () => received.length === 2, 30_000)
  t.strictSame(received, ['long', 'long'])
})

t.test('a broker without the topic, which makes none, is not ready', async (t) => {
  const kafka = await startTestKafka(t)
  const producer = createHintProducer({ ...kafka, log: silent })
  t.teardown(async () => { await producer.close() })
  await eventually('the producer is ready', async () => await producer.ping().then(() => true, () => false), 20_000)
  const prototype = Kafka.Producer.prototype as unknown as { getMetadata?: unknown }
  prototype.getMetadata = (_options: unknown, callback: (error: null, data: unknown) => void) => { callback(null, { topics: [{ name: kafka.topic, partitions: [] }] }) }
  t.teardown(() => { delete prototype.getMetadata })
  await t.rejects(producer.ping(), { code: 'SERVICE_UNAVAILABLE', message: `Kafka has no topic ${kafka.topic}` })
})

t.test('a hint carries its trace on in the headers of its message, and one without a trace none', async (t) => {
  const kafka = await startTestKafka(t)
  const { root, spans } = recordingTracer()
  const received: Hint[] = []
  const producer = createHintProducer({ ...kafka, log: silent })
  t.teardown(async () => { await producer.close() })
  await eventually('the producer is ready', async () => await producer.ping().then(() => true, () => false), 20_000)
  await producer.send(0, { vendorId: 'acme', jobId: 'traced' }, root)
  await producer.send(0, { vendorId: 'acme', jobId: 'not traced' })
  const consumer = createHintConsumer({ ...kafka, groupId: kafka.topic, handle: async (hint) => { received.push(hint) }, log: silent })
  t.teardown(async () => { await consumer.close() })
  await eventually('both come', () => received.length === 2, 30_000)
  await eventually('the delivery is told', () => spans[1]?.endMs !== undefined, 10_000)
  const sent = spans.findIndex(({ name }) => name === `send ${kafka.topic}`)
  t.match(spans[sent], { parent: 'root', kind: 'producer', failed: undefined, attributes: { 'messaging.destination.name': kafka.topic, 'catalog.job.id': 'traced' } })
  t.match(received, [{ jobId: 'traced', traceparent: new RegExp(`-${(sent + 1).toString(16).padStart(16, '0')}-01$`) }, { jobId: 'not traced', traceparent: undefined }])
})

t.test('what in the headers is no traceparent is no trace, and the hint is dealt with', async (t) => {
  const kafka = await startTestKafka(t)
  const received: Hint[] = []
  const consumer = createHintConsumer({ ...kafka, groupId: kafka.topic, handle: async (hint) => { received.push(hint) }, log: silent })
  t.teardown(async () => { await consumer.close() })
  const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const all: Array<[string, Kafka.MessageHeader[]]> = [
    ['text', [{ traceparent: 'x' }]], ['long', [{ traceparent: Buffer.alloc(500_000, '0') }]], ['bytes', [{ traceparent: Buffer.from([0xff, 0xfe]) }]],
    ['late', [...Array.from({ length: 100 }, () => ({ other: 'x' })), { traceparent: good }]], ['second', [{ traceparent: 'x' }, { traceparent: good }]]
  ]
  for (const [jobId, headers] of all) await sendRaw(kafka, [Buffer.from(JSON.stringify({ vendorId: 'acme', jobId }))], 0, headers)
  await eventually('all come', () => received.length === all.length, 30_000)
  t.match(received, [
    { jobId: 'text', traceparent: undefined }, { jobId: 'long', traceparent: undefined }, { jobId: 'bytes', traceparent: undefined },
    { jobId: 'late', traceparent: undefined }, { jobId: 'second', traceparent: good }
  ])
})
