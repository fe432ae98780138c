/**
 * GraphQL over websocket (protocols graphql-transport-ws and graphql-ws): who may connect, and what a connection may
 * cost. Mercurius neither bounds nor validates what comes over it, so it is done here.
 *
 *   upgrade ─▶ waits for connection_init (≤ 10 s) ─▶ authenticated, and again every second ─▶ subscriptions ─▶ closed
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { getOperationAST, getVariableValues, OperationTypeNode, specifiedRules, validate, type DocumentNode, type GraphQLSchema } from 'graphql'
import type { MercuriusCommonOptions } from 'mercurius'
import type { Principal } from '../../domain/access.js'
import { isRecord } from '../../domain/reader.js'
import { badInput, isAppError, limitExceeded } from '../../errors.js'
import { callerAt } from '../auth/access.js'
import { asReader, type Reader } from '../../store/reads/reader.js'
import { noSpan } from '../../tracing/span.js'
import type { Authenticator, Credentials } from '../auth/authenticator.js'
import { namesOf, ownerOf } from '../auth/request-credentials.js'
import { exposeGraphqlError } from '../error-mapper.js'
import { createAnswerBudget, eventBounds } from './limits/answer-budget.js'
import { asGraphqlError } from './as-graphql-error.js'
import type { ConnectionState, GraphqlContext } from './context.js'
import { parseWithinLimits } from './limits/document-limits.js'
import { createMessageBound, maxMessageBytes, type MessageBound } from './limits/message-bound.js'
import { createRowBudget } from './limits/row-budget.js'

const connectionInitTimeoutMs = 10_000
const keepAliveMs = 30_000
/** With the 3 s that records are remembered: a revoke ends connections within 5 s, also those over which nothing happens. */
const defaultRecheckIntervalMs = 1_000
/** Of this process. Each costs some 50 KB. */
const maxConnections = 2_000
/** Mercurius keeps a little of every subscription that failed until its connection ends. */
const maxSubscriptionsEver = 1_000
/** Begun within a second; each takes almost a millisecond. */
const maxSubscriptionsPerSecond = 60
/** Then sockets whose clients do not answer the close are cut. */
const closeGraceMs = 1_000

/** Close codes of graphql-transport-ws and RFC 6455. */
const closeCodes = { forbidden: 4403, tooManyRequests: 4429, tryAgainLater: 1013 }

type SubscriptionOptions = Exclude<NonNullable<MercuriusCommonOptions['subscription']>, boolean>

const openState = 1

/** Of the ws package. */
interface WebSocket {
  readyState: number
  close (code: number, reason?: string): void
  terminate (): void
  once (event: 'close', listener: () => void): void
  on (event: 'message' | 'ping' | 'pong', listener: (data: Buffer) => void): void
  removeAllListeners (event: 'message'): void
}

interface WebSocketServer {
  /** Looked at with each connection. */
  options: { maxPayload: number, allowSynchronousEvents: boolean }
  on (event: 'connection', listener: (socket: WebSocket) => void): void
}

/** Mercurius' own object; `onConnect` is called as its method, which is the only way from there to the request. */
interface MercuriusConnection {
  socket: WebSocket
  context: { request: FastifyRequest }
  fastify: { graphql: { schema: GraphQLSchema } }
  sendError: (error: Error, id: unknown) => void
  /** Begins an operation, with a copy of `context` that it takes at once, and ends with it. */
  handleGQLStart: (message: StartMessage) => Promise<void>
}

/** As it came, in everything but its type. */
interface StartMessage { id?: unknown, extensions?: unknown, payload?: unknown }

interface WebsocketSettings {
  suggestNames: boolean
  monotonicMs: () => number
  recheckIntervalMs: number | undefined
  /** Of the links in answers. */
  originOf: (request: FastifyRequest) => string
}

