/**
 * The span of each request to GraphQL and to the REST API, which goes on with the trace that its client names, if any. Probes, metrics, the console's files and
 * websockets have none, and paths that lead nowhere end none: what strangers ask for by the thousand is no trace.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { noSpan, noTracer, type Span, type Tracer } from '../tracing/span.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** That of the request; that of its operation is in GraphQL's context. */
    span: Span
  }
}

/** Begins the span of a request, before its log is made. null in its place: nothing is traced, and no request has a hook or a look for it. */
export type BeginSpan = (raw: IncomingMessage) => Span

const tracedPaths = /^\/(?:graphql|api)(?:[/?]|$)/

export function beginsSpans (tracer: Tracer): BeginSpan | null {
  if (tracer === noTracer) return null
  return ({ method = '', url = '', headers }) => {
    if (headers.upgrade !== undefined || !tracedPaths.test(url)) return noSpan
    return tracer.begin(method, single(headers['traceparent']), { kind: 'server', attributes: { 'http.request.method': method } })
  }
}

export interface RequestSpans {
  begin: BeginSpan
  /** The one that was begun. */
  of: BeginSpan
}

export function createRequestSpans (beginSpan: BeginSpan): RequestSpans {
  const spans = new WeakMap<IncomingMessage, Span>()
  return {
    begin (raw) {
      const span = beginSpan(raw)
      if (span !== noSpan) spans.set(raw, span)
      return span
    },
    of: (raw) => spans.get(raw) ?? noSpan
  }
}

/** For an app that has no routes yet: its requests have the spans that were begun with their logs. */
export function spanRequests (app: FastifyInstance, spans: RequestSpans | null): void {
  if (spans === null) {
    app.decorateRequest('span', { getter: () => noSpan })
    return
  }
  // Set for each request below.
  app.decorateRequest('span', null as unknown as Span)
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = spans.of(request.raw)
    done()
  })
}

/** Of the app that requests come to first: what becomes of them is told, and their spans end with them. */
export function tellRequests (app: FastifyInstance): void {
  app.addHook('onResponse', ({ method, span, routeOptions: { url: route } }, { statusCode }, done) => {
    if (route !== undefined) {
      span.rename(`${method} ${route}`)
      span.set({ 'http.route': route, 'http.response.status_code': statusCode })
      if (statusCode >= 500) span.fail(String(statusCode))
      span.end()
    }
    done()
  })
}

const single = (header: string | string[] | undefined): string | undefined => typeof header === 'string' ? header : undefined
