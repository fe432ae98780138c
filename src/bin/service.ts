/** Wires the service from its parts, by role, and takes it down again. Knows which parts are embedded. */
import { hostname } from 'node:os'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createUpsertProducts } from '../../pipelines/product-upsert.js'
import { createSizeChartConversion } from '../../pipelines/size-chart-conversion.js'
import { createApp } from '../api/app.js'
import type { AppDependencies } from '../api/dependencies.js'
import type { RedeemLink } from '../api/console.js'
import { createLargeRequestThreads } from '../api/large-request-threads.js'
import { createOpsApp, type OpsDependencies } from '../api/ops-app.js'
import type { Config } from '../config.js'
import { startEmbeddedParts } from '../embedded/embedded-parts.js'
import { loadOrCreateTokenSecret } from '../embedded/token-secret.js'
import { unavailable, type AppError } from '../errors.js'
import { registerImportMetrics } from '../jobs/import-metrics.js'
import { createAnalyticsConsumer } from '../jobs/analytics-consumer.js'
import { createBrokerCalls, type BrokerCalls } from '../jobs/broker-calls.js'
import { createImportQueue, type Wake } from '../jobs/import-queue.js'
import { createImportThreads } from '../jobs/import-threads.js'
import { createImportWorker } from '../jobs/import-worker.js'
import { createHintConsumer } from '../jobs/kafka-consumer.js'
import { createHintProducer, type HintProducer } from '../jobs/kafka-producer.js'
import { startRecovery } from '../jobs/recovery.js'
import { startRetention } from '../jobs/retention.js'
import { createSizeChartWorker } from '../jobs/size-chart-worker.js'
import { startSizeChartSweep } from '../jobs/size-chart-sweep.js'
import { maxPartitions, topicsWith, type Topics } from '../jobs/topics.js'
import { openKafkaAccess, type KafkaAccess } from '../kafka/kafka-access.js'
import { createThreadedPdfConverter } from '../pdf/convert-in-thread.js'
import { createPdfFetcher } from '../pdf/fetch-pdf.js'
import { startUpkeep } from '../jobs/upkeep.js'
import { createSftpFiles, type SftpFiles, type SftpFilesOptions } from '../sources/sftp-files.js'
import { openDatabase, type Database } from '../store/database/connection.js'
import { countFailedTransactions } from '../store/database/failed-transactions.js'
import { groupUpserts } from '../store/catalog/grouped-upserts.js'
import { createRepositories, type Repositories } from '../store/repositories.js'
import { createThreadMetrics, type ThreadMetrics } from '../threads/thread-metrics.js'
import type { Span, Tracer } from '../tracing/span.js'
import { startTracing } from '../tracing/start-tracing.js'
import { beginPreparing } from './begin-preparing.js'
import { createConsoleLink, type ConsoleLink } from './console-link.js'
import { createStops, type Stops } from './stops.js'
import type { RequestThreadData } from './request-thread.js'
import { checkSftpHostKeys, startSftp } from './start-sftp.js'
import { createVerifyToken } from './verify-token.js'

export interface Service {
  /** The API's base URL; '' without the role `api`. */
  url: string
  /** The console's one-time link; '' where there is none. */
  consoleLink: string
  /** Base URL of health and metrics; '' without OPS_PORT. */
  ops: string
  /** `host:port` of the SFTP server, built-in or external. */
  sftp: string
  mongodbUrl: string
  /** `host:port`, comma-separated; '' where no role needs Kafka. */
  kafkaBrokers: string
  /** Drains: no new job, the batch in hand is finished, running jobs are handed back. May be called twice. */
  close (): Promise<void>
}

/**
 * Starts the roles of `config`. Rejects, with everything taken down again, when a part cannot be started, or the database is behind or refuses us; of one that was
 * away and is found to do so later, `giveUp` is told.
 */
export async function startService (config: Config, log: Logger, giveUp?: (error: AppError) => void): Promise<Service> {
  const closing = new AbortController()
  const hurry = new AbortController()
  const stops = createStops(log)
  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await (closed ??= (async () => {
      closing.abort()
      await stops.run()
    })())
  }
  const endInHurry = (error: AppError): void => {
    hurry.abort()
    giveUp?.(error)
  }
  try {
    return await start({ config, log, closing: closing.signal, hurry: hurry.signal, ...stops, close, giveUp: endInHurry })
  } catch (error) {
    hurry.abort()
    await close()
    throw error
  }
}

interface Starting extends Pick<Stops, 'onDrain' | 'onStop'> {
  config: Config
  log: Logger
  closing: AbortSignal
  /** Of a process that has never served: nobody sends it requests who has to notice that it ends. */
  hurry: AbortSignal
  close: () => Promise<void>
  giveUp: (error: AppError) => void
}

