/**
 * How bodies are read, and which requests are answered elsewhere, in threads of their own (bin/request-thread.ts). A large body is not read here: to
 * parse, coerce and check the variables of one, and to word what is wrong with them, can take seconds, in which this event loop would answer
 * nobody. The same holds for a small one whose answer is large; that is known when it is made (answer-budget.ts), or before it is begun
 * (costly-operations.ts).
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Principal } from '../../../domain/access.js'
import { isRecord } from '../../../domain/reader.js'
import { letGo } from '../../../threads/let-go.js'
import { traced, type Span } from '../../../tracing/span.js'
import type { Authenticator } from '../../auth/authenticator.js'
import { principalOf } from '../../auth/request-credentials.js'
import { whenReplied } from '../../reply-end.js'
import { countObjects } from './body-limits.js'
import { readPieces, type Piece } from './body-pieces.js'

/** A larger body is read only for a caller who is known, and answered elsewhere. */
export const maxOwnBodyBytes = 256 * 1_024
/** Each may be an entry of its own, such as a faulty product, which takes up to 150 µs. */
const maxOwnObjects = 200

export interface LargeRequest {
  /** Who it is from, as authenticated here. */
  principal: Principal
  headers: IncomingHttpHeaders
  /** The peer's address, before any proxy is believed. */
  remoteAddress: string
  /** JSON, in the pieces in which it came. Given away: they belong to who answers. */
  body: Piece[]
  /** Of its span; undefined: nothing is traced. */
  traceparent: string | undefined
}

export interface LargeAnswer {
  status: number
  /** JSON */
  body: Uint8Array
  /** Hashes of the keys that the operation has changed or revoked. */
  changedKeys: readonly string[]
  /** Ids of users, likewise. */
  changedUsers: readonly string[]
  /** Why operations of it were refused to their caller (auth/refusals.ts), once for each. */
  refusals: readonly string[]
}

/**
 * An answer takes up room until it has been sent, or will not be: `sent` resolves then, and never rejects. What is done is told below `span`.
 * Throws SERVICE_UNAVAILABLE or LIMIT_EXCEEDED where there is no room, SERVICE_UNAVAILABLE when who should have answered has died.
 */
export type AnswerLarge = (request: LargeRequest, sent: Promise<void>, span?: Span) => Promise<LargeAnswer>

class LargeBody {
  constructor (readonly pieces: Piece[]) {}
}

/** For the scope that serves GraphQL alone. Bodies are JSON within the bounds of body-limits, and hold nothing but the operation. */
export function readBodies (scope: FastifyInstance, { isLarge, maxBytes }: { isLarge: (bytes: number, objects: number) => boolean, maxBytes: number }): void {
  const parse = scope.getDefaultJsonParser('error', 'error')

  function read (request: FastifyRequest, pieces: Piece[], done: (error: Error | null, body?: unknown) => void): void {
    // Those are counted where they are parsed.
    const bytes = bytesOf(pieces)
    if (isLarge(bytes, 0)) return done(null, new LargeBody(pieces))
    try {
      if (isLarge(bytes, countObjects(pieces))) return done(null, new LargeBody(pieces))
    } catch (error) {
      letGo(buffersOf(pieces))
      return done(error as Error)
    }
    void parse(request, textOf(pieces, bytes), (error, body: unknown) => { done(error, isRecord(body) ? operationIn(body) : body) })
  }

  scope.addContentTypeParser('application/json', (request, payload, done) => {
    readPieces(request, payload, maxBytes, (error, pieces) => {
      if (error === null) read(request, pieces, done)
      else done(error)
    })
  })
}

const buffersOf = (pieces: readonly Piece[]): ArrayBuffer[] => pieces.map(({ buffer }) => buffer)

function textOf (pieces: readonly Piece[], bytes: number): string {
  // What a small one has is not worth the way; it may share its buffer with others.
  if (bytes <= maxOwnBodyBytes) return Buffer.concat(pieces).toString()
  const whole = Buffer.allocUnsafeSlow(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
    // A large one is not to be there twice, and then once more as text.
    letGo([piece.buffer])
  }
  const text = whole.toString()
  letGo([whole.buffer])
  return text
}

export const bytesOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)

/** What else a body holds would be kept until its operation has ended. */
const operationIn = ({ query, variables, operationName }: Record<string, unknown>): Record<string, unknown> => ({ query, variables, operationName })

export const isLarge = (bytes: number, objects: number): boolean => bytes > maxOwnBodyBytes || objects > maxOwnObjects

/** Thrown when an answer will be, or has turned out to be, too large for this event loop. Nothing has been changed, and it is made anew. */
export class LargeAnswerAhead extends Error {}

interface HandOn {
  /** The first hook of the POST route. */
  largeBodies: preValidationHookHandler
  /** Its error handler: hands on requests with large answers, and leaves everything else to the app's. */
  largeAnswers: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void
}

/** `countRefusal` is for operations that were refused where they were answered. */
export function createHandOn (authenticator: Authenticator, answerLarge: AnswerLarge, countRefusal: (reason: string) => void): HandOn {
  async function handOn (request: FastifyRequest, reply: FastifyReply, body: Piece[]): Promise<FastifyReply> {
    const principal = await principalOf(authenticator, request, reply)
    const sent = new Promise<void>((resolve) => { whenReplied(request, reply, resolve) })
    const { status, body: answer, changedKeys, changedUsers, refusals } = await traced(request.span, 'large request', async (span) => await answerLarge({
      principal, headers: headersOf(request), remoteAddress: request.socket.remoteAddress ?? '', body, traceparent: span.traceparent
    }, sent, span))
    for (const hash of changedKeys) authenticator.forgetKey(hash)
    for (const id of changedUsers) authenticator.forgetUser(id)
    for (const reason of refusals) countRefusal(reason)
    const cut = setTimeout(() => { request.raw.socket.destroy() }, sendTimeoutMs)
    void sent.then(() => { clearTimeout(cut) })
    return await reply.code(status).type('application/json; charset=utf-8').header('content-length', answer.byteLength).send(inPieces(answer))
  }

  return {
    largeBodies (request, reply, done) {
      const { body } = request
      if (!(body instanceof LargeBody)) return done()
      request.body = null
      // It is answered there: nothing comes after this.
      handOn(request, reply, body.pieces).catch(done)
    },
    largeAnswers (error, request, reply) {
      if (!((error as unknown) instanceof LargeAnswerAhead)) {
        void reply.send(error)
        return
      }
      handOn(request, reply, [new TextEncoder().encode(JSON.stringify(request.body))]).catch((failure: unknown) => { void reply.send(failure) })
    }
  }
}

/** For the whole answer, however much of it is read at a time: as long as a request's body may take. */
const sendTimeoutMs = 120_000
/** Tens of megabytes at once would keep the loop busy with sending alone. */
const pieceBytes = 256 * 1_024

function inPieces (answer: Uint8Array): Uint8Array | Readable {
  if (answer.byteLength <= pieceBytes) return answer
  const count = Math.ceil(answer.byteLength / pieceBytes)
  return Readable.from(Array.from({ length: count }, (_, n) => answer.subarray(n * pieceBytes, (n + 1) * pieceBytes)), { objectMode: false })
}

/** What describes the connection or the way the body came is about this request alone. */
function headersOf ({ headers, id }: FastifyRequest): IncomingHttpHeaders {
  const { connection: _c, 'transfer-encoding': _t, 'content-length': _l, expect: _e, upgrade: _u, ...rest } = headers
  return { ...rest, 'request-id': id }
}
