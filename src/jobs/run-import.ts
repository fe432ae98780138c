/** Runs one import job from its files to the database, as far as a single worker is concerned. */
import type { Logger } from 'pino'
import { importProductFile } from '../../pipelines/product-import.js'
import type { ImportJob, ImportProgress, ImportStats } from '../domain/import-job.js'
import type { Warning } from '../domain/issue.js'
import type { BeginLarge } from '../engine/run-pipeline.js'
import { createTurn } from '../engine/turn.js'
import { LiveProducts } from '../domain/live-products.js'
import { fatal, isAppError, unavailable } from '../errors.js'
import type { SftpFiles } from '../sources/sftp-files.js'
import { archiveAbsent, type ArchiveGuard } from '../store/catalog/archive-absent.js'
import type { Collections } from '../store/database/connection.js'
import { isDatabaseAway, isStorageBroken } from '../store/database/database-errors.js'
import { createImportIssues } from '../store/jobs/import-issues.js'
import { createImportJobs } from '../store/jobs/import-jobs.js'
import { createUnchangedAmong, createUnchangedSince } from '../store/catalog/known-lines.js'
import { createLinks } from '../store/catalog/links.js'
import { readLiveProducts } from '../store/catalog/live-products.js'
import { createProductSink, type BatchRoom } from '../store/catalog/product-sink.js'
import type { InTurn } from '../store/catalog/commit-products.js'
import { createPatience } from '../store/database/while-away.js'
import type { KnownLines } from '../stages/parse-unless-known.js'
import type { LinkLookup } from '../stages/resolve-links.js'
import { noSpan, traced, type Span } from '../tracing/span.js'
import { createImportSpans } from './import-spans.js'

/**
 * `failed`: the job can never succeed as it stands; what was imported before stays. `isFoundAlike`: in none of its runs has it written, or tried to, anything that products are found and
 * counted by; when absent, it may have.
 */
export type ImportResult =
  /** `unchanged`: see ProductSink. */
  | { status: 'completed', stats: ImportStats, unchanged?: number | null, isFoundAlike?: boolean }
  | { status: 'failed', stats: ImportStats, reason: string, isFoundAlike?: boolean }

/** The abort reason of a job that its merchant has cancelled: it ends with what it has done so far. */
export class ImportCancelled extends Error {
  override readonly name = 'ImportCancelled'
}

export const cancelledReason = 'The import was cancelled'

/** Also of one that comes from another thread, where it has lost its class. */
export const isCancel = (reason: unknown): boolean => reason instanceof Error && reason.name === 'ImportCancelled'

export interface RunImportOptions {
  job: ImportJob
  attempt: number
  /** Nothing may run beside it: it has been lost before. */
  alone?: boolean
  signal: AbortSignal
  onProgress: (progress: ImportProgress) => void
  /** Called whenever the job has the thread. */
  onRunning?: () => void
  /** The job's; what it does is told below it. */
  span?: Span
  /** Does a write when it is the job's turn; at once when absent. */
  inTurn?: InTurn
  /** For batches that are in hand; as many as come when absent. */
  room?: BatchRoom
  /** Before a large record is worked on; at once when absent. */
  beginLarge?: BeginLarge
}

export interface RunImportDependencies {
  collections: Collections
  files: SftpFiles
  log: Logger
}

/** Runs a job. Rejects when aborted, with a retryable error when what it needs is away, or when something broke that is nobody's fault; then the job may be run again. */
export type RunImport = (options: RunImportOptions) => Promise<ImportResult>

