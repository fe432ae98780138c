/** Request ids and what may be logged of a request. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { levels, type Logger } from 'pino'

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

const serializers = {
  // Not the query string: it is free text from outside.
  req: ({ method, url, ip }: FastifyRequest) => ({ method, path: url.split('?', 1)[0], ip }),
  res: ({ statusCode }: FastifyReply) => ({ statusCode })
}

export const createRequestLog = (log: Logger): FastifyBaseLogger =>
  log.child({}, { redact: { paths: secretPaths, censor: '[redacted]' }, serializers })

type Names = Readonly<Record<string, unknown>>
type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/**
 * The log of one request. It writes what a child of pino's would, by the two loggers that all requests have in common: to make a child costs as much as
 * to write a line, and a request would need two. The one that looks for credentials, which costs as much again, writes what may hold any.
 */
class RequestLog implements FastifyBaseLogger {
  readonly level: string

  constructor (private readonly to: { plain: FastifyBaseLogger, redacting: FastifyBaseLogger }, private readonly names: Names, level: string | undefined) {
    this.level = level ?? to.plain.level
  }

  trace (...line: unknown[]): void { this.write('trace', line) }
  debug (...line: unknown[]): void { this.write('debug', line) }
  info (...line: unknown[]): void { this.write('info', line) }
  warn (...line: unknown[]): void { this.write('warn', line) }
  error (...line: unknown[]): void { this.write('error', line) }
  fatal (...line: unknown[]): void { this.write('fatal', line) }
  silent (): void {}

  child (names: Names, { level = this.level }: { level?: string } = {}): RequestLog {
    return new RequestLog(this.to, { ...this.names, ...names }, level)
  }

  private write (level: Level, [first, ...rest]: unknown[]): void {
    if (levels.values[level]! < (levels.values[this.level] ?? Infinity)) return
    const isText = typeof first !== 'object' || first === null
    const said = isText ? {} : first instanceof Error ? { err: first } : first
    const log = mayHoldSecrets(said) ? this.to.redacting : this.to.plain
    const [text, ...values] = (isText ? [first, ...rest] : rest) as [string | undefined, ...unknown[]]
    log[level]({ ...this.names, ...said }, text, ...values)
  }
}

/** Headers are objects. Of requests and answers as such it is known what is logged. */
function mayHoldSecrets (said: object): boolean {
  for (const [name, value] of Object.entries(said)) {
    if (typeof value === 'object' && value !== null && !Object.hasOwn(serializers, name)) return true
  }
  return false
}

/** Makes the log of each request, as Fastify asks for it. */
export function createRequestLogs (log: Logger): (parent: FastifyBaseLogger, names: Names, options: { level?: string }) => FastifyBaseLogger {
  const to = { plain: log.child({}, { serializers }), redacting: createRequestLog(log) }
  return (_parent, names, { level }) => new RequestLog(to, names, level)
}

/** And keeps answers, which may hold a key or a customer's address, out of every cache; a route may say otherwise. */
export function echoRequestId (app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id).header('cache-control', 'no-store')
    done()
  })
}
