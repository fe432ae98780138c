/**
 * The HTTP side of the service: GraphQL, REST, health and metrics, without a port. Who listens is bin/service.ts; tests use
 * `inject`. Everything it opens is closed by `app.close()`; what it is handed stays open.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Counter } from 'prom-client'
import type { ApiSettings } from '../config.js'
import { defaultAddressLimits, registerAddressLimits } from './address-limits.js'
import { createAuthenticator, type Authenticator } from './auth/authenticator.js'
import { createRefusals, type Refusals } from './auth/refusals.js'
import { guardRoutes } from './auth/route-guard.js'
import { cutConnectionsOnClose } from './close-grace.js'
import { registerConsole } from './console.js'
import { registerCors } from './cors.js'
import type { AppDependencies, AppOptions, GraphqlDependencies } from './dependencies.js'
import { exposeError, exposeGraphqlError, httpStatusOf, type PublicError } from './error-mapper.js'
import { relaxGraphiql } from './graphql/graphiql-page.js'
import { graphqlPath, registerGraphqlApi } from './graphql/graphql-api.js'
import { letGoOfRefusedUpgrades } from './graphql/websocket.js'
import { createHttpServer } from './http-server.js'
import { registerHealthRoutes } from './health.js'
import { registerLoadShedding } from './load-shedding.js'
import { measureRequests, registerMetricsRoute } from './metrics.js'
import { limitProbes, registerRateLimits } from './rate-limits.js'
import { readForCaller } from './read-for-caller.js'
import { createRequestLog, createRequestLogs, echoRequestId, OneLineEach, requestIdOf, tellAborted } from './request-log.js'
import { beginsSpans, createRequestSpans, spanRequests, tellRequests, type BeginSpan } from './request-spans.js'
import { registerFileRoutes } from './rest/files.js'
import { registerProductImportRoutes } from './rest/product-imports.js'
import { registerSizeChartPdfRoutes } from './rest/size-chart-pdfs.js'
import { sendSecurityHeaders } from './security-headers.js'
import { isAppError, notFound, type ErrorCode } from '../errors.js'
import { noTracer } from '../tracing/span.js'
import { createAuditTrail, type AuditTrail } from '../store/access/audit-trail.js'

const maxBodyBytes = 1_024 * 1_024
/** For a whole request to arrive, so that a client that dribbles its body is let go. */
const requestTimeoutMs = 120_000

export async function createApp (dependencies: AppDependencies, options: AppOptions = {}): Promise<FastifyInstance> {
  const { repositories, checks, metrics, settings, verifyToken, log } = dependencies
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const authenticator = createAuthenticator({ repositories, verifyToken, log: createRequestLog(log), monotonicMs })
  const refusals = createRefusals({ ...repositories, metrics, monotonicMs })
  const addressLimits = options.addressLimits ?? defaultAddressLimits
  const serverFactory = createHttpServer({ log, trustedProxies: settings.trustedProxies, maxConnectionsOfOne: addressLimits.connections, closing: options.closing })
  const beginSpan = beginsSpans(dependencies.tracer ?? noTracer)
  const { app, audit } = createFoundation(dependencies, { authenticator, refusals, beginSpan }, { serverFactory })
  cutConnectionsOnClose(app, options.closeGraceMs)
  registerAddressLimits(app, addressLimits)
  if (settings.graphiql) relaxGraphiql(app)
  measureRequests(app, metrics)
  if (beginSpan !== null) tellRequests(app)
  await registerLoadShedding(app, options.maxEventLoopDelayMs)
  sendSecurityHeaders(app)
  registerCors(app, settings.corsOrigins)
  registerRateLimits(app, { authenticator, requestsPerMinute: settings.requestsPerMinute, monotonicMs })
  const servesOps = options.servesOps ?? true
  const onRequest = [limitProbes(monotonicMs)]
  if (settings.console) await registerConsole(app, { redeem: dependencies.redeemConsoleLink, onRequest })
  registerHealthRoutes(app, { checks, tellParts: servesOps, closing: options.closing, onRequest })
  if (servesOps) registerMetricsRoute(app, metrics, onRequest)
  registerProductImportRoutes(app, { ...dependencies, authenticator, audit })
  await registerFileRoutes(app, { files: dependencies.files, authenticator, audit })
  registerSizeChartPdfRoutes(app, repositories)
  const countRefusal = (reason: string): void => {
    (metrics.getSingleMetric('catalog_refused_operations_total') as Counter<'reason'>).inc({ reason })
  }
  await registerGraphql(app, { ...dependencies, authenticator, audit, countRefusal, isTraced: beginSpan !== null }, options)
  return app
}

