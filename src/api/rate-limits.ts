/**
 * How many requests one credential, or one address without a valid credential, may send within a minute. Counted in this
 * process's memory: with several API processes the limit is per process, which is enough against what it is for, a client
 * that has run wild and a stranger who tries keys. Answers carry the RateLimit headers of the IETF draft; refusals are
 * RATE_LIMITED with 429 and Retry-After.
 *
 * It is done for every request, so for a caller who is remembered it waits for nothing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Principal } from '../domain/access.js'
import { isAppError, rateLimited, type AppError } from '../errors.js'
import { sourceOf } from '../networks.js'
import type { Authenticator } from './auth/authenticator.js'
import { credentialsIn, principalOf, recallPrincipal } from './auth/request-credentials.js'
import { createWindowCounts } from './window-counts.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** false: not counted with other requests. */
    rateLimit?: false
  }
}

const windowMs = 60_000
/** Of one address (of IPv6: one /64 network). Ten times what a person with a wrong key sends. */
const maxStrangersRequests = 1_200
/** Of one address, of /readyz and /metrics each: ten a second, where a probe or a scraper asks every few. */
const maxProbes = 600
/** Counters kept, of credentials and addresses each; the least recently used go first. */
const maxCounters = 20_000

export interface RateLimitsOptions {
  authenticator: Authenticator
  /** Of one credential; 0 = no limits but those of probes. */
  requestsPerMinute: number
  monotonicMs: () => number
}

export function registerRateLimits (app: FastifyInstance, { authenticator, requestsPerMinute, monotonicMs }: RateLimitsOptions): void {
  if (requestsPerMinute === 0) return
  const credentials = createWindowCounts({ windowMs, maxKeys: maxCounters, monotonicMs })
  const addresses = createWindowCounts({ windowMs, maxKeys: maxCounters, monotonicMs })
  /** Requests with credentials that were tried in vain: by these an address's further ones are not looked up. */
  const tries = createWindowCounts({ windowMs, maxKeys: maxCounters, monotonicMs })

  // For every route, known or not, and before the route's own hooks, which refuse who is not authenticated.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.rateLimit === false) return done()
    const known = recallPrincipal(authenticator, request, reply)
    if (known !== null) return done(countCredential(known, reply))
    countUnknown(request, reply).then(done, done)
  })

  /** Whoever answers the request tells what is wrong with its credentials. */
  async function countUnknown (request: FastifyRequest, reply: FastifyReply): Promise<AppError | undefined> {
    const address = sourceOf(request.ip)
    // Once an address has tried too much, unknown keys from it are not even looked up; those that have worked before are.
    const isSpent = tries.look(address).count >= maxStrangersRequests && !authenticator.isNoGuess(credentialsIn(request))
    if (isSpent) return countAddress(address, reply)
    try {
      return countCredential(await principalOf(authenticator, request, reply), reply)
    } catch (error) {
      // While credentials cannot be verified nobody is told off for it; load shedding is what protects this process then.
      if (!isAppError(error) || error.code !== 'UNAUTHENTICATED') return undefined
      tries.add(address)
      return countAddress(address, reply)
    }
  }

  const countCredential = (principal: Principal, reply: FastifyReply): AppError | undefined => tell(credentials.add(keyOf(principal)), requestsPerMinute, reply)
  const countAddress = (address: string, reply: FastifyReply): AppError | undefined => tell(addresses.add(address), maxStrangersRequests, reply)
}

/** Gives the refusal, if it is one too many. */
function tell ({ count, leftMs }: { count: number, leftMs: number }, max: number, reply: FastifyReply): AppError | undefined {
  const resetSeconds = Math.ceil(leftMs / 1_000)
  reply.header('ratelimit-limit', max).header('ratelimit-remaining', Math.max(0, max - count)).header('ratelimit-reset', resetSeconds)
  if (count <= max) return undefined
  reply.header('retry-after', resetSeconds)
  return rateLimited(tooMany(resetSeconds))
}

/** For routes that are served to strangers without being counted with other requests. */
export function limitProbes (monotonicMs: () => number): onRequestAsyncHookHandler {
  const probes = createWindowCounts({ windowMs, maxKeys: maxCounters, monotonicMs })
  return async (request) => {
    const { count, leftMs } = probes.add(`${request.routeOptions.url} ${sourceOf(request.ip)}`)
    if (count > maxProbes) {
      const retryAfterSeconds = Math.ceil(leftMs / 1_000)
      throw rateLimited(tooMany(retryAfterSeconds), { retryAfterSeconds })
    }
  }
}

const tooMany = (seconds: number): string => `Too many requests; try again in ${seconds} s`

const keyOf = (principal: Principal): string => principal.kind === 'user' ? `user ${principal.keyId ?? principal.userId}` : `key ${principal.keyId}`