export function createWebsockets (
  app: FastifyInstance, authenticator: Authenticator, { suggestNames, monotonicMs, recheckIntervalMs = defaultRecheckIntervalMs, originOf }: WebsocketSettings
): SubscriptionOptions {
  const sockets = new Set<Socket>()
  const initTimers = new WeakMap<Socket, NodeJS.Timeout>()
  const initialised = new WeakSet<WebSocket>()
  const bounds = new WeakMap<WebSocket, MessageBound>()

  // Mercurius makes the websocket server in a scope of its own, where it is there by the time that its route is.
  app.addHook('onRoute', function (route) {
    const { websocketServer } = this as unknown as { websocketServer?: WebSocketServer }
    if (websocketServer === undefined || route.method !== 'GET') return
    // One message in a turn of the event loop, however many a packet brings.
    Object.assign(websocketServer.options, { maxPayload: maxMessageBytes, allowSynchronousEvents: false })
    websocketServer.on('connection', (socket) => {
      const bound = createMessageBound(monotonicMs)
      bounds.set(socket, bound)
      boundMessages(socket, bound)
    })
  })

  function verifyClient ({ req }: { req: IncomingMessage }, next: (result: boolean, code?: number, message?: string) => void): void {
    if (sockets.size >= maxConnections) {
      next(false, 503, 'Too many connections')
      return
    }
    const { socket } = req
    sockets.add(socket)
    const timer = setTimeout(() => { socket.destroy() }, connectionInitTimeoutMs)
    initTimers.set(socket, timer)
    socket.once('close', () => {
      clearTimeout(timer)
      sockets.delete(socket)
    })
    next(true)
  }

  async function onConnect (this: MercuriusConnection, { payload }: { payload: unknown }): Promise<GraphqlContext | false> {
    const { socket, context: { request } } = this
    // Mercurius would begin anew each time, and lose its keep-alive timer of the time before.
    if (initialised.has(socket)) {
      socket.close(closeCodes.tooManyRequests, 'Too many initialisation requests')
      return false
    }
    initialised.add(socket)
    const { vendorHeader: header, ...credentials } = credentialsOf(payload, request)
    const principal = async (): Promise<Principal> => await authenticator.authenticate(credentials)
    let owner: string
    try {
      const who = await principal()
      owner = ownerOf(who)
      request.log = request.log.child(namesOf(who))
    } catch (error) {
      request.server.refusals.credential(request, error)
      const [told] = exposeGraphqlError(error, request.log)
      const refused = isAppError(error) && error.code === 'UNAUTHENTICATED'
      socket.close(refused ? closeCodes.forbidden : closeCodes.tryAgainLater, told?.message)
      return false
    }
    clearTimeout(initTimers.get(request.raw.socket))
    bounds.get(socket)?.renew()
    const rechecks = new Set<Recheck>()
    recheck(socket, recheckIntervalMs, async () => {
      const now = await principal()
      for (const ask of rechecks) ask((argument) => callerAt(now, { argument, header }))
    })
    tellErrorsAsOverHttp(this, request.log, suggestNames)
    /** Of each operation by itself: a user may follow jobs of several vendors. */
    const operation = (): OperationContext => {
      const budget = createAnswerBudget(eventBounds)
      const reader: Reader = { owner, take: (bytes) => { budget.take('bytes', bytes) } }
      return {
        reader,
        rows: createRowBudget(),
        budget,
        async caller (argument) {
          const caller = callerAt(await principal(), { argument, header })
          reader.owner = caller.vendorId
          return caller
        }
      }
    }
    beginWithinLimits(this, operation)
    // What only the operator is told is not followed.
    return { principal, isOperator: () => false, origin: originOf(request), log: request.log, span: noSpan, connection: connectionState(socket, rechecks), ...operation() }
  }

  let cut: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    cut = setTimeout(() => { for (const socket of sockets) socket.destroy() }, closeGraceMs)
  })
  app.addHook('onClose', async () => { clearTimeout(cut) })

  return { verifyClient, onConnect, keepAlive: keepAliveMs }
}

/**
 * A socket that asked to be upgraded and got an answer instead (by another route, or as one too many) is Node's no longer, and not ours either:
 * without this it would stay open for ever, and app.close() would wait for it. One that was upgraded gets no answer.
 */
export function letGoOfRefusedUpgrades (app: FastifyInstance): void {
  app.addHook('onResponse', ({ headers, raw }, _reply, done) => {
    if (headers.upgrade !== undefined) raw.socket.destroySoon()
    done()
  })
}

