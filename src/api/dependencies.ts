/** What the API is handed by who wires it: everything with I/O behind it comes from outside. */
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Fault } from '../domain/issue.js'
import type { Product } from '../domain/product.js'
import type { ImportQueue, Wake } from '../jobs/import-queue.js'
import type { Repositories } from '../store/repositories.js'

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
  /** Tells a worker that a size chart of the vendor waits for its conversion. */
  wakeConversion: Wake
  /** Each throws while its part is away. */
  checks: Record<ReadinessCheck, () => Promise<void>>
  log: Logger
  /** Served at /metrics; the API adds its own metrics to it, so one registry serves one app. */
  metrics: Registry
}

/** The defaults are for production; most of them only tests set. */
export interface AppOptions {
  /** Origin of the links that customers are given; without it the host that was asked. */
  publicUrl?: string | undefined
  /** A monotonic clock, in milliseconds. */
  monotonicMs?: () => number
  /** How often a watched import job is read. */
  jobPollIntervalMs?: number
}
