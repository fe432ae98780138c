/** A tracer that keeps what it is told. */
import type { Attributes, Span, SpanOptions, Tracer } from '../../src/tracing/span.js'

export interface RecordedSpan {
  name: string
  /** The traceparent that it was begun with, or the name of the span that it is below. */
  parent: string | undefined
  kind: string
  attributes: Record<string, unknown>
  failed: string | undefined
  startMs: number
  /** undefined: it has not ended. */
  endMs: number | undefined
}

export interface RecordingTracer extends Tracer {
  spans: RecordedSpan[]
  /** Begins no trace: for what is handed a span. */
  root: Span
}

export const testTraceId = '4bf92f3577b34da6a3ce929d0e0e4736'

export function recordingTracer (): RecordingTracer {
  const spans: RecordedSpan[] = []

  function begin (name: string, parent: string | undefined, { kind = 'internal', attributes = {}, startMs = Date.now() }: SpanOptions = {}): Span {
    const span: RecordedSpan = { name, parent, kind, attributes: { ...attributes }, failed: undefined, startMs, endMs: undefined }
    spans.push(span)
    const spanId = spans.length.toString(16).padStart(16, '0')
    return {
      traceparent: `00-${testTraceId}-${spanId}-01`,
      names: { trace_id: testTraceId, span_id: spanId },
      child: (childName, options) => begin(childName, span.name, options),
      rename (newName) { span.name = newName },
      set (more: Attributes) { Object.assign(span.attributes, more) },
      fail (reason) { span.failed = reason },
      end (endMs = Date.now()) { span.endMs ??= endMs }
    }
  }

  return { begin, spans, get root () { return begin('root', undefined) } }
}