/**
 * GraphQL as createApp serves it, for requests that createApp has let in and handed on (graphql/limits/large-requests.ts): what comes before
 * and around an operation (authentication, limits, headers, metrics, the log's line) has happened there.
 */
export async function createLargeRequestApp (
  dependencies: GraphqlDependencies & Pick<Foundation, 'authenticator'>,
  { onRefused, beginSpan, publicUrl }: Pick<AppOptions, 'publicUrl'> & { onRefused: (reason: string) => void, beginSpan: BeginSpan }
): Promise<FastifyInstance> {
  // Its refusals are told in the log and put on record here, and counted where the metrics are.
  const own = createRefusals({ ...dependencies.repositories, metrics: undefined, monotonicMs: () => performance.now() })
  const refusals: Refusals = {
    ...own,
    async operation (by, operation, error, log) {
      if (isAppError(error) && error.code === 'FORBIDDEN') onRefused(error.reason ?? 'other')
      await own.operation(by, operation, error, log)
    }
  }
  const { app, audit } = createFoundation(dependencies, { ...dependencies, refusals, beginSpan }, { disableRequestLogging: true })
  await registerGraphql(app, { ...dependencies, audit, answerLarge: null, operatorId: null, checks: {}, countRefusal: onRefused, isTraced: true }, { publicUrl })
  return app
}

interface Foundation {
  app: FastifyInstance
  authenticator: Authenticator
  audit: AuditTrail
}

function createFoundation (
  { repositories, settings, log }: GraphqlDependencies,
  { authenticator, refusals, beginSpan }: { authenticator: Authenticator, refusals: Refusals, beginSpan: BeginSpan | null },
  { disableRequestLogging = false, ...server }: { disableRequestLogging?: boolean, serverFactory?: ReturnType<typeof createHttpServer> } = {}
): Omit<Foundation, 'authenticator'> {
  const answerError = errorAnswer(settings)
  const spans = beginSpan === null ? null : createRequestSpans(beginSpan)
  const app: FastifyInstance = Fastify({
    loggerInstance: createRequestLog(log),
    childLoggerFactory: createRequestLogs(log, spans?.begin ?? null),
    logController: new OneLineEach({ disableRequestLogging }),
    genReqId: requestIdOf,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    // Whose address a request comes from is a proxy's word only where the operator trusts that proxy.
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    frameworkErrors: answerError,
    ...server
  })
  app.decorate('refusals', refusals)
  app.decorateRequest('authentication', null)
  spanRequests(app, spans)
  readForCaller(app)
  app.addHook('onClose', async () => { await authenticator.close() })
  // JSON alone is read; text that happens to hold JSON is a wrong content type.
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    answerError(notFound(`There is no ${request.method} ${request.url.split('?', 1)[0]}`), request, reply)
  })
  echoRequestId(app)
  if (!disableRequestLogging) tellAborted(app)
  letGoOfRefusedUpgrades(app)
  guardRoutes(app, authenticator)
  const audit = createAuditTrail(repositories.auditEvents, (error, action) => {
    app.log.warn({ err: error, action }, 'the end of an operation was not put on record')
  })
  return { app, audit }
}

/** In a scope of its own: no other route reads forms, or leaves bodies unread. */
async function registerGraphql (
  app: FastifyInstance,
  dependencies: GraphqlDependencies & Pick<AppDependencies, 'answerLarge' | 'operatorId'> & { checks: Partial<AppDependencies['checks']> } & Pick<Foundation, 'authenticator' | 'audit'> & { countRefusal: (reason: string) => void, isTraced: boolean },
  { jobPollIntervalMs, recheckIntervalMs, publicUrl, monotonicMs = () => performance.now() }: AppOptions
): Promise<void> {
  await app.register(async (scope) => { await registerGraphqlApi(scope, { ...dependencies, jobPollIntervalMs, recheckIntervalMs, publicUrl, monotonicMs }) })
}

/** What is thrown anywhere but in the execution of a GraphQL operation. */
const errorAnswer = ({ introspection }: ApiSettings) => (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  if (request.routeOptions.url === graphqlPath) {
    const errors = exposeGraphqlError(error, request.log, introspection)
    const code = errors[0]?.extensions?.['code'] as ErrorCode
    reply.code(httpStatusOf[code]).send({ data: null, errors })
    return
  }
  const { retryAfterSeconds, ...shown }: PublicError = exposeError(error, request.log)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  reply.code(httpStatusOf[shown.code]).send({ success: false, error: shown })
}
