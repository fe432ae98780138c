/** Wires the service from its parts, by role, and takes it down again. Knows which parts are embedded. */
import type { Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { AppDependencies } from '../api/dependencies.js'
import type { OpsDependencies } from '../api/ops-app.js'
import type { Config } from '../config.js'
import { startEmbeddedParts } from '../embedded/embedded-parts.js'
import { loadOrCreateTokenSecret } from '../embedded/token-secret.js'
import { unavailable, type AppError } from '../errors.js'
import { registerImportMetrics } from '../jobs/import-metrics.js'
import { createBrokerCalls } from '../jobs/broker-calls.js'
import { createHintProducer } from '../jobs/kafka-producer.js'
import { maxPartitions, topicsWith } from '../jobs/topics.js'
import { openKafkaAccess } from '../kafka/kafka-access.js'
import { createSftpFiles } from '../sources/sftp-files.js'
import { openDatabase } from '../store/database/connection.js'
import { countFailedTransactions } from '../store/database/failed-transactions.js'
import { createRepositories, type Repositories } from '../store/repositories.js'
import { createCrowdedLook } from '../threads/crowded-process.js'
import { createLargeWork } from '../threads/large-work.js'
import { followStringKinds } from '../threads/string-kinds.js'
import { createThreadMetrics } from '../threads/thread-metrics.js'
import { startTracing } from '../tracing/start-tracing.js'
import { beginPreparing } from './begin-preparing.js'
import { createConsoleLink, type ConsoleLink } from './console-link.js'
import { createWake } from './create-wake.js'
import { startApi, startOps } from './start-api.js'
import { checkSftpHostKeys, startSftp } from './start-sftp.js'
import { startWorkerWhen } from './start-worker.js'
import type { Starting } from './starting.js'
import { createStops } from './stops.js'

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
  followStringKinds()
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

const lookEveryMs = 250

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

  // Threads of a pool look at the process themselves.
  const looking = setInterval(createCrowdedLook(), lookEveryMs).unref()
  onStop(async () => { clearInterval(looking) })

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
    const common = { ...starting, tracer, repositories, wake, wakeConversion, metrics, threadMetrics: createThreadMetrics(metrics), largeWork: createLargeWork() }
    if (roles.has('worker')) startWorkerWhen(prepared, { ...common, mongodbUrl, kafka, topics, brokerCalls, files, sftpClient: sftp.client })
    if (roles.has('api')) url = await startApi({ ...common, files, sftpAddress: sftp.publicAddress, link, mongodbUrl, database, checks: jobChecks })
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
