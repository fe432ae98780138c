/** A collector of traces: takes OTLP over HTTP as JSON, keeps the spans, and answers as it is told to. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

export interface CollectedSpan {
  traceId: string
  spanId: string
  /** '' for one that begins its trace. */
  parentSpanId: string
  name: string
  kind: number
  startMs: number
  endMs: number
  isFailed: boolean
  attributes: Record<string, unknown>
  /** Of the process. */
  resource: Record<string, unknown>
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** Of each request that came. */
  requests: Array<{ path: string | undefined, headers: IncomingHttpHeaders }>
  /** What has come, as it was written. */
  text: () => string
  /** From now on. */
  answerWith (status: number): void
}

interface OtlpAttribute { key: string, value: Record<string, unknown> }
interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  /** What is empty need not be there. */
  status?: { code?: number }
  attributes?: OtlpAttribute[]
}
interface OtlpBody { resourceSpans: Array<{ resource: { attributes: OtlpAttribute[] }, scopeSpans: Array<{ spans: OtlpSpan[] }> }> }

const errorStatus = 2

export async function startCollector (t: Test): Promise<Collector> {
  let status = 200
  let received = ''
  const spans: CollectedSpan[] = []
  const requests: Collector['requests'] = []
  const server = createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers })
    text(request).then((body) => {
      received += body
      if (status === 200) spans.push(...spansOf(body))
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    }, () => { /* its sender has gone */ })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    text: () => received,
    answerWith (wanted) { status = wanted }
  }
}

/** Of a request's body, or of a line that a collector has written. */
export function spansOf (body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpBody
  return resourceSpans.flatMap(({ resource, scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map((span) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name,
    kind: span.kind,
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    isFailed: span.status?.code === errorStatus,
    attributes: valuesOf(span.attributes),
    resource: valuesOf(resource.attributes)
  }))))
}

const valuesOf = (attributes: OtlpAttribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value['stringValue'] ?? value['boolValue'] ?? Number(value['intValue'] ?? value['doubleValue'])]))
