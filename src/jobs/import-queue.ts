/**
 * Accepting and cancelling product imports (decisions.md "Queue").
 *
 * Acceptance is one write: the job enters its vendor's lane (store/jobs/lanes.ts), whole, at most 20 at a time. Its own
 * document and the Kafka message follow; if this process dies in between, whoever works the lane makes the document
 * and recovery sends the message. A job is never acknowledged before it is in the lane.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Actor } from '../domain/audit.js'
import { emptyStats, maxIdempotencyKeyLength, type ImportJob, type ImportRequest } from '../domain/import-job.js'
import { maxQueuedJobs, type QueuedJob } from '../domain/lane.js'
import { badInput, conflict, limitExceeded, notFound } from '../errors.js'
import type { Repositories } from '../store/repositories.js'
import { noSpan, type Span } from '../tracing/span.js'

/** Tells the vendor's worker that there is something to do, on behalf of `span`. Never throws: recovery tells it again. */
export type Wake = (vendorId: string, jobId: string, span?: Span) => void

/** On whose behalf, and in whose trace the job goes on. */
export interface Asked { startedBy?: Actor, span?: Span }

export interface ImportQueue {
  /** Expects a request that checkImportRequest has passed. Throws LIMIT_EXCEEDED when 20 jobs are queued. */
  start (vendorId: string, request: ImportRequest, idempotencyKey: string | null, asked?: Asked): Promise<ImportJob>
  /** Ends a queued job at once and asks the worker to end a running one; again is harmless. Throws NOT_FOUND, or CONFLICT when it is over. */
  cancel (vendorId: string, jobId: string): Promise<ImportJob>
}

export function createImportQueue (repositories: Repositories, wake: Wake, log: Logger): ImportQueue {
  const { importJobs, importIssues, lanes, idempotencyKeys } = repositories

  async function start (vendorId: string, request: ImportRequest, idempotencyKey: string | null, { startedBy, span = noSpan }: Asked = {}): Promise<ImportJob> {
    const { traceparent } = span
    const wanted = { request, ...startedBy === undefined ? {} : { startedBy }, ...traceparent === undefined ? {} : { traceparent } }
    if (idempotencyKey === null) return await accept(vendorId, { ...wanted, jobId: randomUUID() }, null, span)
    if (idempotencyKey === '' || idempotencyKey.length > maxIdempotencyKeyLength) {
      throw badInput(`idempotencyKey must be 1 to ${maxIdempotencyKeyLength} characters`, 'idempotencyKey')
    }
    const jobId = await idempotencyKeys.claim(vendorId, idempotencyKey, randomUUID())
    // The key's owner may have died before the job was accepted: then this call accepts it under the same id.
    return await importJobs.find(vendorId, jobId) ?? await accept(vendorId, { ...wanted, jobId }, idempotencyKey, span)
  }

  async function accept (vendorId: string, wanted: Omit<QueuedJob, 'createdAt'>, idempotencyKey: string | null, span: Span): Promise<ImportJob> {
    const job = { ...wanted, createdAt: new Date() }
    const { jobId, request } = job
    if (await lanes.enqueue(vendorId, job) === 'full') {
      if (idempotencyKey !== null) await idempotencyKeys.forget(vendorId, idempotencyKey, jobId)
      throw limitExceeded(`At most ${maxQueuedJobs} import jobs of a vendor may be queued; wait until one has started`)
    }
    const queued = await importJobs.insertQueued(vendorId, job)
    wake(vendorId, jobId, span)
    log.info({ vendorId, jobId, mode: request.mode, files: request.files, dryRun: request.dryRun, ...span.names }, 'import accepted')
    return queued ?? await existing(vendorId, jobId)
  }

  async function cancel (vendorId: string, jobId: string): Promise<ImportJob> {
    const job = await importJobs.requestCancel(vendorId, jobId)
    if (job === null) throw notFound('No such import job')
    if (job.status === 'completed' || !job.cancelRequested) throw conflict(`The import job has already ${job.status}`)
    // First the document, then the lane: a worker that claims it in between finds a job that is over, and lets it go.
    if (await importJobs.failQueued(vendorId, jobId, emptyStats())) {
      await importIssues.put(vendorId, jobId, jobIssue('The import was cancelled'))
      await lanes.withdraw(vendorId, jobId)
    }
    log.info({ vendorId, jobId }, 'import cancelled')
    return await existing(vendorId, jobId)
  }

  async function existing (vendorId: string, jobId: string): Promise<ImportJob> {
    const job = await importJobs.find(vendorId, jobId)
    if (job === null) throw notFound('No such import job')
    return job
  }

  return { start, cancel }
}

/** The reason of a job as a whole. */
export const jobIssue = (message: string): { severity: 'error', position: null, file: null, line: null, externalId: null, faults: [], message: string } =>
  ({ severity: 'error', position: null, file: null, line: null, externalId: null, faults: [], message })
