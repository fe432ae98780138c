/**
 * How many requests one credential, or one address without a valid credential, may send within a minute. Counted in this
 * process's memory: with several API processes the limit is per process, which is enough against what it is for, a client
 * that has run wild and a stranger who tries keys. Answers carry the RateLimit headers of the IETF draft; refusals are
 * RATE_LIMITED with 429 and Retry-After.
 */
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Principal } from '../domain/access.js'
import { isAppError, rateLimited } from '../errors.js'
import type { Authenticator } from './auth/authenticator.js'
import { credentialsIn, principalOf, recallPrincipal } from './auth/request-credentials.js'

const windowMs = 60_000
/** Of one address (of IPv6: one /64 network). Ten times what a person with a wrong key sends. */
const maxStrangersRequests = 1_200
/** Of one address, of /readyz and /metrics each: ten a second, where a probe or a scraper asks every few. */
const maxProbes = 600
/** Counters kept, of credentials and addresses each; the least recently used go first. */
const maxCounters = 20_000

/** `requestsPerMinute` is of one credential; 0 = no limits but those of probes. */
export async function registerRateLimits (
  app: FastifyInstance, { authenticator, requestsPerMinute }: { authenticator: Authenticator, requestsPerMinute: number }
): Promise<void> {
  const keys = new WeakMap<FastifyRequest, string>()
  await app.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    timeWindow: windowMs,
    cache: maxCounters,
    // While credentials cannot be verified nobody is told off for it; load shedding is what protects this process then.
    allowList: (request) => !keys.has(request),
    max: (_request, key) => isAddress(key) ? maxStrangersRequests : requestsPerMinute,
    keyGenerator: (request) => keys.get(request) ?? addressOf(request),
    errorResponseBuilder: (_request, { ttl }) => rateLimited(`Too many requests; try again in ${Math.ceil(ttl / 1_000)} s`)
  })
  if (requestsPerMinute === 0) return
  const strangers = app.createRateLimit({ max: maxStrangersRequests, keyGenerator: addressOf, allowList: [] })

  // For every route, known or not, and before the route's own hooks, which refuse who is not authenticated.
  app.addHook('onRequest', (request, reply, done) => {
    if (isExempt(request)) return done()
    const known = recallPrincipal(authenticator, request, reply)
    if (known !== null) {
      keys.set(request, keyOfPrincipal(known))
      return done()
    }
    keyOf(request, reply).then((key) => {
      if (key !== null) keys.set(request, key)
      done()
    }, done)
  })
  app.addHook('onRequest', app.rateLimit())

  /** Whom a request counts for; null = not known at the moment. Whoever answers the request tells what is wrong with it. */
  async function keyOf (request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
    // Once an address has tried too much, unknown keys from it are not even looked up; those that have worked before are.
    if (!authenticator.isNoGuess(credentialsIn(request))) {
      const spent = await strangers(request, { increment: false })
      if (!spent.isAllowed && spent.remaining === 0) return addressOf(request)
    }
    try {
      return keyOfPrincipal(await principalOf(authenticator, request, reply))
    } catch (error) {
      if (!isAppError(error) || error.code !== 'UNAUTHENTICATED') return null
      await strangers(request)
      return addressOf(request)
    }
  }
}

/** For routes that are served to strangers without being counted with other requests; after registerRateLimits. */
export function limitProbes (app: FastifyInstance): onRequestAsyncHookHandler {
  const count = app.createRateLimit({ max: maxProbes, keyGenerator: (request) => `${request.routeOptions.url} ${addressOf(request)}`, allowList: [] })
  return async (request) => {
    const counted = await count(request)
    if (counted.isAllowed || !counted.isExceeded) return
    throw rateLimited(`Too many requests; try again in ${counted.ttlInSeconds} s`, { retryAfterSeconds: counted.ttlInSeconds })
  }
}

const keyOfPrincipal = (principal: Principal): string => principal.kind === 'user' ? `user ${principal.keyId ?? principal.userId}` : `key ${principal.keyId}`
const isExempt = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.rateLimit === false
const addressOf = ({ ip }: FastifyRequest): string => `address ${normalizeIP(ip)}`
const isAddress = (key: string): boolean => key.startsWith('address ')
