/** What resolvers and loaders find in their context, over HTTP and over a websocket alike. */
import type { FastifyBaseLogger } from 'fastify'
import type { Caller, Principal } from '../../domain/access.js'
import type { AnswerBudget } from './limits/answer-budget.js'
import type { Span } from '../../tracing/span.js'
import type { RowBudget } from './limits/row-budget.js'

export interface GraphqlContext {
  /** Whose credential it is. Throws UNAUTHENTICATED. Asked again at every event of a subscription, so that a revoke ends it. */
  principal: () => Promise<Principal>
  /**
   * The same at one vendor; without `vendorId`, at the one of the header X-Vendor-Id or the only one. Throws as callerAt does.
   * A nested field that has a rule of its own passes its record's vendor: a user may do other things at another.
   */
  caller: (vendorId?: string) => Promise<Caller>
  /** See auth/operator.ts. */
  isOperator: (principal: Principal) => boolean
  rows: RowBudget
  budget: AnswerBudget
  /** The document holds more than queries, so that its answer cannot be made anew. */
  isChange?: boolean
  /** Where links to this service begin, such as `https://catalog.example.com`. */
  origin: string
  /** The operation's, once it has begun; the request's before. */
  span: Span
  /** Names the vendor and the key once the caller is known. */
  readonly log: FastifyBaseLogger
  /** Only over a websocket. */
  connection?: ConnectionState
}

export interface ConnectionState {
  /** Aborted when the socket has closed. */
  closed: AbortSignal
  /** Subscriptions that run now. */
  running: number
  /**
   * Asks `listener` again about every second, while the credential is good, with a `caller` as above for who it is by then; until
   * what it gives is called. It must not throw.
   */
  onRecheck (listener: (caller: (vendorId?: string) => Caller) => void): () => void
}

declare module 'mercurius' {
  // Its members, to Mercurius' own.
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface MercuriusContext extends GraphqlContext {}
}
