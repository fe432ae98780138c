/** Request ids and what may be logged of a request. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

const requestIdHeader = 'request-id'

/** A caller's id ends up in the log and in a header, so only a plain token is taken over. */
const saneToken = /^[A-Za-z0-9._:-]{1,64}$/

export function requestIdOf ({ headers }: IncomingMessage): string {
  const given = headers[requestIdHeader]
  return typeof given === 'string' && saneToken.test(given) ? given : randomUUID()
}

/** Credentials never reach a log line, also not inside of an error that carries a request. */
const secretHeaders = ['["x-vendor-api-key"]', '.authorization', '.cookie']
const secretPaths = ['headers', '*.headers', '*.*.headers', 'payload', '*.payload']
  .flatMap((place) => secretHeaders.map((header) => `${place}${header}`))

export const createRequestLog = (log: Logger): FastifyBaseLogger => log.child({}, {
  redact: { paths: secretPaths, censor: '[redacted]' },
  serializers: {
    // Not the query string: it is free text from outside.
    req: ({ method, url, ip }: FastifyRequest) => ({ method, path: url.split('?', 1)[0], ip })
  }
})

/** And keeps answers, which may hold a key or a customer's address, out of every cache; a route may say otherwise. */
export function echoRequestId (app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => { reply.header(requestIdHeader, request.id).header('cache-control', 'no-store') })
}
