/**
 * GraphQL over websocket (protocols graphql-transport-ws and graphql-ws): who may connect, and what a connection may
 * cost. Mercurius neither bounds nor validates what comes over it, so it is done here.
 *
 *   upgrade ─▶ waits for connection_init (≤ 10 s) ─▶ authenticated, and again every second ─▶ subscriptions ─▶ closed
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { specifiedRules, validate, type DocumentNode, type GraphQLSchema } from 'graphql'
import type { MercuriusCommonOptions, MercuriusContext } from 'mercurius'
import type { Principal } from '../../domain/access.js'
import { isAppError, limitExceeded } from '../../errors.js'
import { callerAt } from '../auth/access.js'
import { asReader, type Reader } from '../../store/reads/reader.js'
import type { Authenticator, Credentials } from '../auth/authenticator.js'
import { namesOf, ownerOf } from '../auth/request-credentials.js'
import { exposeGraphqlError } from '../error-mapper.js'
import { createAnswerBudget, ownBounds } from './answer-budget.js'
import { asGraphqlError } from './as-graphql-error.js'
import type { ConnectionState, GraphqlContext } from './context.js'
import { checkDocumentText, checkForeignDocument } from './document-limits.js'
import { createRowBudget } from './row-budget.js'

const connectionInitTimeoutMs = 10_000
const keepAliveMs = 30_000
/** With the 3 s that records are remembered: a revoke ends connections within 5 s, also those over which nothing happens. */
const defaultRecheckIntervalMs = 1_000
/** Of this process. Each costs some 50 KB. */
const maxConnections = 2_000
/** Mercurius keeps a little of every subscription that failed until its connection ends. */
const maxSubscriptionsEver = 1_000
/** Begun within a second; each takes almost a millisecond, and all that one packet brings are begun in one go. */
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
  once (event: 'close', listener: () => void): void
}

/** Mercurius' own object; `onConnect` is called as its method, which is the only way from there to the request. */
interface MercuriusConnection {
  socket: WebSocket
  context: { request: FastifyRequest }
  sendError: (error: Error, id: unknown) => void
  /** Begins an operation, and ends with it. */
  handleGQLStart: (message: { payload?: { query?: unknown } | null }) => Promise<void>
}

export interface Websockets {
  options: SubscriptionOptions
  /** For the hook preSubscriptionExecution. Throws what the client is to be told. */
  checkSubscription (schema: GraphQLSchema, document: DocumentNode, context: MercuriusContext): void
}

interface WebsocketSettings {
  suggestNames: boolean
  recheckIntervalMs: number | undefined
  /** Of the links in answers. */
  originOf: (request: FastifyRequest) => string
}

export function createWebsockets (
  app: FastifyInstance, authenticator: Authenticator, { suggestNames, recheckIntervalMs = defaultRecheckIntervalMs, originOf }: WebsocketSettings
): Websockets {
  const sockets = new Set<Socket>()
  const initTimers = new WeakMap<Socket, NodeJS.Timeout>()
  const initialised = new WeakSet<WebSocket>()

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
    try {
      const who = await principal()
      request.log = request.log.child(namesOf(who))
      request.reader.owner = ownerOf(who)
    } catch (error) {
      request.server.refusals.credential(request, error)
      const [told] = exposeGraphqlError(error, request.log)
      const refused = isAppError(error) && error.code === 'UNAUTHENTICATED'
      socket.close(refused ? closeCodes.forbidden : closeCodes.tryAgainLater, told?.message)
      return false
    }
    clearTimeout(initTimers.get(request.raw.socket))
    const rechecks = new Set<Recheck>()
    recheck(socket, recheckIntervalMs, async () => {
      const now = await principal()
      for (const ask of rechecks) ask((argument) => callerAt(now, { argument, header }))
    })
    tellErrorsAsOverHttp(this, request.log, suggestNames)
    beginWithin(this, request.reader)
    return {
      principal,
      async caller (argument) {
        const caller = callerAt(await principal(), { argument, header })
        request.reader.owner = caller.vendorId
        return caller
      },
      rows: createRowBudget(),
      budget: createAnswerBudget(ownBounds),
      origin: originOf(request),
      log: request.log,
      connection: connectionState(socket, rechecks)
    }
  }

  function checkSubscription (schema: GraphQLSchema, document: DocumentNode, context: MercuriusContext): void {
    const { connection } = context
    if (connection !== undefined && !connection.mayBegin()) {
      connection.hangUp()
      throw limitExceeded(`At most ${maxSubscriptionsEver} subscriptions may be begun over one connection, ` +
        `${maxSubscriptionsPerSecond} of them within a second; connect again`)
    }
    context.rows = createRowBudget()
    context.budget = createAnswerBudget(ownBounds)
    checkForeignDocument(document)
    const [failure] = validate(schema, document, specifiedRules, { maxErrors: 1 })
    if (failure !== undefined) throw failure
  }

  let cut: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    cut = setTimeout(() => { for (const socket of sockets) socket.destroy() }, closeGraceMs)
  })
  app.addHook('onClose', async () => { clearTimeout(cut) })

  return { options: { verifyClient, onConnect, keepAlive: keepAliveMs }, checkSubscription }
}

/**
 * A socket that asked to be upgraded and got an answer instead (by another route, or as one too many) is Node's no longer, and not ours either:
 * without this it would stay open for ever, and app.close() would wait for it. One that was upgraded gets no answer.
 */
export function letGoOfRefusedUpgrades (app: FastifyInstance): void {
  app.addHook('onResponse', async ({ headers, raw }) => {
    if (headers.upgrade !== undefined) raw.socket.destroySoon()
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
  let begun = 0
  let second = { since: 0, begun: 0 }
  return {
    closed: closed.signal,
    running: 0,
    mayBegin: () => {
      const now = performance.now()
      if (now - second.since >= 1_000) second = { since: now, begun: 0 }
      return ++begun <= maxSubscriptionsEver && ++second.begun <= maxSubscriptionsPerSecond
    },
    onRecheck (listener) {
      rechecks.add(listener)
      return () => { rechecks.delete(listener) }
    },
    hangUp: () => { socket.close(closeCodes.tooManyRequests, 'Too many subscriptions') }
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

/**
 * What a socket brings comes as events, which belong to no request: the operations begun over it are told for whom they read. And a text is
 * measured before Mercurius parses it.
 */
function beginWithin (connection: MercuriusConnection, reader: Reader): void {
  const start = connection.handleGQLStart.bind(connection)
  connection.handleGQLStart = async (message) => {
    const query = message.payload?.query
    if (typeof query === 'string') checkDocumentText(query)
    await asReader(reader, async () => { await start(message) })
  }
}

/** Mercurius sends the errors of this transport as they are: without codes, and unmasked. */
function tellErrorsAsOverHttp (connection: MercuriusConnection, log: FastifyBaseLogger, suggestNames: boolean): void {
  const send = connection.sendError.bind(connection)
  connection.sendError = (error, id) => {
    const [told] = exposeGraphqlError(error, log, suggestNames)
    if (told !== undefined) send(asGraphqlError(told), id)
  }
}
