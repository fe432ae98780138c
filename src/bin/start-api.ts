/** The role `api`, and health and metrics where they have a port of their own. */
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { createApp } from '../api/app.js'
import type { AppDependencies } from '../api/dependencies.js'
import { createLargeRequestThreads } from '../api/large-request-threads.js'
import { createOpsApp, type OpsDependencies } from '../api/ops-app.js'
import type { SftpAddress } from '../config.js'
import { createImportQueue, type Wake } from '../jobs/import-queue.js'
import type { SftpFiles } from '../sources/sftp-files.js'
import { groupUpserts } from '../store/catalog/grouped-upserts.js'
import type { Database } from '../store/database/connection.js'
import type { Repositories } from '../store/repositories.js'
import type { LargeWork } from '../threads/large-work.js'
import type { ThreadMetrics } from '../threads/thread-metrics.js'
import type { Tracer } from '../tracing/span.js'
import { operatorId, type ConsoleLink } from './console-link.js'
import type { RequestThreadData } from './request-thread.js'
import type { Starting } from './starting.js'
import { createVerifyToken } from './verify-token.js'

interface StartingApi extends Starting {
  tracer: Tracer
  files: SftpFiles
  sftpAddress: SftpAddress | null
  link: ConsoleLink | null
  mongodbUrl: string
  database: Database
  repositories: Repositories
  checks: AppDependencies['checks']
  wake: Wake
  wakeConversion: Wake
  metrics: Registry
  threadMetrics: ThreadMetrics
  largeWork: LargeWork
}

/** Gives its base URL. */
export async function startApi (starting: StartingApi): Promise<string> {
  const { config, log, onDrain, onStop, tracer, files, sftpAddress, link, mongodbUrl, database, repositories, metrics, threadMetrics, largeWork, checks, wake, wakeConversion } = starting
  const { api: settings, publicUrl, sizeChartQuota, logLevel } = config
  const data: RequestThreadData = { mongodbUrl, settings, publicUrl, sftpAddress, sizeChartQuota, logLevel }
  const largeRequests = createLargeRequestThreads({
    entry: new URL('./request-thread.js', import.meta.url), data, wake, wakeConversion, largeWork, readGate: database.readGate, log, metrics: threadMetrics
  })
  onStop(largeRequests.close)
  const app = await createApp({
    repositories,
    importQueue: createImportQueue(repositories, wake, log),
    upsertProducts: groupUpserts(createUpsertProducts(database.collections)),
    checks,
    answerLarge: largeRequests.answer,
    files,
    sftpAddress,
    redeemConsoleLink: link?.redeem ?? null,
    operatorId: link === null ? null : operatorId,
    verifyToken: await createVerifyToken(config, log),
    settings,
    wakeConversion,
    log,
    metrics,
    tracer
  }, { publicUrl, servesOps: config.opsPort === undefined, closing: starting.closing })
  onDrain(async () => { await closeLater(app, starting) })
  await app.listen({ host: config.host, port: config.port })
  return addressOf(app, config.host)
}

/** Gives their base URL; '' without OPS_PORT. */
export async function startOps (starting: Starting, dependencies: OpsDependencies): Promise<string> {
  const { config, onDrain } = starting
  if (config.opsPort === undefined) return ''
  const app = createOpsApp(dependencies)
  onDrain(async () => { await closeLater(app, starting) })
  await app.listen({ host: config.host, port: config.opsPort })
  return addressOf(app, config.host)
}

/** When whoever shares the requests out has had the time to see over /readyz that this process takes no more. */
async function closeLater (app: FastifyInstance, { config: { drainDelaySeconds }, hurry }: Starting): Promise<void> {
  await delay(drainDelaySeconds * 1_000, undefined, { signal: hurry }).catch(() => { /* it may end at once */ })
  await app.close()
}

function addressOf (app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
