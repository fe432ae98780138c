/** How long requests take, and GET /metrics. Every label has few values: routes as declared, never paths as requested. */
import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import { neverShed } from './load-shedding.js'
import { createRemembered } from './remembered.js'

/** Some of the metrics are read from the database: a flood of questions is one to it. */
const rememberedMs = 1_000

export function measureRequests (app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry]
  })

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url
    // Unknown routes come with any method a client can think of.
    const [method, label] = route === undefined ? ['other', 'unknown'] : [request.method, route]
    duration.observe({ method, route: label, status: reply.statusCode }, reply.elapsedTime / 1_000)
    done()
  })
}

export function registerMetricsRoute (app: FastifyInstance, registry: Registry, onRequest: onRequestHookHandler[] = []): void {
  const text = createRemembered(async () => await registry.metrics(), { forMs: rememberedMs })
  app.get('/metrics', { logLevel: 'warn', config: neverShed, onRequest }, async (_request, reply) =>
    await reply.type(registry.contentType).send(await text()))
}
