/** The role `worker`: imports, conversions of size charts, analytics records, and what they need to go on by themselves. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import { createSizeChartConversion } from '../../pipelines/size-chart-conversion.js'
import { createAnalyticsConsumer } from '../jobs/analytics-consumer.js'
import type { BrokerCalls } from '../jobs/broker-calls.js'
import type { Wake } from '../jobs/import-queue.js'
import { createImportThreads } from '../jobs/import-threads.js'
import { createImportWorker, type ImportWorker } from '../jobs/import-worker.js'
import { createHintConsumer, type HintConsumer } from '../jobs/kafka-consumer.js'
import { startRecovery, type RecoveryOptions } from '../jobs/recovery.js'
import { startRetention } from '../jobs/retention.js'
import type { Rounds } from '../jobs/rounds.js'
import { startSizeChartSweep } from '../jobs/size-chart-sweep.js'
import { createSizeChartWorker } from '../jobs/size-chart-worker.js'
import type { Topics } from '../jobs/topics.js'
import { startUpkeep } from '../jobs/upkeep.js'
import type { KafkaAccess } from '../kafka/kafka-access.js'
import { createThreadedPdfConverter } from '../pdf/convert-in-thread.js'
import { createPdfFetcher } from '../pdf/fetch-pdf.js'
import type { SftpFiles, SftpFilesOptions } from '../sources/sftp-files.js'
import type { Repositories } from '../store/repositories.js'
import type { LargeWork } from '../threads/large-work.js'
import type { ThreadMetrics } from '../threads/thread-metrics.js'
import type { Tracer } from '../tracing/span.js'
import type { Starting } from './starting.js'
import { createStops } from './stops.js'

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
  largeWork: LargeWork
}

/** The worker begins when the database is there; the API answers before that, and says so. */
export function startWorkerWhen (prepared: Promise<void>, starting: StartingWorker): void {
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
  const { config, log, workerId, onStop, tracer, mongodbUrl, kafka, topics, brokerCalls, repositories, files, sftpClient, wake, metrics, threadMetrics, largeWork } = starting
  const threads = createImportThreads({ data: { mongodbUrl, sftp: sftpClient, logLevel: config.logLevel }, largeWork, log, metrics: threadMetrics })
  onStop(threads.close)
  const worker = createImportWorker({ workerId, repositories, run: threads.run, tracer, log })
  const { consumer, recovery } = followHints(starting, worker, { topic: topics.productImports, waiting: repositories.lanes.activeVendors, wake })
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

function startSizeChartWorker (starting: StartingWorker): void {
  const { config, log, onStop, tracer, topics, repositories, wakeConversion, metrics, threadMetrics } = starting
  const fetcher = createPdfFetcher({ allowedHosts: config.sizeChartAllowedHosts })
  onStop(fetcher.close)
  const converter = createThreadedPdfConverter({ logLevel: config.logLevel, log, metrics: threadMetrics })
  onStop(converter.close)
  const convert = createSizeChartConversion({ fetchPdf: fetcher.fetch, convertPdf: converter.convert, originals: repositories.sizeChartPdfs })
  const worker = createSizeChartWorker({ repositories, convert, metrics, tracer, log })
  const { consumer, recovery } = followHints(starting, worker, { topic: topics.sizeChartConversions, waiting: repositories.sizeCharts.pendingVendors, wake: wakeConversion })
  const sweep = startSizeChartSweep(repositories, log)
  onStop(recovery.stop, sweep.stop, consumer.close)
  onStop(async () => {
    consumer.pause()
    await worker.stop()
  })
}

interface Hints extends Pick<RecoveryOptions, 'waiting' | 'wake'> { topic: string }

/** Wakes a worker by the hints of its topic, and by itself where one was lost. */
function followHints ({ kafka, brokerCalls, log }: StartingWorker, worker: Pick<ImportWorker, 'wake'>, { topic, waiting, wake }: Hints): { consumer: HintConsumer, recovery: Rounds } {
  const consumer = createHintConsumer({ kafka, calls: brokerCalls, topic, groupId: topic, handle: async (hint) => { await worker.wake(hint.vendorId, hint) }, log })
  return { consumer, recovery: startRecovery({ waiting, wake, wakeHere: worker.wake, log }) }
}
