/**
 * Errors and warnings of jobs in `import_issues`. Ids are deterministic (job, severity, file, line, number), so a
 * re-run of a job meets its own issues instead of doubling them, and the order of ids is the order of reading:
 * what concerns the job as a whole first, then file by file, line by line.
 */
import type { Fault, JobIssue } from '../domain/issue.js'
import type { LinePosition } from '../domain/product.js'
import type { Collections } from './connection.js'
import { ignoreDuplicates } from './database-errors.js'
import { findByIds } from './find-by-ids.js'

export interface IssueDocument extends JobIssue {
  _id: string
  jobId: string
  vendorId: string
  expiresAt: Date
}

/** Where an issue belongs; null is the job as a whole. `ordinal` tells several of one line apart. */
export interface PlacedIssue extends JobIssue {
  position: LinePosition | null
  ordinal?: number
}

export type Severity = JobIssue['severity']

/** 90 days (decisions.md, Retention), and a week for the job that is still running. */
const lifetimeMs = 97 * 24 * 60 * 60 * 1_000

const letters: Record<Severity, string> = { error: 'E', warning: 'W' }
const prefix = (jobId: string, severity: Severity): string => `${jobId}:${letters[severity]}:`
const padded = (number: number, width: number): string => String(number).padStart(width, '0')

function idOf (jobId: string, severity: Severity, position: LinePosition | null, ordinal: number): string {
  const { file, line } = position ?? { file: -1, line: 0 }
  return `${prefix(jobId, severity)}${padded(file + 1, 3)}:${padded(line, 12)}:${padded(ordinal, 4)}`
}

/** All ids with this prefix: `;` follows `:` in every collation. */
const within = (text: string): { $gte: string, $lt: string } => ({ $gte: text, $lt: `${text.slice(0, -1)};` })

export interface ImportIssues {
  /** Adds what is new; issues already there stay as they are. */
  add (vendorId: string, jobId: string, issues: PlacedIssue[]): Promise<void>
  /** Adds or replaces one. */
  put (vendorId: string, jobId: string, issue: PlacedIssue): Promise<void>
  list (vendorId: string, jobId: string, severity: Severity, first: number): Promise<JobIssue[]>
  /** Errors, then warnings. */
  stream (vendorId: string, jobId: string): AsyncIterable<JobIssue>
  /** The faults of one file's bad lines from `firstLine` to `lastLine`, by line: the verdicts of an earlier attempt. */
  errorsBetween (jobId: string, file: number, firstLine: number, lastLine: number): Promise<Map<number, Fault[]>>
  /** The same for single lines. */
  errorsAt (jobId: string, lines: LinePosition[]): Promise<Array<{ position: LinePosition, faults: Fault[] }>>
  countBadLines (vendorId: string, jobId: string): Promise<number>
  /** Takes back the job's own reason, which a run that was cut off while failing may have left. */
  clearReason (vendorId: string, jobId: string): Promise<void>
}

export function createImportIssues ({ importIssues }: Pick<Collections, 'importIssues'>): ImportIssues {
  function toDocument (vendorId: string, jobId: string, { position, ordinal, ...issue }: PlacedIssue): IssueDocument {
    return {
      _id: idOf(jobId, issue.severity, position, ordinal ?? 0),
      jobId,
      vendorId,
      ...issue,
      expiresAt: new Date(Date.now() + lifetimeMs)
    }
  }
  const hidden = { projection: { _id: 0, jobId: 0, vendorId: 0, expiresAt: 0 } } as const

  return {
    async add (vendorId, jobId, issues) {
      if (issues.length === 0) return
      try {
        await importIssues.insertMany(issues.map((issue) => toDocument(vendorId, jobId, issue)), { ordered: false })
      } catch (error) {
        ignoreDuplicates(error)
      }
    },
    async put (vendorId, jobId, issue) {
      const document = toDocument(vendorId, jobId, issue)
      await importIssues.replaceOne({ _id: document._id }, document, { upsert: true })
    },
    async list (vendorId, jobId, severity, first) {
      return await importIssues
        .find({ _id: within(prefix(jobId, severity)), vendorId }, hidden).sort({ _id: 1 }).limit(first).toArray()
    },
    async * stream (vendorId, jobId) {
      for (const severity of ['error', 'warning'] as const) {
        // By default a batch may grow to 16 MB, which a client that reads slowly would hold in our memory.
        yield * importIssues.find({ _id: within(prefix(jobId, severity)), vendorId }, hidden).sort({ _id: 1 }).batchSize(1_000)
      }
    },
    async errorsBetween (jobId, file, firstLine, lastLine) {
      const range = {
        $gte: idOf(jobId, 'error', { file, line: firstLine }, 0),
        $lt: idOf(jobId, 'error', { file, line: lastLine + 1 }, 0)
      }
      const found = new Map<number, Fault[]>()
      for await (const { line, faults } of importIssues.find({ _id: range })) {
        // Issues of severity error hold faults only.
        if (line !== null) found.set(line, faults as Fault[])
      }
      return found
    },
    async errorsAt (jobId, lines) {
      const positions = new Map(lines.map((position) => [idOf(jobId, 'error', position, 0), position]))
      const found = await findByIds(importIssues, [...positions.keys()], { faults: 1 })
      return found.flatMap(({ _id, faults }) => {
        const position = positions.get(_id)
        return position === undefined ? [] : [{ position, faults: faults as Fault[] }]
      })
    },
    countBadLines: async (vendorId, jobId) =>
      await importIssues.countDocuments({ _id: within(prefix(jobId, 'error')), vendorId, line: { $ne: null } }),
    async clearReason (vendorId, jobId) {
      await importIssues.deleteOne({ _id: idOf(jobId, 'error', null, 0), vendorId })
    }
  }
}
