/**
 * Health and metrics on a port of their own (OPS_PORT), in whatever role: a worker or an SFTP server has no other, and an API tells
 * strangers then that it is up, and no more.
 */
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ReadinessCheck } from './dependencies.js'
import { cutConnectionsOnClose } from './close-grace.js'
import { registerHealthRoutes } from './health.js'
import { registerMetricsRoute } from './metrics.js'

export interface OpsDependencies {
  /** Of what this process's roles need. */
  checks: Partial<Record<ReadinessCheck, () => Promise<void>>>
  metrics: Registry
  log: Logger
  /** Aborted when the process is about to end. */
  closing: AbortSignal
}

export function createOpsApp ({ checks, metrics, log, closing }: OpsDependencies): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log
  // Probes come every few seconds: only what goes wrong is worth a line.
  const app: FastifyInstance = Fastify({ loggerInstance, disableRequestLogging: true, bodyLimit: 1_024 })
  cutConnectionsOnClose(app)
  registerHealthRoutes(app, { checks, tellParts: true, closing })
  registerMetricsRoute(app, metrics)
  return app
}
