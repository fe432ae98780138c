/**
 * Product import jobs (interface.md "Product import job", decisions.md "Job states" and "Queue").
 *
 *   (accepted) → queued → processing → completed | failed
 *
 * `processing` survives its worker: a job that is handed back or orphaned stays `processing` until another worker has
 * taken it over. How a vendor's jobs follow each other is domain/lane.ts.
 */
import { badInput } from '../errors.js'
import type { Actor } from './audit.js'
import type { SpeedSample } from './import-speed.js'

export const importModes = ['REPLACE', 'UPDATE'] as const
export type ImportMode = (typeof importModes)[number]

export const jobStatuses = ['queued', 'processing', 'completed', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

export interface ImportStats {
  /** Non-blank lines read = created + updated + skipped. */
  productsProcessed: number
  productsCreated: number
  productsUpdated: number
  /** By this REPLACE, because they were absent from it. */
  productsArchived: number
  /** Bad lines. */
  productsSkipped: number
  /** = productsSkipped. */
  errors: number
}

export const emptyStats = (): ImportStats => ({
  productsProcessed: 0, productsCreated: 0, productsUpdated: 0, productsArchived: 0, productsSkipped: 0, errors: 0
})

export interface ImportProgress {
  /** Compressed bytes, as they lie on the file server. */
  bytesRead: number
  /** null until the files have been looked at. */
  bytesTotal: number | null
  linesRead: number
}

/** What a caller asks for; checked by checkImportRequest. */
export interface ImportRequest {
  files: string[]
  mode: ImportMode
  dryRun: boolean
  /** 0 to 100; null = no guard. */
  maxArchivePercent: number | null
  /** A REPLACE archives what is absent although it cannot be told which products some lines are about. Absent in jobs of before. */
  archiveDespiteUnreadable?: boolean
}

/** The document in `import_jobs`. */
export interface ImportJob extends ImportRequest {
  /** UUID. */
  _id: string
  vendorId: string
  status: JobStatus
  /** Counts the workers that began it and were lost; see domain/lane.ts. 0 while queued. */
  attempt: number
  /** How often a worker has begun it, handed back or not: from the second time on, some of it may have been done. */
  runs: number
  /** null until the job has ended. */
  stats: ImportStats | null
  /** Of stats.productsUpdated, those whose product held just that. Absent or null: it is not known. */
  productsUnchanged?: number | null
  progress: ImportProgress | null
  /** Of its newest attempt that has read anything. Absent in jobs of before, and where nobody has taken any yet. */
  speed?: SpeedSample[]
  cancelRequested: boolean
  /** Live products of the vendor when a REPLACE with maxArchivePercent began. */
  liveProductsAtStart: number | null
  createdAt: Date
  /** Who asked for it. Absent: it is not known. */
  startedBy?: Actor
  startedAt: Date | null
  completedAt: Date | null
  /** completedAt + 90 days (decisions.md, Retention); null while the job is not over. */
  expiresAt: Date | null
}

export const isOver = ({ status }: Pick<ImportJob, 'status'>): boolean => status === 'completed' || status === 'failed'

export const maxFilesPerJob = 100
export const maxIdempotencyKeyLength = 255
const maxFileNameLength = 255
const fileName = /^[^./\\\0][^/\\\0]*\.(?:jsonl|jsonl\.gz|gz|json|json\.gz)$/i

/**
 * Checks a request as decisions.md "Job states" says. Throws BAD_USER_INPUT that names the field; `at` is the path of
 * the request in the caller's input (`input.` in GraphQL, '' in REST).
 */
export function checkImportRequest (request: ImportRequest, at = ''): void {
  const { files, maxArchivePercent } = request
  if (files.length === 0) throw badInput(`${at}files must name at least one file`, `${at}files`)
  if (files.length > maxFilesPerJob) throw badInput(`${at}files must name at most ${maxFilesPerJob} files`, `${at}files`)
  files.forEach((name, index) => { checkFileName(name, `${at}files[${index}]`) })
  if (maxArchivePercent !== null && !(maxArchivePercent >= 0 && maxArchivePercent <= 100)) {
    throw badInput(`${at}maxArchivePercent must be from 0 to 100`, `${at}maxArchivePercent`)
  }
}

/** Throws BAD_USER_INPUT that names `path`. */
export function checkFileName (name: string, path: string): void {
  if (name.length > maxFileNameLength) throw badInput(`${path} must be at most ${maxFileNameLength} characters`, path)
  if (!fileName.test(name) || !name.isWellFormed()) {
    throw badInput(
      `${path} must be a plain file name (no folder, no leading dot) ending in .jsonl, .jsonl.gz, .gz, .json or .json.gz`,
      path
    )
  }
}

/** `.json` holds one array of products; everything else holds one product a line. */
export const isJsonArrayFile = (name: string): boolean => /\.json(?:\.gz)?$/i.test(name)
