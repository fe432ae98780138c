/**
 * How many requests one credential, or one address without a valid credential, may send within a minute. Counted in this
 * process's memory: with several API processes the limit is per process, which is enough against what it is for, a client
 * that has run wild and a stranger who tries keys. Answers carry the RateLimit headers of the IETF draft; refusals are
 * RATE_LIMITED with 429 and Retry-After.
 *
 * Every request passes here, so one whose credential is known waits for nothing: a library's hook costs it a dozen promises.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Principal } from '../domain/access.js'
import { isAppError, rateLimited, type AppError } from '../errors.js'
import { sourceOf } from '../networks.js'
import type { Authenticator } from './auth/authenticator.js'
import { credentialsIn, principalOf, recallPrincipal } from './auth/request-credentials.js'
import { createRequestCounts, type RequestCounts } from './request-counts.js'

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
/** Counters kept, of credentials and addresses each. */
const maxSources = 20_000

/** `requestsPerMinute` is of one credential; 0 = no limits but those of probes. */
export function registerRateLimits (
  app: FastifyInstance, { authenticator, requestsPerMinute, monotonicMs }: { authenticator: Authenticator, requestsPerMinute: number, monotonicMs: () => number }
): void {
  if (requestsPerMinute === 0) return
  const ofCredentials = createRequestCounts({ windowMs, maxSources, monotonicMs })
  const ofStrangers = createRequestCounts({ windowMs, maxSources, monotonicMs })

  // For every route, known or not, and before the route's own hooks, which refuse who is not authenticated.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.rateLimit === false) return done()
    const known = recallPrincipal(authenticator, request, reply)
    if (known !== null) return done(countCredential(known, reply))
    countUnknown(request, reply).then(done, done)
  })

  const countCredential = (principal: Principal, reply: FastifyReply): AppError | undefined => countTold(ofCredentials, credentialOf(principal), requestsPerMinute, reply)

  async function countUnknown (request: FastifyRequest, reply: FastifyReply): Promise<AppError | undefined> {
    const address = sourceOf(request.ip)
    const countStranger = (): AppError | undefined => countTold(ofStrangers, address, maxStrangersRequests, reply)
    // Once an address has tried too much, unknown keys from it are not even looked up; those that have worked before are.
    if (ofStrangers.of(address) >= maxStrangersRequests && !authenticator.isNoGuess(credentialsIn(request))) return countStranger()
    let principal
    try {
      principal = await principalOf(authenticator, request, reply)
    } catch (error) {
      // While credentials cannot be verified nobody is told off for it; load shedding is what protects this process then. Whoever answers the request tells what is wrong with it.
      return isAppError(error) && error.code === 'UNAUTHENTICATED' ? countStranger() : undefined
    }
    return countCredential(principal, reply)
  }
}

/** For routes that are served to strangers without being counted with other requests. */
export function limitProbes (monotonicMs: () => number): onRequestHookHandler {
  const probes = createRequestCounts({ windowMs, maxSources, monotonicMs })
  return (request, _reply, done) => {
    const { count, endsInMs } = probes.add(`${request.routeOptions.url} ${sourceOf(request.ip)}`)
    const retryAfterSeconds = Math.ceil(endsInMs / 1_000)
    done(count > maxProbes ? rateLimited(`Too many requests; try again in ${retryAfterSeconds} s`, { retryAfterSeconds }) : undefined)
  }
}

/** Counts one more, and says so in the answer's headers. Gives what refuses it where it is one too many. */
function countTold (counts: RequestCounts, source: string, max: number, reply: FastifyReply): AppError | undefined {
  const { count, endsInMs } = counts.add(source)
  const seconds = Math.ceil(endsInMs / 1_000)
  reply.header('ratelimit-limit', max).header('ratelimit-remaining', Math.max(0, max - count)).header('ratelimit-reset', seconds)
  if (count <= max) return undefined
  reply.header('retry-after', seconds)
  return rateLimited(`Too many requests; try again in ${seconds} s`)
}

const credentialOf = (principal: Principal): string => principal.kind === 'user' ? `user ${principal.keyId ?? principal.userId}` : `key ${principal.keyId}`
