/**
 * POST /graphql, and websockets at the same path (interface.md, Endpoints; decisions.md, Access: HTTP 200 once the
 * document is valid, 400 otherwise).
 *
 * Mercurius' JIT is off on purpose: it compiles a document for the operation it saw first and runs that one for every
 * later `operationName`; and to compile one that is within all limits keeps the event loop for 40 ms and more, which whoever sends it a few
 * times would ask for, to save others 10 to 100 µs of their requests (docs/performance.md).
 */
import type {
  FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler, preValidationHookHandler
} from 'fastify'
import { getOperationAST, NoSchemaIntrospectionCustomRule, type DocumentNode, type OperationDefinitionNode } from 'graphql'
import mercurius, { type MercuriusContext } from 'mercurius'
import { isRecord } from '../../domain/reader.js'
import { badInput } from '../../errors.js'
import type { AuditTrail } from '../../store/access/audit-trail.js'
import type { Authenticator } from '../auth/authenticator.js'
import { guardFields } from '../auth/field-rules.js'
import { guardRootFields } from '../auth/guard.js'
import { assertRulesCover } from '../auth/rules.js'
import { principalOf } from '../auth/request-credentials.js'
import type { AppDependencies } from '../dependencies.js'
import { exposeGraphqlError } from '../error-mapper.js'
import { whenReplied } from '../reply-end.js'
import { createRequestRoom, roomOwner } from '../request-room.js'
import { createAccessResolvers } from './access/access.js'
import { createVendorUserResolvers } from './access/vendor-users.js'
import { largeBounds, ownBounds } from './limits/answer-budget.js'
import { isChange, isCostlyChange } from './limits/costly-operations.js'
import { countAnswers } from './limits/count-answers.js'
import { checkCost } from './limits/document-cost.js'
import { checkDocument, checkDocumentText, maxTokens } from './limits/document-limits.js'
import type { GraphqlContext } from './context.js'
import { createJobWatch } from './jobs/job-watch.js'
import { boundKeptDocuments, mostKeptDocuments } from './limits/kept-documents.js'
import { createHandOn, isLarge, LargeAnswerAhead, maxOwnBodyBytes, readBodies, type AnswerLarge } from './limits/large-requests.js'
import { createFitmentResolvers } from './fitment/fitment.js'
import { createFitmentAssistantResolvers } from './fitment/fitment-assistant.js'
import { createLoaders } from './loaders.js'
import { createProductImportResolvers } from './jobs/product-import.js'
import { createAnalyticsResolvers } from './analytics/analytics.js'
import { traceOperations } from './operation-spans.js'
import { createProductResolvers } from './catalog/products.js'
import { RequestContext } from './request-context.js'
import { scalars } from './scalars.js'
import { readSchemaText } from './schema-text.js'
import { createServiceResolvers } from './service.js'
import { createSizeChartAnswerResolvers } from './size-charts/size-chart-answer.js'
import { createSizeChartResolvers } from './size-charts/size-charts.js'
import { checkUploadVariables, isMultipart, maxUploadBodyBytes, registerUploads, Upload } from './uploads.js'
import { createStoreLocationResolvers } from './catalog/store-locations.js'
import { createVendorJobsWatch } from './jobs/vendor-jobs-watch.js'
import { createViewerResolvers } from './access/viewer.js'
import { createWebsockets } from './websocket.js'
import { asGraphqlError } from './as-graphql-error.js'

export const graphqlPath = '/graphql'

const maxBodyBytes = 16 * 1_024 * 1_024

interface GraphqlApiDependencies extends Pick<AppDependencies, 'repositories' | 'importQueue' | 'upsertProducts' | 'wakeConversion' | 'settings' | 'sftpAddress'> {
  authenticator: Authenticator
  audit: AuditTrail
  jobPollIntervalMs: number | undefined
  publicUrl: string | undefined
  recheckIntervalMs: number | undefined
  monotonicMs: () => number
  /** Requests have spans, and operations one below theirs. */
  isTraced: boolean
  /** null: large requests are answered here, like all others. */
  answerLarge: AnswerLarge | null
  /** Of who runs the service (auth/operator.ts), and what it is told of. */
  operatorId: string | null
  checks: Partial<AppDependencies['checks']>
  /** For operations that were refused where large requests are answered. */
  countRefusal: (reason: string) => void
}

