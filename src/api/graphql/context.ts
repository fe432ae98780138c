/** What resolvers and loaders find in their context, over HTTP and over a websocket alike. */
import type { FastifyBaseLogger } from 'fastify'
import type { Caller } from '../../domain/access.js'
import type { RowBudget } from './row-budget.js'

export interface GraphqlContext {
  /** Who asks. Throws UNAUTHENTICATED. Asked again at every event of a subscription, so that a revoke ends it. */
  caller: () => Promise<Caller>
  rows: RowBudget
  /** Where links to this service begin, such as `https://catalog.example.com`. */
  origin: string
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
  /** Counts one subscription more; false when it is one too many, ever or within a second. */
  mayBegin (): boolean
  hangUp (): void
}

declare module 'mercurius' {
  // Its members, to Mercurius' own.
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface MercuriusContext extends GraphqlContext {}
}