/** From the connection parameters, whatever the case of their names, else from the request that was upgraded. */
function credentialsOf (payload: unknown, { headers }: FastifyRequest): Credentials & { vendorHeader: string | undefined } {
  const given = new Map(Object.entries(typeof payload === 'object' && payload !== null ? payload : {})
    .map(([name, value]) => [name.toLowerCase(), value as unknown]))
  const text = (name: string): string | undefined => {
    const value = given.get(name) ?? headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return { apiKey: text('x-vendor-api-key'), authorization: text('authorization'), vendorHeader: text('x-vendor-id') }
}

type Recheck = Parameters<ConnectionState['onRecheck']>[0]

function connectionState (socket: WebSocket, rechecks: Set<Recheck>): ConnectionState {
  const closed = new AbortController()
  socket.once('close', () => { closed.abort() })
  return {
    closed: closed.signal,
    running: 0,
    onRecheck (listener) {
      rechecks.add(listener)
      return () => { rechecks.delete(listener) }
    }
  }
}

/** Hangs up when the credential is revoked or expired, or its user is gone. A database that is away is no reason. */
function recheck (socket: WebSocket, intervalMs: number, check: () => Promise<void>): void {
  // A socket that closed while its credential was being looked up has told so already: hence not by its event alone.
  const timer = setInterval(() => {
    if (socket.readyState !== openState) {
      clearInterval(timer)
      return
    }
    check().catch((error: unknown) => {
      if (isAppError(error) && error.code === 'UNAUTHENTICATED') socket.close(closeCodes.forbidden, error.message)
    })
  }, intervalMs).unref()
  socket.once('close', () => { clearInterval(timer) })
}

const isNullText = /^\uFEFF?[ \t\n\r]*null[ \t\n\r]*$/

/** Ends with the connection's use: what comes after that is nobody's, however much it is. */
function boundMessages (socket: WebSocket, bound: MessageBound): void {
  const count = (data: Buffer): void => {
    const { length } = data
    const isOpen = socket.readyState === openState
    if (isOpen && bound.take(length)) return
    socket.removeAllListeners('message')
    if (!isOpen) return
    socket.close(closeCodes.tooManyRequests, 'Too many messages')
    setTimeout(() => { socket.terminate() }, closeGraceMs).unref()
  }
  socket.on('message', (data) => {
    count(data)
    // Mercurius looks into whatever JSON it is, and takes its own failure for an error of ours; what is none it answers.
    if (isNullText.test(data.toString())) data.fill('!')
  })
  socket.on('ping', count)
  socket.on('pong', count)
}

interface OperationContext extends Pick<GraphqlContext, 'rows' | 'budget' | 'caller'> {
  /** For whom it reads: what a socket brings comes as events, which belong to no request. */
  reader: Reader
}

/**
 * Mercurius parses, and begins, whatever comes, and takes what is wrong with it for an error of ours. So all that is checked here first, the cheapest
 * before what costs more, and Mercurius is handed the document.
 */
function beginWithinLimits (connection: MercuriusConnection, operation: () => OperationContext): void {
  const { socket, fastify: { graphql: { schema } } } = connection
  const start = connection.handleGQLStart.bind(connection)
  const mayBegin = createBeginnings()
  connection.handleGQLStart = async (message) => {
    if (!mayBegin()) {
      socket.close(closeCodes.tooManyRequests, 'Too many subscriptions')
      throw limitExceeded(`At most ${maxSubscriptionsEver} subscriptions may be begun over one connection, ` +
        `${maxSubscriptionsPerSecond} of them within a second; connect again`)
    }
    // Those of the older protocol say who one is; that has been said.
    if (Array.isArray(message.extensions)) throw badInput('Extensions of a message are not supported')
    const { query, variables, operationName } = isRecord(message.payload) ? message.payload : {}
    if (variables !== undefined && variables !== null && !isRecord(variables)) throw badInput('"variables" must be a JSON object', 'variables')
    if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') throw badInput('"operationName" must be a string', 'operationName')
    const document = parseWithinLimits(query)
    checkSubscription(schema, document, operationName, variables ?? {})
    const { reader, ...own } = operation()
    await asReader(reader, async () => {
      Object.assign(connection.context, own)
      await start({ id: message.id, payload: { query: document, variables, operationName } })
    })
  }
}

/** Throws what the client is to be told of a document that is no subscription, or not valid. */
function checkSubscription (schema: GraphQLSchema, document: DocumentNode, operationName: string | null | undefined, variables: Record<string, unknown>): void {
  const [invalid] = validate(schema, document, specifiedRules, { maxErrors: 1 })
  if (invalid !== undefined) throw invalid
  const operation = getOperationAST(document, operationName)
  if (operation === null || operation === undefined) throw badInput('"operationName" must be one of the operations of the document', 'operationName')
  if (operation.operation !== OperationTypeNode.SUBSCRIPTION) throw badInput('Only subscriptions come over a websocket; send queries and mutations with POST')
  const { errors: [wrong] = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 1 })
  if (wrong !== undefined) throw wrong
}

/** Counts one subscription more; false when it is one too many, ever or within a second. */
function createBeginnings (): () => boolean {
  let begun = 0
  let second = { since: 0, begun: 0 }
  return () => {
    const now = performance.now()
    if (now - second.since >= 1_000) second = { since: now, begun: 0 }
    return ++begun <= maxSubscriptionsEver && ++second.begun <= maxSubscriptionsPerSecond
  }
}

/** Mercurius' words for what is no message of the protocol. */
const faultOfMessage = /^(?:Message must be a JSON string|Invalid payload type)$/

/** Mercurius sends the errors of this transport as they are: without codes, and unmasked. */
function tellErrorsAsOverHttp (connection: MercuriusConnection, log: FastifyBaseLogger, suggestNames: boolean): void {
  const send = connection.sendError.bind(connection)
  connection.sendError = (error, id) => {
    const [told] = exposeGraphqlError(faultOfMessage.test(error.message) ? badInput(error.message) : error, log, suggestNames)
    if (told !== undefined) send(asGraphqlError(told), id)
  }
}