export async function registerGraphqlApi (app: FastifyInstance, dependencies: GraphqlApiDependencies): Promise<void> {
  const { repositories, authenticator, audit, answerLarge, settings: { introspection, graphiql } } = dependencies
  const jobWatch = createJobWatch(repositories, app.log, dependencies.jobPollIntervalMs)
  const jobsWatch = createVendorJobsWatch(repositories, app.log, dependencies.jobPollIntervalMs)
  const imports = createProductImportResolvers({ ...dependencies, jobWatch, jobsWatch })
  const products = createProductResolvers(repositories)
  const access = createAccessResolvers(dependencies)
  const vendorUsers = createVendorUserResolvers(dependencies)
  const viewer = createViewerResolvers(repositories)
  const service = createServiceResolvers({ ...dependencies, log: app.log })
  const analytics = createAnalyticsResolvers(repositories)
  const sizeCharts = createSizeChartResolvers({ ...dependencies, log: app.log })
  const sizeChartAnswer = createSizeChartAnswerResolvers(repositories)
  const originOf = (request: FastifyRequest): string => dependencies.publicUrl ?? `${request.protocol}://${request.host}`
  const locations = createStoreLocationResolvers(repositories)
  const fitment = createFitmentResolvers(repositories)
  const fitmentAssistant = createFitmentAssistantResolvers(repositories)
  const subscription = createWebsockets(app, authenticator, {
    suggestNames: introspection, monotonicMs: dependencies.monotonicMs, recheckIntervalMs: dependencies.recheckIntervalMs, originOf
  })

  const contextOptions = { authenticator, operatorId: dependencies.operatorId, bounds: answerLarge === null ? largeBounds : ownBounds, originOf }
  const contextOf = (request: FastifyRequest, reply: FastifyReply): GraphqlContext =>
    new RequestContext(contextOptions, request, reply)

  const arriving = createRequestRoom('arriving')

  /**
   * Sixteen megabytes from anyone would be a cheap way to keep this process busy, and from one vendor over each of its connections, to fill it: what a body
   * may have is held from before it is read until it has come, and then it is in the hand of who answers it.
   */
  const admitBulk: preParsingHookHandler = (request, reply, payload, done) => {
    const length = Number(request.headers['content-length'] ?? Infinity)
    // A form is read past Fastify's own limit on bodies, as a stream.
    const isForm = isMultipart(request.headers['content-type'])
    const checkForm = (): void => {
      const isTooLong = isForm && length !== Infinity && length > maxUploadBodyBytes
      done(isTooLong ? badInput(`A form may have at most ${maxUploadBodyBytes} bytes`) : null, payload)
    }
    if (request.method !== 'POST' || (!isForm && length <= maxOwnBodyBytes)) return checkForm()
    principalOf(authenticator, request, reply).then((principal) => {
      if (isForm || answerLarge === null) return
      // A longer one is refused before it is read.
      const { leave } = arriving.enter(roomOwner(principal), Math.min(length, maxBodyBytes))
      payload.once('end', leave)
      whenReplied(request, reply, leave)
    }).then(checkForm, done)
  }

  registerUploads(app)
  readBodies(app, { isLarge: answerLarge === null ? () => false : isLarge, maxBytes: maxBodyBytes })
  const handOn = answerLarge === null ? null : createHandOn(authenticator, answerLarge, dependencies.countRefusal)

  await app.register(mercurius, {
    schema: await readSchemaText(),
    path: graphqlPath,
    resolvers: {
      ...scalars,
      Upload,
      ...guardRootFields({
        Query: {
          ...imports.Query, ...products.Query, ...locations.Query, ...fitment.Query, ...fitmentAssistant.Query, ...sizeCharts.Query,
          ...sizeChartAnswer.Query, ...analytics.Query, ...access.Query, ...vendorUsers.Query
        },
        Mutation: {
          ...imports.Mutation, ...locations.Mutation, ...fitment.Mutation, ...fitmentAssistant.Mutation, ...sizeCharts.Mutation,
          ...analytics.Mutation, ...access.Mutation, ...vendorUsers.Mutation
        },
        Subscription: imports.Subscription,
        ofUser: access.ofUser,
        ofPrincipal: { Query: { ...viewer.ofPrincipal.Query, ...service.ofPrincipal.Query, sftpAddress: () => dependencies.sftpAddress } }
      }, { audit }),
      ...guardFields(),
      ProductImportJob: imports.ProductImportJob,
      Product: products.Product,
      IntegrationApiKey: access.IntegrationApiKey,
      UserApiKey: access.UserApiKey,
      AuditEvent: access.AuditEvent,
      SftpKey: access.SftpKey,
      SizeChart: sizeCharts.SizeChart
    },
    loaders: createLoaders(repositories),
    context: contextOf,
    graphiql,
    validationRules: introspection ? [] : [NoSchemaIntrospectionCustomRule],
    allowBatchedQueries: false,
    cache: mostKeptDocuments,
    graphql: { parseOptions: { maxTokens } },
    // What is thrown before execution is answered by the app's own error handler.
    errorHandler: false,
    errorFormatter (execution, context) {
      // Made anew elsewhere, whatever else has been found: to read changes nothing.
      if (answerLarge !== null && context.connection === undefined && context.budget.isSpent && !context.isChange && mayHandOn(context)) throw new LargeAnswerAhead()
      return {
        // Without `data` the operation was refused as a whole, as when no operation has the name that was asked for.
        statusCode: execution.data === undefined ? 400 : 200,
        response: {
          data: execution.data ?? null,
          errors: execution.errors.flatMap((error) => exposeGraphqlError(error, context.log, introspection)).map(asGraphqlError)
        }
      }
    },
    subscription,
    additionalRouteOptions: {
      bodyLimit: maxBodyBytes,
      preParsing: admitBulk,
      preValidation: [...handOn === null ? [] : [handOn.largeBodies], checkRequestForm],
      ...(handOn === null ? {} : { errorHandler: handOn.largeAnswers }),
      // The serializer that Mercurius brings turns the list indexes in the paths of errors into strings.
      serializerCompiler: () => (body: unknown) => JSON.stringify(body)
    }
  })
  assertRulesCover(app.graphql.schema)
  // That the schema may be another one is when Mercurius forgets them.
  const keep = boundKeptDocuments(() => { app.graphql.replaceSchema(app.graphql.schema) })
  app.graphql.addHook('preValidation', (_schema, document) => {
    checkDocument(document)
    keep(document)
  })
  countAnswers(app.graphql.schema)
  /** Of a change, whose costs may have to be asked for. */
  async function leaveLargeChanges (operation: OperationDefinitionNode, document: DocumentNode, context: MercuriusContext, variables: Record<string, unknown>): Promise<void> {
    if (answerLarge === null || !await isCostlyChange(operation, document, variables, context, repositories)) return
    if (!mayHandOn(context)) throw badInput('A change of so much cannot be made together with files; send it by itself, as JSON')
    throw new LargeAnswerAhead()
  }
  app.graphql.addHook('preExecution', (schema, document, context, variables) => {
    checkCost(schema, document, variables)
    const operation = getOperationAST(document, operationNameIn(context))
    // Which one is meant is not said: nothing will be done.
    if (operation === null || operation === undefined || !isChange(operation)) return
    context.budget.allowReading()
    context.isChange = true
    return leaveLargeChanges(operation, document, context, variables)
  })
  // Behind what may refuse it.
  if (dependencies.isTraced) traceOperations(app, operationNameIn)
}

