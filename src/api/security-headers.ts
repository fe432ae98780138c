/** The headers by which browsers are kept from doing with our answers what they are not made for: helmet's, worked out once and not at every request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In place of the usual ones; see securityHeaders. */
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

/** For every answer, also of routes that are not there. */
export function sendSecurityHeaders (app: FastifyInstance): void {
  const usual = securityHeaders()
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(request.routeOptions.config.securityHeaders ?? usual)
    done()
  })
}
