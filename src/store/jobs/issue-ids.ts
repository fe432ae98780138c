/** Ids of issues: a job, how grave, a file, a line and a number. Their order is that of reading; what concerns the job as a whole comes first. */
import type { Document, Filter } from 'mongodb'
import type { JobIssue } from '../../domain/issue.js'
import type { LinePosition } from '../../domain/product.js'
import type { CountedRange } from '../database/counted.js'
import type { IssueDocument } from './issue-document.js'

export type Severity = JobIssue['severity']

const letters: Record<Severity, string> = { error: 'E', warning: 'W' }
const [fileDigits, lineDigits, ordinalDigits] = [3, 12, 4]
const padded = (number: number, width: number): string => String(number).padStart(width, '0')

export const prefix = (jobId: string, severity: Severity): string => `${jobId}:${letters[severity]}:`

/** null is the job as a whole. */
export function idOf (jobId: string, severity: Severity, position: LinePosition | null, ordinal: number): string {
  const { file, line } = position ?? { file: -1, line: 0 }
  return `${prefix(jobId, severity)}${padded(file + 1, fileDigits)}:${padded(line, lineDigits)}:${padded(ordinal, ordinalDigits)}`
}

/** Of the job as a whole: the file before the first. */
export function positionOf (id: string): LinePosition {
  const [file = '', line = ''] = id.split(':').slice(-3)
  return { file: Number(file) - 1, line: Number(line) }
}

/**
 * The job comes first, also where the ids name it: see the index. Whose they are is looked at afterwards (a job has one vendor): with a field beside those of
 * the index, secantusd-rs looks at all of the job.
 */
export const ofJob = (jobId: string, severity: Severity, ids: CountedRange = null): Filter<IssueDocument> =>
  ({ jobId, _id: narrowed(within(prefix(jobId, severity)), ids) })

/** Of either severity. */
export const allOfJob = (jobId: string): Filter<IssueDocument> => ({ jobId, _id: within(`${jobId}:`) })

/** All ids with this prefix: `;` follows `:` in every collation. */
const within = (text: string): { $gte: string, $lt: string } => ({ $gte: text, $lt: `${text.slice(0, -1)};` })

const narrowed = (range: { $gte: string, $lt: string }, ids: CountedRange): Document => ({ ...range, ...ids })
