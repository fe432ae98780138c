/** GraphiQL, for development (GRAPHIQL=true): its page loads its scripts from where Mercurius says, which no other page of ours may. */
import type { FastifyInstance } from 'fastify'

/** To be called before helmet is registered, which reads the route's own policy. */
export function relaxGraphiql (app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.url !== '/graphiql') return
    route.helmet = {
      contentSecurityPolicy: {
        directives: { scriptSrc: ["'self'", 'https:'], styleSrc: ["'self'", 'https:', "'unsafe-inline'"], connectSrc: ["'self'", 'https:', 'ws:', 'wss:'] }
      }
    }
  })
}
