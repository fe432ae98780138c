/** Puts every route behind its access rule (auth/rules.ts), before its body is read: who may not call it need not send one. */
import type { FastifyInstance, onRequestAsyncHookHandler, RouteOptions } from 'fastify'
import { assertPermitted } from './access.js'
import type { Authenticator } from './authenticator.js'
import { callerOf, principalOf, vendorHeaderIn } from './request-credentials.js'
import { routeRules, type RouteRule } from './rules.js'

/** For an app that has no routes yet. Registering one without a rule throws. */
export function guardRoutes (app: FastifyInstance, authenticator: Authenticator, table: Record<string, RouteRule> = routeRules): void {
  app.addHook('onRoute', (route) => {
    const rule = table[route.url]
    if (rule === undefined) throw new Error(`The route ${route.url} has no access rule`)
    if (rule === 'PUBLIC' || rule === 'GRAPHQL') return
    const admit: onRequestAsyncHookHandler = async (request, reply) => {
      try {
        assertPermitted(await callerOf(authenticator, request, reply), rule)
      } catch (error) {
        const by = await principalOf(authenticator, request, reply).catch(() => null)
        const operation = { action: `${request.method} ${route.url}`, vendorId: vendorHeaderIn(request), target: undefined }
        if (by !== null) await app.refusals.operation(by, operation, error, request.log)
        throw error
      }
    }
    route.onRequest = [admit, ...ownHooks(route)]
  })
}

const ownHooks = ({ onRequest = [] }: RouteOptions) => Array.isArray(onRequest) ? onRequest : [onRequest]
