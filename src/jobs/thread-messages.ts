/** What the import threads and their owner say to each other (see threads/thread-pool). */
import type { ImportJob, ImportProgress } from '../domain/import-job.js'
import type { SftpFilesOptions } from '../sources/sftp-files.js'
import type { ImportResult } from './run-import.js'

export interface ThreadData {
  mongodbUrl: string
  sftp: Omit<SftpFilesOptions, 'log'>
  logLevel: string
}

export interface ImportTask { job: ImportJob, attempt: number }

/** An error loses its class on its way between threads. */
export type ImportAnswer = { result: ImportResult } | { databaseAway: string }

/** A job numbers its turns to write. */
export type FromImport = { progress: ImportProgress } | { turnWanted: number } | { turnOver: number }
export interface ToImport { turn: number }
