/** Request ids and what may be logged of a request. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { levels, type Logger } from 'pino'
import type { BeginSpan } from './request-spans.js'

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
/** As pino's levels are written: an object or none, a text, and values for it. */
type Line = [first: unknown, ...rest: unknown[]]

/**
 * The log of one request. It writes what a child of pino's would, by the two loggers that all requests have in common: to make a child costs as much as
 * to write a line, and a request would need two. The one that looks for credentials, which costs as much again, writes what may hold any.
 */
class RequestLog implements FastifyBaseLogger {
  readonly level: string

  /** `names`: of later ones those count that are the same. They are put together when a line is written, and most requests write one. */
  constructor (private readonly to: { plain: FastifyBaseLogger, redacting: FastifyBaseLogger }, private readonly names: readonly Names[], level: string | undefined) {
    this.level = level ?? to.plain.level
  }

  trace (...line: Line): void { this.write('trace', line) }
  debug (...line: Line): void { this.write('debug', line) }
  info (...line: Line): void { this.write('info', line) }
  warn (...line: Line): void { this.write('warn', line) }
  error (...line: Line): void { this.write('error', line) }
  fatal (...line: Line): void { this.write('fatal', line) }
  silent (): void {}

  child (names: Names, { level = this.level }: { level?: string } = {}): RequestLog {
    return new RequestLog(this.to, [...this.names, names], level)
  }

  private write (level: Level, line: Line): void {
    if (levels.values[level]! < (levels.values[this.level] ?? Infinity)) return
    const first = line[0]
    if (typeof first !== 'object' || first === null) return this.put(level, {}, line)
    this.put(level, first instanceof Error ? { err: first } : first, line.slice(1))
  }

  private put (level: Level, said: object, text: unknown[]): void {
    const log = mayHoldSecrets(said) ? this.to.redacting : this.to.plain
    log[level](Object.assign({}, ...this.names, said) as object, ...text as [string | undefined, ...unknown[]])
  }
}

/** Headers are objects. Of requests and answers as such it is known what is logged. */
function mayHoldSecrets (said: object): boolean {
  for (const name in said) {
    const value: unknown = (said as Record<string, unknown>)[name]
    if (typeof value === 'object' && value !== null && !Object.hasOwn(serializers, name)) return true
  }
  return false
}

/** Makes the log of each request, as Fastify asks for it; it names the request's span, which begins with it, where there is one. */
export function createRequestLogs (
  log: Logger, beginSpan: BeginSpan | null
): (parent: FastifyBaseLogger, names: Names, options: { level?: string }, raw: IncomingMessage) => FastifyBaseLogger {
  const to = { plain: log.child({}, { serializers }), redacting: createRequestLog(log) }
  return (_parent, names, { level }, raw) => new RequestLog(to, beginSpan === null ? [names] : [names, beginSpan(raw).names], level)
}

/**
 * One line a request: what was asked for, and what became of it. To write a line takes a twentieth of the smallest request. That one has come is told as such where it may be
 * long until it ends (a websocket), and to who debugs.
 */
export class OneLineEach extends LogController {
  override incomingRequest (request: FastifyRequest): void {
    if (this.isLogDisabled(request)) return
    request.log[request.headers.upgrade === undefined ? 'debug' : 'info']({ req: request }, 'incoming request')
  }

  override requestCompleted (error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (this.isLogDisabled(request)) return
    const told = { req: request, res: reply, responseTime: reply.elapsedTime }
    if (error instanceof Error) reply.log.error({ ...told, err: error }, 'request errored')
    else reply.log.info(told, 'request completed')
  }
}

/** Whose client has gone before it was answered. */
export function tellAborted (app: FastifyInstance): void {
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info({ req: request }, 'request aborted')
    done()
  })
}

/** And keeps answers, which may hold a key or a customer's address, out of every cache; a route may say otherwise. */
export function echoRequestId (app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id).header('cache-control', 'no-store')
    done()
  })
}
