/**
 * Health and metrics on a port of their own (PROBE_PORT), in whatever role: a worker or an SFTP server has no other, and an API's
 * need not be open to strangers.
 */
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ReadinessCheck } from './dependencies.js'
import { registerHealthRoutes } from './health.js'

export interface ProbeDependencies {
  /** Of what this process's roles need. */
  checks: Partial<Record<ReadinessCheck, () => Promise<void>>>
  metrics: Registry
  log: Logger
}

export function createProbeApp ({ checks, metrics, log }: ProbeDependencies): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log
  // Probes come every few seconds: only what goes wrong is worth a line.
  const app: FastifyInstance = Fastify({ loggerInstance, disableRequestLogging: true, bodyLimit: 1_024 })
  registerHealthRoutes(app, checks)
  app.get('/metrics', async (_request, reply) => await reply.type(metrics.contentType).send(await metrics.metrics()))
  return app
}
