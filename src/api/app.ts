/**
 * The HTTP side of the service: GraphQL, REST, health and metrics, without a port. Who listens is bin/serve.ts; tests use
 * `inject`. Everything it opens is closed by `app.close()`; what it is handed stays open.
 */
import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { ApiSettings } from '../config.js'
import { createAuthenticator } from './auth/authenticator.js'
import { guardRoutes } from './auth/route-guard.js'
import { registerCors } from './cors.js'
import type { AppDependencies, AppOptions } from './dependencies.js'
import { exposeError, exposeGraphqlError, httpStatusOf, type PublicError } from './error-mapper.js'
import { relaxGraphiql } from './graphql/graphiql-page.js'
import { graphqlPath, registerGraphqlApi } from './graphql/graphql-api.js'
import { letGoOfOtherUpgrades } from './graphql/websocket.js'
import { registerHealthRoutes } from './health.js'
import { registerLoadShedding } from './load-shedding.js'
import { registerMetrics } from './metrics.js'
import { registerRateLimits } from './rate-limits.js'
import { createRequestLog, echoRequestId, requestIdOf } from './request-log.js'
import { registerProductImportRoutes } from './rest/product-imports.js'
import { registerSizeChartPdfRoutes } from './rest/size-chart-pdfs.js'
import { notFound, type ErrorCode } from '../errors.js'
import { createAuditTrail } from '../store/audit-trail.js'

const maxBodyBytes = 1_024 * 1_024
/** For a whole request to arrive, so that a client that dribbles its body is let go. */
const requestTimeoutMs = 120_000

export async function createApp (dependencies: AppDependencies, options: AppOptions = {}): Promise<FastifyInstance> {
  const { repositories, checks, metrics, verifyToken, settings } = dependencies
  const answerError = errorAnswer(settings)
  const app: FastifyInstance = Fastify({
    loggerInstance: createRequestLog(dependencies.log),
    genReqId: requestIdOf,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    // Whose address a request comes from is a proxy's word only where the operator trusts that proxy.
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    frameworkErrors: answerError
  })
  const authenticator = createAuthenticator({
    repositories, verifyToken, log: app.log, monotonicMs: options.monotonicMs ?? (() => performance.now())
  })
  app.decorateRequest('authentication', null)
  app.addHook('onClose', async () => { await authenticator.close() })
  // JSON alone is read; text that happens to hold JSON is a wrong content type.
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    answerError(notFound(`There is no ${request.method} ${request.url.split('?', 1)[0]}`), request, reply)
  })

  echoRequestId(app)
  letGoOfOtherUpgrades(app, graphqlPath)
  guardRoutes(app, authenticator)
  if (settings.graphiql) relaxGraphiql(app)
  registerMetrics(app, metrics)
  await registerLoadShedding(app, options.maxEventLoopDelayMs)
  await app.register(helmet)
  registerCors(app, settings.corsOrigins)
  await registerRateLimits(app, { authenticator, requestsPerMinute: settings.requestsPerMinute })
  registerHealthRoutes(app, checks)
  const audit = createAuditTrail(repositories.auditEvents, (error, action) => {
    app.log.warn({ err: error, action }, 'the end of an operation was not put on record')
  })
  registerProductImportRoutes(app, { ...dependencies, authenticator, audit })
  registerSizeChartPdfRoutes(app, repositories)
  // In a scope of its own: no other route reads forms.
  await app.register(async (scope) => {
    const { jobPollIntervalMs, recheckIntervalMs, publicUrl } = options
    await registerGraphqlApi(scope, { ...dependencies, authenticator, audit, jobPollIntervalMs, recheckIntervalMs, publicUrl })
  })
  return app
}

/** What is thrown anywhere but in the execution of a GraphQL operation. */
const errorAnswer = ({ introspection }: ApiSettings) => (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  if (request.routeOptions.url === graphqlPath) {
    const errors = exposeGraphqlError(error, request.log, introspection)
    const code = errors[0]?.extensions?.['code'] as ErrorCode
    reply.code(httpStatusOf[code]).send({ data: null, errors })
    return
  }
  const shown: PublicError = exposeError(error, request.log)
  reply.code(httpStatusOf[shown.code]).send({ success: false, error: shown })
}