/** As checkRequestForm has let it through. */
const operationNameIn = ({ reply }: MercuriusContext): string | null | undefined => (reply.request.body as { operationName?: string | null }).operationName

/** Files are read where they come in. */
const mayHandOn = ({ reply }: MercuriusContext): boolean => reply.request.mercuriusUploadMultipart !== true

/** Before Fastify's own validation, which would turn a number into the text of a query. */
const checkRequestForm: preValidationHookHandler = (request, _reply, done) => {
  assertRequestForm(request)
  done()
}

function assertRequestForm (request: FastifyRequest): void {
  if (request.method === 'GET') {
    if ((request as { ws?: boolean }).ws === true) return
    throw badInput('Send GraphQL operations with POST')
  }
  const { body } = request
  if (!isRecord(body)) throw badInput('The body must be a JSON object with the GraphQL document in "query"')
  const { query, variables, operationName } = body
  if (typeof query !== 'string' || query.trim() === '') throw badInput('"query" must be the GraphQL document', 'query')
  checkDocumentText(query)
  if (variables !== undefined && variables !== null && !isRecord(variables)) {
    throw badInput('"variables" must be a JSON object', 'variables')
  }
  if (request.mercuriusUploadMultipart === true && isRecord(variables)) checkUploadVariables(variables)
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw badInput('"operationName" must be a string', 'operationName')
  }
}
