/** The headers by which browsers are kept from doing with our answers what they are not made for: helmet's, worked out once and not at every request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In place of those of data: what a page needs; see securityHeaders. */
    securityHeaders?: Readonly<Record<string, string>>
  }
}

/** Those that helmet sets; none of them depends on the request. */
export function securityHeaders (options: Readonly<HelmetOptions> = {}): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const response = { setHeader (name: string, value: string) { headers[name.toLowerCase()] = value }, removeHeader () {} }
  helmet(options)({} as IncomingMessage, response as unknown as ServerResponse, (error) => { if (error !== undefined) throw error as Error })
  return headers
}

/**
 * Of an answer that is data: a browser that is led to one draws, runs and frames nothing of it, whatever it holds. The rest of what helmet knows is about what pages
 * do (their referrers, their windows, what they look up ahead), and each header of an answer costs as much as a field of it.
 */
export const ofData = securityHeaders({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  frameguard: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false
})

/** For every answer, also of routes that are not there; routes of pages have their own. */
export function sendSecurityHeaders (app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(request.routeOptions.config.securityHeaders ?? ofData)
    done()
  })
}
