/** What is told of an import job, worked out from what the API says of it. */
import type { JobRowFragment } from '../api/operations.js'

export type JobRow = Omit<JobRowFragment, 'startedBy'> & { startedBy: Starter | null }
/** The name of a key is not told with every change. */
type Starter = NonNullable<JobRowFragment['startedBy']> & { keyName?: string | null }

export function wordStarter (startedBy: Starter | null): string {
  if (startedBy === null) return ''
  const { actor, userId, keyId, keyName } = startedBy
  if (actor === 'OPERATOR') return 'An operator'
  if (actor === 'INTEGRATION_KEY') return keyName ?? 'An integration key'
  return keyId === null ? userId ?? '' : `${userId ?? ''}, by a key`
}

export const isOver = ({ status }: Pick<JobRow, 'status'>): boolean => status === 'completed' || status === 'failed'

export function durationMs ({ startedAt, completedAt }: Pick<JobRow, 'startedAt' | 'completedAt'>, nowMs: number): number | null {
  if (startedAt === null) return null
  return Math.max(0, (completedAt === null ? nowMs : Date.parse(completedAt)) - Date.parse(startedAt))
}

/** Over the whole of the job; null before there is anything to tell. */
export function linesPerSecond (job: Pick<JobRow, 'startedAt' | 'completedAt' | 'stats' | 'progress'>, nowMs: number): number | null {
  const lines = job.stats?.productsProcessed ?? job.progress?.linesRead ?? 0
  const ms = durationMs(job, nowMs)
  return ms === null || ms === 0 || lines === 0 ? null : lines / (ms / 1_000)
}

/** Which jobs are listed, as the API takes it. null: whichever. */
export interface JobFilter { status: JobRow['status'] | null, file: string | null, from: string | null, to: string | null }

export const isAmong = ({ status, files, createdAt }: Pick<JobRow, 'status' | 'files' | 'createdAt'>, among: JobFilter): boolean =>
  (among.status === null || status === among.status) && (among.file === null || files.includes(among.file)) &&
  (among.from === null || createdAt >= among.from) && (among.to === null || createdAt < among.to)

/** The list with what has changed: a job that is there is replaced, another that fits goes on top. */
export function withChanged<Row extends JobRow> (jobs: readonly Row[], changed: Row, { among, isFirstPage, most }: { among: JobFilter, isFirstPage: boolean, most: number }): Row[] {
  const fits = isAmong(changed, among)
  if (jobs.some(({ jobId }) => jobId === changed.jobId)) {
    return fits ? jobs.map((job) => job.jobId === changed.jobId ? { ...changed, startedBy: job.startedBy } : job) : jobs.filter(({ jobId }) => jobId !== changed.jobId)
  }
  if (!fits || !isFirstPage) return [...jobs]
  return [changed, ...jobs].sort((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, most)
}

/** One that has been asked for since the list was: it counts among all. */
export const isNewest = (jobs: readonly JobRow[], { jobId, createdAt }: Pick<JobRow, 'jobId' | 'createdAt'>): boolean =>
  jobs.every((job) => job.jobId !== jobId && job.createdAt < createdAt)

/** For those who listen to the page: what has begun or ended. null: nothing of note. */
export function newsOf (before: Pick<JobRow, 'status'> | undefined, { status, files, stats }: Pick<JobRow, 'status' | 'files' | 'stats'>): string | null {
  if (before?.status === status) return null
  const name = nameOf(files)
  if (status === 'processing') return `Import of ${name} has begun`
  if (status === 'failed') return `Import of ${name} has failed`
  if (status === 'completed') return `Import of ${name} is done, ${stats?.errors ?? 0} lines with errors`
  return null
}

export function nameOf (files: readonly string[]): string {
  const [first = '', ...others] = files
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