async function start (starting: Starting): Promise<Service> {
  const { config, log, onStop, close } = starting
  const { roles } = config
  const usesKafka = roles.has('api') || roles.has('worker')
  const topics = topicsWith(config.kafka.topicPrefix)
  await checkSftpHostKeys(config)
  const { tracer, close: closeTracing } = await startTracing(usesKafka ? config.tracing : undefined, log)
  // After all that is traced.
  onStop(closeTracing)

  const parts = await startEmbeddedParts({
    config,
    log,
    parts: { mongodb: config.mongodbUrl === undefined, kafka: usesKafka && config.kafka.brokers === undefined, topics: Object.values(topics) },
    onHostLost: (error) => { log.fatal({ err: error }, 'the process that runs the embedded parts has gone') }
  })
  onStop(parts.close)
  const mongodbUrl = config.mongodbUrl ?? parts.mongodbUrl
  const kafkaBrokers = config.kafka.brokers ?? parts.kafkaBrokers
  if (mongodbUrl === undefined) throw unavailable('There is no MongoDB to use')
  const kafka = usesKafka && kafkaBrokers !== undefined ? await openKafkaAccess({ config: config.kafka, brokers: kafkaBrokers, log }) : undefined
  if (kafka !== undefined) onStop(async () => { kafka.close() })

  const database = openDatabase(mongodbUrl, { appName: 'catalog', urlVariable: config.mongodbUrlVariable })
  onStop(database.close)
  const repositories = createRepositories(database, config.sizeChartQuota)
  const { prepared } = await beginPreparing(database, starting)

  const sftp = await startSftp({ config, log, onStop, parts, mongodbUrl })
  const files = createSftpFiles({ ...sftp.client, log })
  onStop(files.close)

  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  registerImportMetrics(metrics, repositories.lanes, log)
  onStop(countFailedTransactions({ metrics, log }))

  let url = ''
  const link = await createLink(config, repositories)
  const checks: OpsDependencies['checks'] = { database: async () => { await Promise.all([prepared, database.ping()]) } }
  // A process that reads files asks the server for more than whether it is there.
  if (sftp.check !== undefined) checks.files = sftp.check
  if (kafka !== undefined && kafkaBrokers !== undefined) {
    // The embedded broker's topics do not grow, and asking would only run into a timeout.
    const growth = config.kafka.brokers === undefined ? {} : { maxPartitions }
    const brokerCalls = createBrokerCalls()
    const hints = { kafka, calls: brokerCalls, log, ...growth }
    const producer = createHintProducer({ ...hints, topic: topics.productImports })
    const conversionProducer = createHintProducer({ ...hints, topic: topics.sizeChartConversions })
    onStop(producer.close, conversionProducer.close)
    producer.prove()
    conversionProducer.prove()
    const queue = async (): Promise<void> => {
      await Promise.all([producer.ping(), conversionProducer.ping()])
      kafka.faults.check()
    }
    const jobChecks = { ...checks, queue, files: files.ping } as AppDependencies['checks']
    Object.assign(checks, jobChecks)
    const wake = createWake(repositories, producer, log)
    const wakeConversion = createWake(repositories, conversionProducer, log)
    const common = { ...starting, tracer, repositories, wake, wakeConversion, metrics, threadMetrics: createThreadMetrics(metrics) }
    if (roles.has('worker')) startWorkerWhen(prepared, { ...common, mongodbUrl, kafka, topics, brokerCalls, files, sftpClient: sftp.client })
    if (roles.has('api')) url = await startApi({ ...common, files, redeemConsoleLink: link?.redeem ?? null, mongodbUrl, database, checks: jobChecks })
  }
  const consoleLink = link === null || url === '' ? '' : `${url}${link.path}`
  const ops = await startOps(starting, { checks, metrics, log, closing: starting.closing })
  return { url, consoleLink, ops, sftp: sftp.address, mongodbUrl, kafkaBrokers: kafkaBrokers ?? '', close }
}

/** On the embedded set-up alone, with a secret of its own: there the operator is who started it. */
async function createLink ({ api, mongodbUrl, dataDir, authJwtSecret, authJwksUrl, ...issuer }: Config, repositories: Repositories): Promise<ConsoleLink | null> {
  if (!api.console || mongodbUrl !== undefined || authJwtSecret !== undefined || authJwksUrl !== undefined) return null
  return createConsoleLink(repositories, { ...issuer, secret: await loadOrCreateTokenSecret(dataDir) })
}

/** Finds the vendor's partition and sends the hint there. A vendor's number never changes, so it is remembered. */
function createWake ({ vendors }: Repositories, producer: HintProducer, log: Logger): Wake {
  const numbers = new Map<string, number>()
  const send = async (vendorId: string, jobId: string, span?: Span): Promise<void> => {
    const number = numbers.get(vendorId) ?? (await vendors.find(vendorId))?.partition
    if (number === undefined) return log.warn({ vendorId, jobId }, 'a job of an unknown vendor')
    numbers.set(vendorId, number)
    await producer.send(number, { vendorId, jobId }, span)
  }
  return (vendorId, jobId, span) => {
    send(vendorId, jobId, span).catch((error: unknown) => {
      log.warn({ err: error, vendorId, jobId }, 'a job hint was not sent; recovery will send it again')
    })
  }
}

