/** Authentication of HTTP requests, at most once per request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Principal } from '../../domain/access.js'
import type { Reader } from '../../store/reads/reader.js'
import { callerAt } from './access.js'
import type { Authenticator, Credentials } from './authenticator.js'
import type { Refusals } from './refusals.js'

declare module 'fastify' {
  interface FastifyInstance {
    refusals: Refusals
  }
  interface FastifyRequest {
    /** Who sends it, once someone has asked; see principalOf. */
    authentication: Promise<Principal> | null
    /** Whose turn the reads of its answer take; known once its credential is. */
    reader: Reader
  }
}

/** Whose credential a request carries; from then on its log lines name it. Throws as Authenticator does. */
export function principalOf (authenticator: Authenticator, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
  if (request.authentication === null && recallPrincipal(authenticator, request, reply) === null) {
    request.authentication = authenticator.authenticate(credentialsIn(request)).then((principal) => adopt(principal, request, reply), (error: unknown) => {
      request.server.refusals.credential(request, error)
      throw error
    })
  }
  return request.authentication as Promise<Principal>
}

/** The same for whoever asks first, and only where nothing has to be waited for; null: it has. */
export function recallPrincipal (authenticator: Authenticator, request: FastifyRequest, reply: FastifyReply): Principal | null {
  const principal = authenticator.recall(credentialsIn(request))
  if (principal !== null) request.authentication = Promise.resolve(adopt(principal, request, reply))
  return principal
}

function adopt (principal: Principal, request: FastifyRequest, reply: FastifyReply): Principal {
  request.log = reply.log = request.log.child(namesOf(principal))
  request.reader.owner = ownerOf(principal)
  if (principal.kind === 'integration-key') request.span.set({ 'catalog.vendor.id': principal.vendorId })
  return principal
}

/**
 * The caller of a request that names no vendor elsewhere than in the header X-Vendor-Id. Throws as Authenticator and
 * callerAt do.
 */
export async function callerOf (authenticator: Authenticator, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const caller = callerAt(await principalOf(authenticator, request, reply), { header: vendorHeaderIn(request) })
  request.reader.owner = caller.vendorId
  request.span.set({ 'catalog.vendor.id': caller.vendorId })
  return caller
}

/** All keys of a vendor are one: it may have many. No vendor's id has a space in it. */
export const ownerOf = (principal: Principal): string => principal.kind === 'user' ? `user ${principal.userId}` : principal.vendorId

export function credentialsIn ({ headers }: FastifyRequest): Credentials {
  return { apiKey: single(headers['x-vendor-api-key']), authorization: headers.authorization }
}

export const vendorHeaderIn = ({ headers }: FastifyRequest): string | undefined => single(headers['x-vendor-id'])

/** For log lines. */
export const namesOf = (principal: Principal): Record<string, string | null> => principal.kind === 'user'
  ? { userId: principal.userId, keyId: principal.keyId }
  : { vendorId: principal.vendorId, keyId: principal.keyId }

const single = (header: string | string[] | undefined): string | undefined => typeof header === 'string' && header !== '' ? header : undefined
