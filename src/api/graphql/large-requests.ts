/**
 * Large GraphQL requests are answered elsewhere, by a thread of their own (bin/request-thread.ts): to parse, coerce and check the
 * variables of one can take seconds, in which the event loop of this process would answer nobody.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import { isRecord } from '../../domain/reader.js'
import type { Authenticator } from '../auth/authenticator.js'
import { principalOf } from '../auth/request-credentials.js'
import { countObjects } from './variable-limits.js'

/** A larger body is read only for a caller who is known, and answered elsewhere. */
export const maxOwnBodyBytes = 256 * 1_024
/** Objects and lists in variables; graphql-js takes up to 9 µs for each. */
const maxOwnObjects = 4_000

export interface LargeRequest {
  /** Whose it is; one credential can only have so much in hand at once. */
  credential: string
  headers: IncomingHttpHeaders
  /** The peer's address, before any proxy is believed. */
  remoteAddress: string
  /** JSON, not parsed yet. Given away: it belongs to who answers. */
  body: Uint8Array<ArrayBuffer>
}

export interface LargeAnswer {
  status: number
  contentType: string
  body: Uint8Array
}

/** Throws SERVICE_UNAVAILABLE where there is no room, or who should have answered has died. */
export type AnswerLarge = (request: LargeRequest) => Promise<LargeAnswer>

class LargeBody {
  constructor (readonly bytes: Buffer) {}
}

/** For the scope that serves GraphQL alone. The result is the first hook of its POST route. */
export function readLargeBodies (
  scope: FastifyInstance, { authenticator, answerLarge }: { authenticator: Authenticator, answerLarge: AnswerLarge }
): preValidationAsyncHookHandler {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length > maxOwnBodyBytes) return done(null, new LargeBody(bytes))
    void parse(request, bytes.toString(), (error, body: unknown) => {
      done(error, error === null && isLaborious(body) ? new LargeBody(bytes) : body)
    })
  })

  return async (request, reply) => {
    const { body } = request
    if (!(body instanceof LargeBody)) return
    const principal = await principalOf(authenticator, request, reply)
    const answer = await answerLarge({
      credential: principal.keyId ?? (principal.kind === 'user' ? principal.userId : principal.vendorId),
      headers: headersOf(request),
      remoteAddress: request.socket.remoteAddress ?? '',
      body: new Uint8Array(body.bytes)
    })
    return await reply.code(answer.status).type(answer.contentType).send(answer.body)
  }
}

const isLaborious = (body: unknown): boolean => isRecord(body) && isRecord(body['variables']) && countObjects(body['variables'], maxOwnObjects) > maxOwnObjects

/** What describes the connection or the way the body came is about this request alone. */
function headersOf ({ headers, id }: FastifyRequest): IncomingHttpHeaders {
  const { connection: _c, 'transfer-encoding': _t, 'content-length': _l, expect: _e, upgrade: _u, ...rest } = headers
  return { ...rest, 'request-id': id }
}