export const createRunImport = ({ collections, files, log }: RunImportDependencies): RunImport =>
  async ({ job, attempt, signal, onProgress, onRunning, span = noSpan, inTurn, room, beginLarge }) => {
    const { _id: jobId, vendorId, mode } = job
    const jobLog = log.child({ vendorId, jobId, attempt, ...span.names })
    const spans = createImportSpans(span, inTurn)
    const patience = createPatience(signal, jobLog)
    const turn = createTurn(signal, onRunning)
    const importJobs = createImportJobs(collections)
    const issues = createImportIssues(collections)
    const live = mode === 'REPLACE' ? new LiveProducts() : undefined
    const sink = createProductSink({
      collections, issues, vendorId, jobId, mode, live, files: job.files, attempt: job.runs, dryRun: job.dryRun, fence, patience, inTurn: spans.inTurn, room, turn
    })
    const onAllNew = sink.expectNew
    const findUnchanged = live === undefined ? createUnchangedAmong(collections, vendorId, mode, { onAllNew }) : createUnchangedSince(live, vendorId, { onAllNew })
    const unchangedAmong: KnownLines['unchangedAmong'] = async (lines) => await patience(async () => await findUnchanged(lines))
    const progress: ImportProgress = { bytesRead: 0, bytesTotal: null, linesRead: 0 }

    /** A worker that is held up for longer than its lease hears of it with its next beat, which may come after its next write. */
    async function fence (): Promise<void> {
      const current = await importJobs.find(vendorId, jobId)
      if ((current?.attempt ?? 0) > attempt) throw new Error('another worker has taken this import over')
      // Its thread was given up, and no attempt counted for that.
      if ((current?.runs ?? 0) > job.runs) throw new Error('this import has been begun anew')
      if (current?.status === 'completed' || current?.status === 'failed') throw new Error('another worker has ended this import')
    }

    async function run (): Promise<void> {
      progress.bytesTotal = await totalSize()
      const guard = live === undefined ? null : await traced(span, 'look up live products', async () => await lookAround(live))
      for (const [index, name] of job.files.entries()) {
        const before = { ...progress }
        const source = files.read(vendorId, name, {
          signal,
          onBytes: (count) => {
            progress.bytesRead += count
            onProgress(progress)
          }
        })
        const read = async (): Promise<void> => await importProductFile({
          source,
          name,
          index,
          sink: { ...sink, write: writeAndTell },
          signal,
          turn,
          beginLarge,
          vendorId,
          mode,
          links: patientLinks(),
          // A job that is run again tells by each line's own mark what it has done with it.
          ...job.runs > 1 ? {} : { known: { unchangedAmong, pending: sink.pending } },
          onUnknownStoreCode: sink.countUnknownStoreCode,
          onLine: () => { progress.linesRead += 1 }
        })
        await spans.file(index, read, () => (
          { 'catalog.file.bytes': progress.bytesRead - before.bytesRead, 'catalog.file.lines': progress.linesRead - before.linesRead }
        ))
      }
      if (live !== undefined) countArchived(await traced(span, 'archive absent products', async () => await archive(live, guard)))
      await sink.finish()
    }

    async function writeAndTell (batch: Parameters<typeof sink.write>[0]): Promise<void> {
      await sink.write(batch)
      onProgress(progress)
    }

    /** Missing files are found before anything is imported. */
    async function totalSize (): Promise<number> {
      let total = 0
      for (const name of job.files) total += (await files.stat(vendorId, name, signal)).size
      return total
    }

    /** What a REPLACE has to know before it touches the first product; what its guard compares with is kept over attempts. */
    async function lookAround (live: LiveProducts): Promise<ArchiveGuard | null> {
      await patience(async () => { await readLiveProducts(collections, { vendorId, mode, signal }, live) })
      const { maxArchivePercent, liveProductsAtStart } = job
      if (maxArchivePercent === null) return null
      if (liveProductsAtStart === null) await patience(async () => { await importJobs.setLiveProductsAtStart(vendorId, jobId, live.size) })
      return { maxArchivePercent, liveAtStart: liveProductsAtStart ?? live.size }
    }

    async function archive (live: LiveProducts, guard: ArchiveGuard | null): Promise<number> {
      if (!live.namesAny) throw fatal('No line of this REPLACE has a readable externalId; nothing was archived')
      if (live.untoldCount > 0 && job.archiveDespiteUnreadable !== true) {
        await tellSkipped(live)
        return 0
      }
      return await archiveAbsent({
        collections,
        vendorId,
        jobId,
        live,
        guard,
        attempt: job.runs,
        dryRun: job.dryRun,
        onArchived: countArchived,
        fence,
        signal,
        log: jobLog
      })
    }

    function countArchived (count: number): void {
      sink.stats.productsArchived = count
    }

    async function tellSkipped ({ firstUntold, untoldCount }: LiveProducts): Promise<void> {
      const lines = firstUntold.map(({ file, line }) => `${job.files[file]} line ${line}`)
      if (untoldCount > lines.length) lines.push(`and ${untoldCount - lines.length} more`)
      const faults: Warning[] = [{ code: 'archive-skipped', path: '', detail: lines.join(', ') }]
      await patience(async () => { await issues.put(vendorId, jobId, { severity: 'warning', position: null, file: null, line: null, externalId: null, faults }) })
    }

    function patientLinks (): LinkLookup {
      const links = createLinks(collections, signal)
      return {
        fitmentTargetIds: async (...query) => await patience(async () => await links.fitmentTargetIds(...query)),
        sizeChartIds: async (...query) => await patience(async () => await links.sizeChartIds(...query)),
        // A dry run writes no stock, so it uses no location either.
        stockLocations: async (...query) => await patience(async () => await (job.dryRun ? links.storeLocations(...query) : links.stockLocations(...query)))
      }
    }

    /** A REPLACE may have archived, and what an earlier run has written is not known. */
    const isFoundAlike = (): boolean => mode === 'UPDATE' && job.runs === 1 && !sink.changesWhatIsFound()

    try {
      await run()
      return { status: 'completed', stats: sink.stats, unchanged: sink.unchanged(), isFoundAlike: isFoundAlike() }
    } catch (error) {
      if (isCancel(signal.reason)) return { status: 'failed', stats: sink.stats, reason: cancelledReason, isFoundAlike: isFoundAlike() }
      if (signal.aborted) throw error
      // What the sink's patience has given up is no database that will be back.
      if (isDatabaseAway(error) && !isStorageBroken(error)) throw unavailable('The database is away', error)
      // A file server that has not come back within the source's patience is fatal as well (decisions.md, "Job states").
      if (!isAppError(error) || error.kind !== 'fatal') throw error
      jobLog.info({ err: error }, 'import failed')
      return { status: 'failed', stats: sink.stats, reason: error.message, isFoundAlike: isFoundAlike() }
    }
  }
