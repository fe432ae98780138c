/** Job documents in `import_jobs`: what everyone who asks about a job is told. Their order is domain/lane.ts' affair. */
import type { ImportJob, ImportProgress, ImportStats, JobStatus } from '../../domain/import-job.js'
import type { SpeedSample } from '../../domain/import-speed.js'
import type { QueuedJob } from '../../domain/lane.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'
import { isDuplicateKey } from '../database/database-errors.js'
import { createdBetween, createFindNewestJobs } from './newest-jobs.js'
import { tallyImport } from './tally-import.js'
import type { Filter } from 'mongodb'

/** Finished jobs and their issues are kept 90 days (decisions.md, Retention). */
const retentionMs = 90 * 24 * 60 * 60 * 1_000

const openStates: JobStatus[] = ['queued', 'processing']
const isOpen = ({ status }: ImportJob): boolean => openStates.includes(status)

/** More than begin and end between two looks at a vendor's jobs, which take turns. */
const newestWatched = 10

export interface Page<T> { nodes: T[], hasNextPage: boolean }

/** Which of a vendor's jobs. null: whichever. */
export interface JobFilter {
  status: JobStatus | null
  /** The exact name of one of its files. */
  file: string | null
  /** When it was asked for: from then on, and before that. */
  from: Date | null
  to: Date | null
}

export const allJobs: JobFilter = { status: null, file: null, from: null, to: null }

export interface Reached { progress: ImportProgress, speed: SpeedSample[] }

export interface ImportJobs {
  /** Makes the document of an accepted job, and gives it; null when it is there already. */
  insertQueued (vendorId: string, job: QueuedJob): Promise<ImportJob | null>
  find (vendorId: string, jobId: string): Promise<ImportJob | null>
  /** Newest first; `after` is the last id of the page before. */
  page (vendorId: string, among: JobFilter, options: { first: number, after: string | null }): Promise<Page<ImportJob>>
  count (vendorId: string, among: JobFilter): Promise<number>
  /** Those that wait or run, the newest ones whatever their state, and those of `ids`; the newest first. */
  watched (vendorId: string, ids: readonly string[]): Promise<ImportJob[]>
  /** queued or processing → processing. null: the job is already over, or a later attempt has begun it. */
  begin (vendorId: string, job: QueuedJob, attempt: number): Promise<ImportJob | null>
  setLiveProductsAtStart (vendorId: string, jobId: string, count: number): Promise<void>
  /** Stores how far the job is. false: its cancellation was asked for. */
  progress (vendorId: string, jobId: string, progress: ImportProgress, speed?: SpeedSample[]): Promise<boolean>
  /** → completed or failed, once: the first end stands, and only the attempt that is current may end it. `reached`: how far it came, where that is known. */
  end (vendorId: string, jobId: string, attempt: number, status: 'completed' | 'failed', stats: ImportStats, reached?: Reached, productsUnchanged?: number | null): Promise<void>
  /** What a job that is given up has left behind; see tally-import. */
  tally (vendorId: string, jobId: string): Promise<ImportStats>
  /** null: no such job. */
  requestCancel (vendorId: string, jobId: string): Promise<ImportJob | null>
  /** queued → failed. false: it is no longer queued. */
  failQueued (vendorId: string, jobId: string, stats: ImportStats): Promise<boolean>
  /** Of these jobs, of any vendor, how far they are. */
  progressOf (jobIds: string[]): Promise<Map<string, { startedAt: Date | null, linesRead: number }>>
  /** Of all vendors. */
  endedSince (since: Date): Promise<{ imports: number, failed: number, lines: number }>
  /** Which of these files a queued or processing job of the vendor names. */
  filesInUse (vendorId: string): Promise<Set<string>>
}

