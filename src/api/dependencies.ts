/** What the API is handed by who wires it: everything with I/O behind it comes from outside. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ApiSettings } from '../config.js'
import type { Fault } from '../domain/issue.js'
import type { Product } from '../domain/product.js'
import type { ImportQueue } from '../jobs/import-queue.js'
import type { Repositories } from '../store/repositories.js'
import type { VerifyToken } from './auth/token-verifier.js'

export type UpsertOutcome = { product: Product } | { faults: readonly Fault[] }

/**
 * Applies products in UPDATE mode: same stages, same merge as a file import (decisions.md, upsertProducts). Each element
 * looks like a line of a file; one outcome per element, in order.
 */
export type UpsertProducts = (vendorId: string, products: Array<Record<string, unknown>>) => Promise<UpsertOutcome[]>

export type ReadinessCheck = 'database' | 'queue' | 'files'

export interface AppDependencies {
  repositories: Repositories
  importQueue: ImportQueue
  upsertProducts: UpsertProducts
  /** Tells whose an access token is. */
  verifyToken: VerifyToken
  settings: ApiSettings
  /** Each throws while its part is away. */
  checks: Record<ReadinessCheck, () => Promise<void>>
  log: Logger
  /** Served at /metrics; the API adds its own metrics to it, so one registry serves one app. */
  metrics: Registry
}

/** What tests set; the defaults are for production. */
export interface AppOptions {
  /** A monotonic clock, in milliseconds. */
  monotonicMs?: () => number
  /** How often a watched import job is read. */
  jobPollIntervalMs?: number
  /** How often the credential of an open websocket is checked again. */
  recheckIntervalMs?: number
}
