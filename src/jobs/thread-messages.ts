/** What the import threads and their owner say to each other. */
import type { ImportJob, ImportProgress } from '../domain/import-job.js'
import type { SftpFilesOptions } from '../sources/sftp-files.js'
import type { ImportResult } from './run-import.js'

export interface ThreadData {
  mongodbUrl: string
  sftp: Omit<SftpFilesOptions, 'log'>
  logLevel: string
}

export type ToThread =
  | { type: 'run', id: number, job: ImportJob, attempt: number }
  | { type: 'abort', id: number, cancelled: boolean }
  | { type: 'turn', turn: number }
  | { type: 'close' }

export type FromThread =
  | { type: 'progress', id: number, progress: ImportProgress }
  | { type: 'result', id: number, result: ImportResult }
  | { type: 'broke', id: number, error: Error, databaseAway: boolean }
  | { type: 'turn wanted', jobId: string, turn: number }
  | { type: 'turn over', turn: number }