export function createImportJobs (collections: Collections): ImportJobs {
  const { importJobs } = collections
  const findNewest = createFindNewestJobs(collections)
  const open = { status: { $in: openStates } }
  const over = (status: 'completed' | 'failed', stats: ImportStats): Partial<ImportJob> => {
    const completedAt = new Date()
    return { status, stats, completedAt, expiresAt: new Date(completedAt.getTime() + retentionMs) }
  }

  async function insertQueued (vendorId: string, job: QueuedJob): Promise<ImportJob | null> {
    const queued = asAccepted(vendorId, job)
    try {
      await importJobs.insertOne(queued)
      return queued
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      return null
    }
  }

  /** Of a job that is still as `seen`. null: it is not. */
  async function beginAs ({ _id, vendorId, status, attempt, runs, cancelRequested, ...seen }: ImportJob, next: number): Promise<ImportJob | null> {
    const begun = { status: 'processing' as const, attempt: next, runs: runs + 1, startedAt: status === 'queued' ? new Date() : seen.startedAt }
    const { matchedCount } = await importJobs.updateOne({ _id, vendorId, status, attempt, runs, cancelRequested }, { $set: begun })
    return matchedCount === 0 ? null : { _id, vendorId, cancelRequested, ...seen, ...begun }
  }

  return {
    insertQueued,
    tally: async (vendorId, jobId) => await tallyImport(collections, vendorId, jobId),
    find: async (vendorId, jobId) => await importJobs.findOne({ _id: jobId, vendorId }),
    async page (vendorId, among, { first, after }) {
      const last = after === null ? null : await importJobs.findOne({ _id: after, vendorId })
      const found = await findNewest({ among: listOf(vendorId, among), from: among.from, to: among.to, after: last }, first + 1)
      return { nodes: found.slice(0, first), hasNextPage: found.length > first }
    },
    count: async (vendorId, among) =>
      await importJobs.countDocuments({ ...listOf(vendorId, among), ...createdBetween(among.from?.getTime() ?? -Infinity, among.to?.getTime() ?? Infinity) }),
    async watched (vendorId, ids) {
      const [waiting, newest, known] = await Promise.all([
        importJobs.find({ vendorId, ...open }).toArray(),
        findNewest({ among: listOf(vendorId, allJobs), from: null, to: null, after: null }, newestWatched),
        ids.length === 0 ? [] : importJobs.find({ _id: { $in: [...ids] }, vendorId }).toArray()
      ])
      const jobs = new Map([...waiting, ...newest, ...known].map((job) => [job._id, job]))
      return [...jobs.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    },
    async begin (vendorId, job, attempt) {
      // As nearly all are, which spares a look.
      const first = await beginAs(asAccepted(vendorId, job), attempt)
      if (first !== null) return first
      // Its document was not made, or another worker has begun it before, or its cancellation is asked for.
      await insertQueued(vendorId, job)
      for (;;) {
        const seen = await importJobs.findOne({ _id: job.jobId, vendorId })
        // Never back: a worker that was held up between its claim and this, and given up meanwhile, would keep its successor from ending the job.
        if (seen === null || seen.attempt > attempt || !isOpen(seen)) return null
        const begun = await beginAs(seen, attempt)
        if (begun !== null) return begun
      }
    },
    async setLiveProductsAtStart (vendorId, jobId, count) {
      await importJobs.updateOne({ _id: jobId, vendorId, liveProductsAtStart: null }, { $set: { liveProductsAtStart: count } })
    },
    async progress (vendorId, jobId, progress, speed) {
      const reached = { $set: { progress, ...speed === undefined ? {} : { speed } } }
      const { matchedCount } = await importJobs.updateOne({ _id: jobId, vendorId, cancelRequested: false }, reached)
      return matchedCount === 1 || (await importJobs.updateOne({ _id: jobId, vendorId, cancelRequested: true }, reached)).matchedCount === 0
    },
    async end (vendorId, jobId, attempt, status, stats, reached, productsUnchanged = null) {
      await importJobs.updateOne({ _id: jobId, vendorId, attempt, ...open }, { $set: { ...over(status, stats), productsUnchanged, ...reached } })
    },
    async requestCancel (vendorId, jobId) {
      await importJobs.updateOne({ _id: jobId, vendorId, ...open }, { $set: { cancelRequested: true } })
      return await importJobs.findOne({ _id: jobId, vendorId })
    },
    async failQueued (vendorId, jobId, stats) {
      const { modifiedCount } = await importJobs.updateOne({ _id: jobId, vendorId, status: 'queued' }, { $set: over('failed', stats) })
      return modifiedCount === 1
    },
    async progressOf (jobIds) {
      const found = await findByIds(importJobs, jobIds, { startedAt: 1, progress: 1 })
      return new Map(found.map(({ _id, startedAt, progress }) => [_id, { startedAt, linesRead: progress?.linesRead ?? 0 }]))
    },
    async endedSince (since) {
      // By the index that they expire by.
      const [sum] = await importJobs.aggregate<{ imports: number, failed: number, lines: number }>([
        { $match: { expiresAt: { $gte: new Date(since.getTime() + retentionMs) } } },
        { $group: { _id: null, imports: { $sum: 1 }, failed: { $sum: { $cond: [{ $eq: ['$status', 'failed'] }, 1, 0] } }, lines: { $sum: '$stats.productsProcessed' } } }
      ]).toArray()
      return { imports: sum?.imports ?? 0, failed: sum?.failed ?? 0, lines: sum?.lines ?? 0 }
    },
    async filesInUse (vendorId) {
      const files = new Set<string>()
      for await (const job of importJobs.find({ vendorId, ...open }, { projection: { files: 1 } })) {
        for (const file of job.files) files.add(file)
      }
      return files
    }
  }
}

/** What the indexes have before `createdAt`. */
const listOf = (vendorId: string, { status, file }: JobFilter): Filter<ImportJob> =>
  ({ vendorId, ...status === null ? {} : { status }, ...file === null ? {} : { files: file } })

/** The document of a job that nobody has begun. */
const asAccepted = (vendorId: string, { jobId, request, createdAt, startedBy }: QueuedJob): ImportJob => ({
  _id: jobId,
  vendorId,
  ...request,
  status: 'queued',
  attempt: 0,
  runs: 0,
  stats: null,
  progress: null,
  cancelRequested: false,
  liveProductsAtStart: null,
  createdAt,
  ...startedBy === undefined ? {} : { startedBy },
  startedAt: null,
  completedAt: null,
  expiresAt: null
})
