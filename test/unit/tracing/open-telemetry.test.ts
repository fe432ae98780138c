/** What comes out at a collector, and what becomes of the service's spans where there is none. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config.js'
import { startTracing } from '../../../src/tracing/start-tracing.js'
import { noTracer, type Tracing } from '../../../src/tracing/span.js'
import { freePort } from '../../../src/embedded/local-ports.js'
import { startCollector, type Collector } from '../../support/collector.js'
import { eventually } from '../../support/eventually.js'
import { recordingLog } from '../../support/log.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const sampled = `00-${traceId}-00f067aa0ba902b7-01`
const unsampled = `00-${traceId}-00f067aa0ba902b7-00`

interface Started extends Tracing { logs: ReturnType<typeof recordingLog>['entries'] }

async function startAt (t: Test, url: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const { log, entries } = recordingLog()
  const tracing = await startTracing(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }).tracing, log)
  t.teardown(tracing.close)
  return { ...tracing, logs: entries }
}

async function start (t: Test, env: NodeJS.ProcessEnv = {}): Promise<Started & { collector: Collector }> {
  const collector = await startCollector(t)
  return { collector, ...await startAt(t, collector.url, env) }
}

t.test('a trace is gone on with, or begun', async (t) => {
  const { tracer, close, collector: { spans } } = await start(t)
  const given = tracer.begin('given', sampled, { kind: 'server', attributes: { a: 'text', b: 7, c: true } })
  const child = given.child('child', { kind: 'producer', startMs: 1_700_000_000_123.5 })
  t.equal(child.traceparent, `00-${traceId}-${child.names['span_id']}-01`)
  child.end(1_700_000_000_124.75)
  given.rename('renamed')
  given.fail('broke')
  given.end()
  for (const none of [undefined, '', 'x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) tracer.begin('begun', none).end()
  await close()
  const [first, second, ...begun] = spans
  t.match(first, { traceId, name: 'child', kind: 4, startMs: 1_700_000_000_123.5, endMs: 1_700_000_000_124.75, isFailed: false })
  t.match(second, { traceId, spanId: first?.parentSpanId, parentSpanId: '00f067aa0ba902b7', name: 'renamed', kind: 2, isFailed: true, attributes: { a: 'text', b: 7, c: true, 'error.type': 'broke' } })
  t.equal(new Set(begun.map((span) => span.traceId)).size, 4)
  t.ok(begun.every((span) => span.parentSpanId === '' && span.traceId !== traceId))
})

t.test('after its end nothing more is said of a span', async (t) => {
  const { tracer, close, collector: { spans } } = await start(t)
  const span = tracer.begin('once', sampled)
  span.end()
  span.rename('late')
  span.set({ late: 1 })
  span.fail('late')
  span.end()
  await close()
  t.match(spans, [{ name: 'once', attributes: {}, isFailed: false }])
  t.equal(spans.length, 1)
})

t.test('what waits at the end is sent, all that the queue holds', async (t) => {
  const { tracer, close, collector: { spans }, logs } = await start(t)
  for (let index = 0; index < 2_048; index++) tracer.begin('one', undefined).end()
  await close()
  t.equal(spans.length, 2_048)
  t.strictSame(logs, [])
})

t.test('a span is bounded, whatever it is told', async (t) => {
  const { tracer, close, collector: { spans } } = await start(t)
  const span = tracer.begin('large', undefined, { attributes: { long: 'x'.repeat(100_000) } })
  for (let index = 0; index < 1_000; index++) span.set({ [`a-${index}`]: index })
  span.end()
  await close()
  const { attributes = {} } = spans[0] ?? {}
  t.equal(String(attributes['long']).length, 256)
  t.equal(Object.keys(attributes).length, 32)
})

for (const [env, kept] of [
  [{}, ['sampled', 'none']],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, ['sampled', 'unsampled', 'none']],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, []],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, ['sampled']],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, []],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, ['sampled', 'unsampled', 'none']],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, ['sampled']]
] as Array<[NodeJS.ProcessEnv, string[]]>) {
  t.test(`of ${JSON.stringify(env)} is kept: ${kept.join(', ') || 'nothing'}`, async (t) => {
    const { tracer, close, collector: { spans } } = await start(t, env)
    for (const [name, parent] of [['sampled', sampled], ['unsampled', unsampled], ['none', undefined]] as const) {
      const span = tracer.begin(name, parent)
      const child = span.child('child')
      t.match(child.names, { trace_id: parent === undefined ? /^[0-9a-f]{32}$/ : traceId, span_id: /^[0-9a-f]{16}$/ }, 'the log names it all the same')
      t.match(child.traceparent, kept.includes(name) ? /-01$/ : /-00$/, 'and who goes on with it keeps to that')
      child.end()
      span.end()
    }
    await close()
    t.strictSame(spans.map(({ name }) => name).filter((name) => name !== 'child'), kept)
    t.equal(spans.length, 2 * kept.length)
  })
}

t.test('the collector is told of the service, and given the headers that it asks for', async (t) => {
  const { tracer, close, collector: { spans, requests } } = await start(t, { OTEL_SERVICE_NAME: 'catalog-eu', OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20dXNlcjpwYXNz, x-team = a%2Cb' })
  tracer.begin('one', undefined).end()
  await close()
  t.match(spans, [{ resource: { 'service.name': 'catalog-eu', 'service.version': /^\d/, 'service.instance.id': /^[0-9a-f-]{36}$/, 'telemetry.sdk.name': 'opentelemetry' } }])
  t.match(requests, [{ path: '/v1/traces', headers: { 'content-type': 'application/json', authorization: 'Basic dXNlcjpwYXNz', 'x-team': 'a,b' } }])
})

t.test('a collector that is away costs its spans, one line in the log, and two seconds at the end', async (t) => {
  const { tracer, close, logs } = await startAt(t, `http://127.0.0.1:${await freePort()}`, { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret' })
  for (let index = 0; index < 5_000; index++) tracer.begin('one', undefined).end()
  t.match(logs, [{ level: 40, reason: 'more than it takes', lost: 1, msg: 'spans are lost: the collector of traces does not take them' }], 'the queue is bounded')
  const from = performance.now()
  await close()
  t.ok(performance.now() - from < 8_000)
  t.ok(logs.length <= 2)
  t.notMatch(JSON.stringify(logs), 's3cret')
})

t.test('a collector that refuses costs its spans and is told of with its status', async (t) => {
  const { tracer, close, logs, collector } = await start(t)
  collector.answerWith(401)
  tracer.begin('one', undefined).end()
  await eventually('it is told of', () => logs.length > 0)
  t.match(logs, [{ level: 40, reason: '401', lost: 1 }])
  collector.answerWith(200)
  tracer.begin('two', undefined).end()
  await close()
  t.strictSame(collector.spans.map(({ name }) => name), ['two'])
})

t.test('a collector that never answers is let go at the end', async (t) => {
  const server = createServer(() => { /* says nothing */ }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close() })
  const { port } = server.address() as { port: number }
  const { tracer, close } = await startAt(t, `http://127.0.0.1:${port}`)
  tracer.begin('one', undefined).end()
  await t.resolves(close())
})

t.test('where traces are not asked for there is a tracer that does nothing', async (t) => {
  const { tracer, close } = await startTracing(loadConfig({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }).tracing, recordingLog().log)
  t.equal(tracer, noTracer)
  const span = tracer.begin('x', sampled)
  t.match(span.child('y'), { traceparent: undefined, names: {} })
  span.set({})
  span.rename('')
  span.fail('')
  span.end()
  await close()
})
