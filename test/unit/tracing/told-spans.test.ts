import t from 'tap'
import { createToldSpan, retellSpans, type SpanMessage } from '../../../src/tracing/told-spans.js'
import { noSpan, type Span } from '../../../src/tracing/span.js'
import { recordingTracer } from '../../support/recorded-spans.js'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/** A thread's span, and what its owner makes of what it tells, which comes as messages do. */
function thread (): { span: Span, spans: ReturnType<typeof recordingTracer>['spans'], end: () => void } {
  const { root, spans } = recordingTracer()
  const told = retellSpans(root)
  const span = createToldSpan(traceparent, (message) => { told.take(structuredClone(message)) })
  return { span, spans, end: told.end }
}

t.test('what a thread tells is below the span that it was given', async (t) => {
  const { span, spans } = thread()
  span.set({ a: 1 })
  const child = span.child('file', { startMs: 1_000, attributes: { index: 0 } })
  const grandchild = child.child('bulk', { kind: 'consumer', startMs: 2_000 })
  grandchild.fail('threw')
  grandchild.end(3_000)
  child.set({ lines: 5 })
  child.rename('import file')
  child.end(4_000)
  t.match(spans, [
    { name: 'root', attributes: { a: 1 }, endMs: undefined },
    { name: 'import file', parent: 'root', startMs: 1_000, endMs: 4_000, attributes: { index: 0, lines: 5 }, failed: undefined },
    { name: 'bulk', parent: 'file', kind: 'consumer', startMs: 2_000, endMs: 3_000, failed: 'threw' }
  ])
})

t.test('a thread cannot end the span that it was given', async (t) => {
  const { span, spans } = thread()
  span.end()
  t.equal(spans[0]?.endMs, undefined)
})

t.test('what a thread has not ended when its task is over has failed', async (t) => {
  const { span, spans, end } = thread()
  span.child('file').child('bulk').end(1_000)
  end()
  t.match(spans, [{ name: 'root', failed: undefined, endMs: undefined }, { name: 'file', failed: 'lost', endMs: Number }, { name: 'bulk', failed: undefined, endMs: 1_000 }])
})

t.test('what is told of a span after its end is not heard', async (t) => {
  const { root, spans } = recordingTracer()
  const told: SpanMessage[] = []
  const child = createToldSpan(traceparent, (message) => { told.push(message) }).child('file')
  child.end(1)
  for (const say of [() => { child.set({ late: 1 }) }, () => { child.fail('late') }, () => { child.rename('late') }, () => { child.end(2) }]) say()
  t.equal(told.length, 2)
  const owner = retellSpans(root)
  for (const message of [...told, { span: 1, attributes: { late: 1 } }, { span: 1, endMs: 2 }, { span: 7, endMs: 2 }]) owner.take(message)
  t.match(spans, [{ name: 'root' }, { name: 'file', attributes: {}, endMs: 1 }])
})

t.test('the log of a thread names the trace, also one that is not kept, of which nothing is told', async (t) => {
  const told: SpanMessage[] = []
  const span = createToldSpan(`${traceparent.slice(0, -1)}0`, (message) => { told.push(message) })
  const child = span.child('file')
  child.set({ a: 1 })
  child.end()
  for (const each of [span, child]) t.match(each, { names: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' }, traceparent: /-00$/ })
  t.strictSame(told, [])
})

t.test('without a trace nothing is told', async (t) => {
  for (const none of [undefined, '', 'x']) t.equal(createToldSpan(none, () => { t.fail('told') }), noSpan)
})
