/** What the import threads and their owner say to each other (see threads/thread-pool). */
import type { ImportJob, ImportProgress } from '../domain/import-job.js'
import type { SftpFilesOptions } from '../sources/sftp-files.js'
import type { SpanMessage } from '../tracing/told-spans.js'
import type { ImportResult } from './run-import.js'

export interface ThreadData {
  mongodbUrl: string
  sftp: Omit<SftpFilesOptions, 'log'>
  logLevel: string
}

export interface ImportTask {
  job: ImportJob
  attempt: number
  /** Of the job's span; undefined: nothing is traced. */
  traceparent: string | undefined
}

/**
 * `progress`: the last, where there was any. `interrupted` is the message of a retryable error, which would lose its kind on its way between threads; `cause` what the log is told beside it.
 */
export type ImportAnswer = { result: ImportResult, progress: ImportProgress | null } | { interrupted: string, cause: string }

/** A job numbers its turns, to write (jobs/vendor-turns) and to have a large record in hand (threads/large-work). */
export type FromImport = { progress: ImportProgress } | { span: SpanMessage } | { turnWanted: number } | { turnOver: number } | { largeWanted: number } | { largeOver: number }
/** That it has come. */
export interface ToImport { turn: number }
