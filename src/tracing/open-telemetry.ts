/**
 * Spans as OpenTelemetry's, sent to a collector: OTLP over HTTP, as JSON. Loaded only where traces are asked for (start-tracing).
 *
 * A collector that is away or slow costs spans and nothing else: they wait in a queue of 2,048, what comes when it is full is lost, and so is a batch that
 * was not taken within ten seconds. That is said once a minute.
 */
import { readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { ROOT_CONTEXT, SpanKind as OtelKind, SpanStatusCode, trace, TraceFlags, type Context, type HrTime, type Span as OtelSpan, type Tracer as OtelTracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler, AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider,
  type Sampler, type SpanExporter, type SpanProcessor
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Attributes, Span, SpanKind, SpanOptions, Tracing } from './span.js'
import { formatTraceparent, parseTraceparent } from './traceparent.js'
import type { TracingConfig } from './tracing-config.js'

/** Some 2 MB. */
const maxQueueSize = 2_048
/** Written as JSON on the event loop that serves requests, in some milliseconds. */
const maxExportBatchSize = 256
/** At the end of the process all that waits is sent at once, beside a batch that is under way; what is beyond would be lost. */
const concurrencyLimit = maxQueueSize / maxExportBatchSize + 1
const exportTimeoutMillis = 10_000
/** What a process that is killed had not sent. */
const scheduledDelayMillis = 1_000
const closeTimeoutMs = 2_000
const tellEveryMs = 60_000
/** What is told of a span is bounded where it is told; this holds for whatever is told by mistake. */
const spanLimits = { attributeCountLimit: 32, attributeValueLengthLimit: 256, eventCountLimit: 0, linkCountLimit: 0 }

const kinds: Record<SpanKind, OtelKind> = { internal: OtelKind.INTERNAL, server: OtelKind.SERVER, producer: OtelKind.PRODUCER, consumer: OtelKind.CONSUMER }

export function createOpenTelemetry (config: TracingConfig, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: config.url, headers: { ...config.headers }, timeoutMillis: exportTimeoutMillis, concurrencyLimit })
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({
      'service.name': config.serviceName, 'service.version': ownVersion(), 'service.instance.id': randomUUID()
    })),
    sampler: samplerOf(config),
    spanLimits,
    spanProcessors: [createQueue(exporter, log)]
  })
  const tracer = provider.getTracer('merchant-catalog')
  return {
    tracer: {
      begin: (name, traceparent, options) => start(tracer, name, contextOf(traceparent), options)
    },
    async close () {
      const given = new AbortController()
      await Promise.race([
        provider.shutdown().catch(() => { /* it has been told of */ }),
        delay(closeTimeoutMs, undefined, { signal: given.signal }).catch(() => { /* it was quicker */ })
      ])
      given.abort()
    }
  }
}

function samplerOf ({ sampler, ratio }: TracingConfig): Sampler {
  const root = sampler.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(ratio) : sampler.endsWith('on') ? new AlwaysOnSampler() : new AlwaysOffSampler()
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root
}

/** The batching processor of the SDK, which loses spans in silence, with a count of what waits in it and what is lost. */
function createQueue (exporter: SpanExporter, log: Logger): SpanProcessor {
  let waiting = 0
  let lost = 0
  let toldAtMs = -Infinity
  function lose (count: number, reason: string): void {
    lost += count
    const now = performance.now()
    if (now - toldAtMs < tellEveryMs) return
    toldAtMs = now
    tell(reason)
  }
  function tell (reason: string): void {
    log.warn({ reason, lost }, 'spans are lost: the collector of traces does not take them')
    lost = 0
  }
  const batches = new BatchSpanProcessor({
    maxQueueSize,
    maxExportBatchSize,
    scheduledDelayMillis,
    exportTimeoutMillis,
    exporter: {
      export (spans, done) {
        waiting -= spans.length
        exporter.export(spans, (result) => {
          if (result.error !== undefined) lose(spans.length, reasonOf(result.error))
          done(result)
        })
      },
      shutdown: async () => { await exporter.shutdown() }
    }
  })
  return {
    onStart (span, context) { batches.onStart(span, context) },
    onEnd (span) {
      if (waiting >= maxQueueSize) return lose(1, 'more than it takes')
      waiting += 1
      batches.onEnd(span)
    },
    forceFlush: async () => { await batches.forceFlush() },
    async shutdown () {
      await batches.shutdown().finally(() => { if (lost > 0) tell('the end of the process') })
    }
  }
}

/** Its code or name. The message may hold what the collector has answered. */
const reasonOf = (error: Error & { code?: string | number }): string => String(error.code ?? error.name)

function contextOf (traceparent: string | undefined): Context {
  const given = parseTraceparent(traceparent)
  if (given === undefined) return ROOT_CONTEXT
  const { traceId, spanId, isSampled } = given
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true })
}

function start (tracer: OtelTracer, name: string, parent: Context, { kind = 'internal', attributes = {}, startMs }: SpanOptions = {}): Span {
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes }, ...startMs === undefined ? {} : { startTime: hrTime(startMs) } }, parent)
  return new RecordedSpan(tracer, span)
}

class RecordedSpan implements Span {
  readonly traceparent: string
  readonly names: Readonly<Record<string, string>>
  private isOver = false

  constructor (private readonly tracer: OtelTracer, private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.traceparent = formatTraceparent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 })
    this.names = { trace_id: traceId, span_id: spanId }
  }

  child (name: string, options?: SpanOptions): Span { return start(this.tracer, name, trace.setSpan(ROOT_CONTEXT, this.span), options) }
  rename (name: string): void { if (!this.isOver) this.span.updateName(name) }
  set (attributes: Attributes): void { if (!this.isOver) this.span.setAttributes({ ...attributes }) }
  fail (reason: string): void { if (!this.isOver) this.span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', reason) }

  end (endMs?: number): void {
    if (this.isOver) return
    this.isOver = true
    this.span.end(endMs === undefined ? undefined : hrTime(endMs))
  }
}

/** A number alone might be taken for one of performance.now. */
const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)]

function ownVersion (): string {
  const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8')) as { version: string }
  return manifest.version
}
