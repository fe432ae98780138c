/**
 * What the service tells of its work to whoever traces it, in terms of its own. Nothing here knows OpenTelemetry: where nobody has asked for traces there
 * is `noTracer`, whose spans do nothing, and none of its packages is loaded (start-tracing).
 *
 * A span is handed on by hand, from a request to its operation, to the message, to the job: what a thread does at the same time for others never gets
 * into it.
 *
 * Spans leave the cluster. Attributes are numbers, ids of ours and words of closed sets; never a credential, a variable of a query, a
 * product's content, or the message of an error, which may quote any of these.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** As OpenTelemetry has them. */
export type SpanKind = 'internal' | 'server' | 'producer' | 'consumer'

export interface SpanOptions {
  /** Default `internal`. */
  kind?: SpanKind
  attributes?: Attributes
  /** Milliseconds since 1970; now when absent. */
  startMs?: number
}

export interface Span {
  /** W3C's header `traceparent`, to be handed on; undefined where nothing is traced. */
  readonly traceparent: string | undefined
  /** `trace_id` and `span_id` for log records; empty where nothing is traced. */
  readonly names: Readonly<Record<string, string>>
  child (name: string, options?: SpanOptions): Span
  rename (name: string): void
  set (attributes: Attributes): void
  /** It went wrong. `reason` is of a closed set. */
  fail (reason: string): void
  /** Only what has ended is told. Once: what comes later does nothing. `endMs`: milliseconds since 1970; now when absent. */
  end (endMs?: number): void
}

export interface Tracer {
  /** Goes on with the trace of `traceparent`, or begins one: what is no traceparent counts as none, whoever it is from. */
  begin (name: string, traceparent: string | undefined, options?: SpanOptions): Span
}

export interface Tracing {
  tracer: Tracer
  /** What has ended and was not sent yet is sent, or given up after two seconds. */
  close (): Promise<void>
}

export const noSpan: Span = {
  traceparent: undefined,
  names: {},
  child: () => noSpan,
  rename () {},
  set () {},
  fail () {},
  end () {}
}

export const noTracer: Tracer = { begin: () => noSpan }

/** `work` as a child of `parent`; what it throws is thrown on. */
export async function traced<T> (parent: Span, name: string, work: (span: Span) => Promise<T>, attributes: Attributes = {}): Promise<T> {
  const span = parent.child(name, { attributes })
  try {
    return await work(span)
  } catch (error) {
    span.fail('threw')
    throw error
  } finally {
    span.end()
  }
}
