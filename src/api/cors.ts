/** Cross-origin requests: refused by every browser unless the operator names the origins that may send them. */
import type { FastifyInstance } from 'fastify'

const preflightSeconds = 600
const allowedHeaders = 'authorization, content-type, request-id, x-vendor-api-key, x-vendor-id'
const exposedHeaders = 'ratelimit-limit, ratelimit-remaining, ratelimit-reset, request-id, retry-after'

/**
 * `origins`: such as `https://dashboard.example.com`; none = no CORS. Credentials come in headers that a page sets itself, never in
 * cookies, so none are allowed along.
 */
export function registerCors (app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', async ({ method, headers }, reply) => {
    reply.header('vary', 'origin')
    const { origin, 'access-control-request-method': wanted } = headers
    if (origin === undefined || !origins.includes(origin)) return
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders)
    // helmet's default lets only pages of the same origin read answers.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    if (method !== 'OPTIONS' || wanted === undefined) return
    return await reply.code(204)
      .header('access-control-allow-methods', 'GET, POST')
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', preflightSeconds)
      .send()
  })
}
