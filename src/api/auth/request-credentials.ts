/** Authentication of HTTP requests, at most once per request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access.js'
import type { Authenticator, Credentials } from './authenticator.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends it, once someone has asked; see callerOf. */
    authentication: Promise<Caller> | null
  }
}

/** The caller of a request; from then on its log lines name the vendor and the key. Throws as Authenticator does. */
export function callerOf (authenticator: Authenticator, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  request.authentication ??= authenticator.authenticate(credentialsIn(request)).then((caller) => {
    request.log = reply.log = request.log.child({ vendorId: caller.vendorId, keyId: caller.keyId })
    return caller
  })
  return request.authentication
}

function credentialsIn ({ headers }: FastifyRequest): Credentials {
  const { 'x-vendor-api-key': apiKey, authorization } = headers
  return { apiKey: typeof apiKey === 'string' ? apiKey : undefined, authorization }
}