interface StartingWorker extends Starting {
  tracer: Tracer
  mongodbUrl: string
  kafka: KafkaAccess
  topics: Topics
  brokerCalls: BrokerCalls
  repositories: Repositories
  files: SftpFiles
  sftpClient: Omit<SftpFilesOptions, 'log'>
  wake: Wake
  wakeConversion: Wake
  metrics: Registry
  threadMetrics: ThreadMetrics
}

/** The worker begins when the database is there; the API answers before that, and says so. */
function startWorkerWhen (prepared: Promise<void>, starting: StartingWorker): void {
  const workerId = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`
  const log = starting.log.child({ workerId })
  const imports = createStops(log)
  const conversions = createStops(log)
  const started = prepared.then(() => {
    if (starting.closing.aborted) return
    startImportWorker({ ...starting, ...imports, log, workerId })
    startSizeChartWorker({ ...starting, ...conversions, log })
  }, () => { /* beginPreparing has said why */ })
  for (const { run } of [imports, conversions]) {
    starting.onDrain(async () => {
      await started
      await run()
    })
  }
}

function startImportWorker (starting: StartingWorker & { workerId: string }): void {
  const { config, log, workerId, onStop, tracer, mongodbUrl, kafka, topics, brokerCalls, repositories, files, sftpClient, wake, metrics, threadMetrics } = starting
  const threads = createImportThreads({ data: { mongodbUrl, sftp: sftpClient, logLevel: config.logLevel }, log, metrics: threadMetrics })
  onStop(threads.close)
  const worker = createImportWorker({ workerId, repositories, run: threads.run, tracer, log })
  const consumer = createHintConsumer({
    kafka,
    calls: brokerCalls,
    topic: topics.productImports,
    groupId: topics.productImports,
    handle: async (hint) => { await worker.wake(hint.vendorId, hint) },
    log
  })
  const recovery = startRecovery({ waiting: repositories.lanes.activeVendors, wake, wakeHere: worker.wake, log })
  const retention = startRetention({ repositories, files, log })
  const analytics = createAnalyticsConsumer({
    kafka, calls: brokerCalls, topic: topics.analyticsRecords, groupId: topics.analyticsRecords, writer: repositories.analytics.writer, metrics, log
  })
  const upkeep = startUpkeep(repositories, log)
  onStop(recovery.stop, retention.stop, upkeep.stop, consumer.close, analytics.close)
  onStop(async () => {
    consumer.pause()
    await worker.stop()
  })
}

function startSizeChartWorker ({ config, log, onStop, tracer, kafka, topics, brokerCalls, repositories, wakeConversion, metrics, threadMetrics }: StartingWorker): void {
  const fetcher = createPdfFetcher({ allowedHosts: config.sizeChartAllowedHosts })
  onStop(fetcher.close)
  const converter = createThreadedPdfConverter({ logLevel: config.logLevel, log, metrics: threadMetrics })
  onStop(converter.close)
  const convert = createSizeChartConversion({ fetchPdf: fetcher.fetch, convertPdf: converter.convert, originals: repositories.sizeChartPdfs })
  const worker = createSizeChartWorker({ repositories, convert, metrics, tracer, log })
  const consumer = createHintConsumer({
    kafka,
    calls: brokerCalls,
    topic: topics.sizeChartConversions,
    groupId: topics.sizeChartConversions,
    handle: async (hint) => { await worker.wake(hint.vendorId, hint) },
    log
  })
  const recovery = startRecovery({ waiting: repositories.sizeCharts.pendingVendors, wake: wakeConversion, wakeHere: worker.wake, log })
  const sweep = startSizeChartSweep(repositories, log)
  onStop(recovery.stop, sweep.stop, consumer.close)
  onStop(async () => {
    consumer.pause()
    await worker.stop()
  })
}

interface StartingApi extends Starting {
  tracer: Tracer
  files: SftpFiles
  redeemConsoleLink: RedeemLink | null
  mongodbUrl: string
  database: Database
  repositories: Repositories
  checks: AppDependencies['checks']
  wake: Wake
  wakeConversion: Wake
  metrics: Registry
  threadMetrics: ThreadMetrics
}

async function startApi (starting: StartingApi): Promise<string> {
  const { config, log, onDrain, onStop, tracer, files, redeemConsoleLink, mongodbUrl, database, repositories, metrics, threadMetrics, checks, wake, wakeConversion } = starting
  const { api: settings, publicUrl, sizeChartQuota, logLevel } = config
  const data: RequestThreadData = { mongodbUrl, settings, publicUrl, sizeChartQuota, logLevel }
  const largeRequests = createLargeRequestThreads({
    entry: new URL('./request-thread.js', import.meta.url), data, wake, wakeConversion, readGate: database.readGate, log, metrics: threadMetrics
  })
  onStop(largeRequests.close)
  const app = await createApp({
    repositories,
    importQueue: createImportQueue(repositories, wake, log),
    upsertProducts: groupUpserts(createUpsertProducts(database.collections)),
    checks,
    answerLarge: largeRequests.answer,
    files,
    redeemConsoleLink,
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

async function startOps (starting: Starting, dependencies: OpsDependencies): Promise<string> {
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
