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
  const open = { status: { $in: ['queued', 'processing'] as JobStatus[] } }
  const over = (status: 'completed' | 'failed', stats: ImportStats): Partial<ImportJob> => {
    const completedAt = new Date()
    return { status, stats, completedAt, expiresAt: new Date(completedAt.getTime() + retentionMs) }
  }

  async function insertQueued (vendorId: string, job: QueuedJob): Promise<ImportJob | null> {
    const queued: ImportJob = {
      _id: job.jobId,
      vendorId,
      ...job.request,
      status: 'queued',
      attempt: 0,
      runs: 0,
      stats: null,
      progress: null,
      cancelRequested: false,
      liveProductsAtStart: null,
      createdAt: job.createdAt,
      ...job.startedBy === undefined ? {} : { startedBy: job.startedBy },
      startedAt: null,
      completedAt: null,
      expiresAt: null
    }
    try {
      await importJobs.insertOne(queued)
      return queued
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      return null
    }
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
      const begin = async (startedAt: { startedAt: Date } | null, among: Filter<ImportJob>): Promise<ImportJob | null> => await importJobs.findOneAndUpdate(
        // Never back: a worker that was held up between its claim and this, and given up meanwhile, would keep its successor from ending the job.
        { _id: job.jobId, vendorId, attempt: { $lte: attempt }, ...among },
        { $set: { status: 'processing', attempt, ...startedAt }, $inc: { runs: 1 } },
        { returnDocument: 'after' }
      )
      const beginQueued = async (): Promise<ImportJob | null> => await begin({ startedAt: new Date() }, { status: 'queued' })
      const begun = await beginQueued()
      if (begun !== null) return begun
      // Its document was not made, or another worker has begun it before.
      await insertQueued(vendorId, job)
      return await beginQueued() ?? await begin(null, open)
    },
    async setLiveProductsAtStart (vendorId, jobId, count) {
      await importJobs.updateOne({ _id: jobId, vendorId, liveProductsAtStart: null }, { $set: { liveProductsAtStart: count } })
    },
    async progress (vendorId, jobId, progress, speed) {
      const job = await importJobs.findOneAndUpdate({ _id: jobId, vendorId }, { $set: { progress, ...speed === undefined ? {} : { speed } } })
      return job?.cancelRequested !== true
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
