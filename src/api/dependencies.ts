/** What the API is handed by who wires it: everything with I/O behind it comes from outside. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { MerchantFiles } from '../domain/merchant-file.js'
import type { UpsertProducts } from '../domain/upsert-products.js'
import type { ApiSettings, SftpAddress } from '../config.js'
import type { ImportQueue, Wake } from '../jobs/import-queue.js'
import type { Repositories } from '../store/repositories.js'
import type { Tracer } from '../tracing/span.js'
import type { AddressLimits } from './address-limits.js'
import type { RedeemLink } from './console.js'
import type { VerifyToken } from './auth/token-verifier.js'
import type { AnswerLarge } from './graphql/limits/large-requests.js'

export type ReadinessCheck = 'database' | 'queue' | 'files'

/** What GraphQL alone needs. */
export interface GraphqlDependencies {
  repositories: Repositories
  importQueue: ImportQueue
  upsertProducts: UpsertProducts
  settings: ApiSettings
  /** Where merchants upload; null: it is not known. */
  sftpAddress: SftpAddress | null
  /** Tells a worker that a size chart of the vendor waits for its conversion. */
  wakeConversion: Wake
  log: Logger
}

export interface AppDependencies extends GraphqlDependencies {
  /** Tells whose an access token is. */
  verifyToken: VerifyToken
  /** Answers large requests, so that this thread's event loop need not; null where it has to. */
  answerLarge: AnswerLarge | null
  /** Merchants' files, for those who upload over HTTP. */
  files: MerchantFiles
  /** Of the console's one-time link; null where there is none. */
  redeemConsoleLink: RedeemLink | null
  /** The user that the link signs in; null where there is none. */
  operatorId: string | null
  /** Each throws while its part is away. */
  checks: Record<ReadinessCheck, () => Promise<void>>
  /** Requests are traced by it; without it, none is. */
  tracer?: Tracer
  /** Served at /metrics, here or by the app for operators; the API adds its own metrics to it, so one registry serves one app. */
  metrics: Registry
}

/** The defaults are for production; most of them only tests set. */
export interface AppOptions {
  /** Origin of the links that customers are given; without it the host that was asked. */
  publicUrl?: string | undefined
  /** Whether /metrics and the details of /readyz are served here, to whoever asks; not where they have a port of their own. */
  servesOps?: boolean
  /** Aborted when the process is about to end: it goes on answering until it is closed, and says that it is no longer ready. */
  closing?: AbortSignal
  /** A monotonic clock, in milliseconds. */
  monotonicMs?: () => number
  /** Mean delay of the event loop over a second from which on requests are refused; 0 refuses none. */
  maxEventLoopDelayMs?: number
  /** How much one address may hold open at a time. */
  addressLimits?: AddressLimits
  /** How often a watched import job is read. */
  jobPollIntervalMs?: number
  /** How often the credential of an open websocket is checked again. */
  recheckIntervalMs?: number
  /** How long requests under way have to be answered in, once the app is being closed. */
  closeGraceMs?: number
}
