/** GraphiQL, for development (GRAPHIQL=true): its page loads its scripts from where Mercurius says, which no other page of ours may. */
import type { FastifyInstance } from 'fastify'
import { securityHeaders } from '../security-headers.js'

const headers = securityHeaders({
  contentSecurityPolicy: {
    directives: { scriptSrc: ["'self'", 'https:'], styleSrc: ["'self'", 'https:', "'unsafe-inline'"], connectSrc: ["'self'", 'https:', 'ws:', 'wss:'] }
  }
})

/** For an app that has no routes yet. */
export function relaxGraphiql (app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // Its worker, too, may load what the page does: a worker keeps to the policy that it came with.
    if (route.url !== '/graphiql' && !route.url.startsWith('/graphiql/')) return
    route.config = { ...route.config, securityHeaders: headers }
  })
}
