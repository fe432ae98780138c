/**
 * Errors and warnings of jobs in `import_issues`. Ids are deterministic (job, severity, file, line, number), so a
 * re-run of a job meets its own issues instead of doubling them, and the order of ids is the order of reading:
 * what concerns the job as a whole first, then file by file, line by line.
 *
 * A job keeps a bounded number of them (store/jobs/issue-recorder). Of those beyond there are lines and counts (store/jobs/unkept-issues), and one
 * document behind all others of its severity which says that there are such: only who meets it asks for the counts.
 */
import type { Fault, JobIssue, Warning } from '../../domain/issue.js'
import type { LinePosition } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import { countWanted } from '../database/count-in-pages.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import { findByIds } from '../database/find-by-ids.js'
import { createKept } from '../database/kept-counts.js'
import { createFindFirstIssues } from './first-issues.js'
import { addUp, createUnkeptIssues, type CodeCount, type UnkeptIssue, type UnkeptLines } from './unkept-issues.js'
import type { IssueDocument } from './issue-document.js'
import { allOfJob, idOf, ofJob, type Severity } from './issue-ids.js'

/** Where an issue belongs; null is the job as a whole. `ordinal` tells several of one line apart. */
export interface PlacedIssue extends JobIssue {
  position: LinePosition | null
  ordinal?: number
}

/** 90 days (decisions.md, Retention), and a week for the job that is still running. */
const lifetimeMs = 97 * 24 * 60 * 60 * 1_000

/** That run and are looked at. A few kilobytes each. */
const maxCountedJobs = 200

/** Behind every file: a job has a hundred at most. */
const behindAll: LinePosition = { file: 998, line: 0 }

export interface ImportIssues {
  /** Adds what is new; issues already there stay as they are. */
  add (vendorId: string, jobId: string, issues: PlacedIssue[]): Promise<void>
  /** Only tells that they were there. Each must not have been told of before. */
  addUnkept (vendorId: string, jobId: string, issues: UnkeptIssue[]): Promise<void>
  /** Adds or replaces one. */
  put (vendorId: string, jobId: string, issue: PlacedIssue): Promise<void>
  /** At the end, how many there are of each code that are not kept. `files`: how many the job has; where that is known, less is looked for. */
  list (vendorId: string, jobId: string, severity: Severity, first: number, files?: number): Promise<JobIssue[]>
  /** Errors, then warnings, then how many of both are not kept. */
  stream (vendorId: string, jobId: string): AsyncIterable<JobIssue>
  /** The faults of one file's bad lines from `firstLine` to `lastLine`, by line: the verdicts of an earlier attempt. None where they are not kept. */
  errorsBetween (jobId: string, file: number, firstLine: number, lastLine: number): Promise<Map<number, Fault[]>>
  /** How many there are of each code, those that are not kept included; errors first, most first. While the job is running, they may be as old as database/kept-counts says. */
  countsByCode (vendorId: string, jobId: string, isRunning?: boolean): Promise<CodeCount[]>
  countBadLines (vendorId: string, jobId: string): Promise<number>
  /** How many of the job's issues of lines are kept. */
  countKept (vendorId: string, jobId: string): Promise<number>
  /** Those of which the job knows nothing yet. All of one file, by line. */
  unknownAmong (jobId: string, issues: PlacedIssue[]): Promise<PlacedIssue[]>
  /** Takes back the job's own reason, which a run that was cut off while failing may have left. */
  clearReason (vendorId: string, jobId: string): Promise<void>
}

export type IssueCollections = Pick<Collections, 'importIssues' | 'unkeptIssues'>

export function createImportIssues ({ importIssues, unkeptIssues }: IssueCollections, now = Date.now): ImportIssues {
  const unkept = createUnkeptIssues({ unkeptIssues })
  const findFirst = createFindFirstIssues({ importIssues })
  /** A running job's page asks with each look at it; nobody marks what its batches add. */
  const keepCounts = createKept<CodeCount[]>(async () => 0, (counts) => counts.reduce((sum, { count }) => sum + count, 0), { now, maxKept: maxCountedJobs })
  const expiresAt = (): Date => new Date(Date.now() + lifetimeMs)

  function toDocument (vendorId: string, jobId: string, { position, ordinal, ...issue }: PlacedIssue): IssueDocument {
    return {
      _id: idOf(jobId, issue.severity, position, ordinal ?? 0),
      jobId,
      vendorId,
      ...issue,
      expiresAt: expiresAt()
    }
  }

  /** What the report of a job ends with. */
  async function unkeptCounts (jobId: string): Promise<JobIssue[]> {
    return (await unkept.counts(jobId)).map(({ severity, code, count }) => (
      { severity, file: null, line: null, externalId: null, faults: [{ code, path: '', detail: count } as Fault | Warning], message: `${count} more with the code ${code}, not listed` }
    ))
  }

  const kept = async (vendorId: string, jobId: string, severity: Severity): Promise<number> =>
    await countWanted(importIssues, ofJob(jobId, severity), { vendorId, line: { $ne: null } })
  /** Of lines of one file. */
  async function unkeptAmong (jobId: string, lines: LinePosition[]): Promise<UnkeptLines> {
    const numbers = lines.map(({ line }) => line)
    const file = lines[0]?.file
    return file === undefined
      ? { bad: new Set(), warned: new Set() }
      : await unkept.linesBetween(jobId, file, Math.min(...numbers), Math.max(...numbers))
  }
  async function countCodes (vendorId: string, jobId: string): Promise<CodeCount[]> {
    const kept = await importIssues.aggregate<{ _id: Pick<CodeCount, 'severity' | 'code'>, count: number }>([
      { $match: allOfJob(jobId) },
      { $match: { vendorId } },
      // A line says each once, however often it has it. `$faults.code` is not what it seems to every server.
      { $project: { severity: 1, code: { $setUnion: [{ $map: { input: '$faults', in: '$$this.code' } }, []] } } },
      { $unwind: '$code' },
      { $group: { _id: { severity: '$severity', code: '$code' }, count: { $sum: 1 } } }
    ]).toArray()
    return addUp([...kept.map(({ _id, count }) => ({ ..._id, count })), ...await unkept.counts(jobId)])
  }
  const hidden = { projection: { _id: 0, jobId: 0, expiresAt: 0 } } as const

  return {
    async add (vendorId, jobId, issues) {
      if (issues.length === 0) return
      try {
        await importIssues.insertMany(issues.map((issue) => toDocument(vendorId, jobId, issue)), { ordered: false })
      } catch (error) {
        ignoreDuplicates(error)
      }
    },
    async addUnkept (vendorId, jobId, issues) {
      for (const severity of new Set(issues.map(({ severity }) => severity))) {
        const issue: PlacedIssue = { severity, position: behindAll, file: null, line: null, externalId: null, faults: [] }
        const document: IssueDocument = { ...toDocument(vendorId, jobId, issue), isUnkept: true }
        await importIssues.replaceOne({ _id: document._id }, document, { upsert: true })
      }
      await unkept.add(vendorId, jobId, issues, expiresAt())
    },
    async put (vendorId, jobId, issue) {
      const document = toDocument(vendorId, jobId, issue)
      await importIssues.replaceOne({ _id: document._id }, document, { upsert: true })
    },
    async list (vendorId, jobId, severity, first, files) {
      // To the database, none would mean all.
      if (first === 0) return []
      const page = await findFirst(jobId, severity, first, files)
      const found = page.filter((issue) => issue.vendorId === vendorId).map(({ _id, jobId, vendorId, expiresAt, ...issue }) => issue)
      if (found.at(-1)?.isUnkept !== true) return found
      const counts = (await unkeptCounts(jobId)).filter((issue) => issue.severity === severity)
      return [...found.slice(0, -1), ...counts].slice(0, first)
    },
    async * stream (vendorId, jobId) {
      let hasUnkept = false
      for (const severity of ['error', 'warning'] as const) {
        // By default a batch may grow to 16 MB, which a client that reads slowly would hold in our memory.
        for await (const { vendorId: owner, ...issue } of importIssues.find(ofJob(jobId, severity), hidden).sort({ _id: 1 }).batchSize(1_000)) {
          if (owner !== vendorId) return
          if (issue.isUnkept === true) hasUnkept = true
          else yield issue
        }
      }
      if (hasUnkept) yield * await unkeptCounts(jobId)
    },
    async errorsBetween (jobId, file, firstLine, lastLine) {
      const range = {
        $gte: idOf(jobId, 'error', { file, line: firstLine }, 0),
        $lt: idOf(jobId, 'error', { file, line: lastLine + 1 }, 0)
      }
      const found = new Map<number, Fault[]>()
      for await (const { line, faults } of importIssues.find({ jobId, _id: range })) {
        // Issues of severity error hold faults only.
        if (line !== null) found.set(line, faults as Fault[])
      }
      for (const line of (await unkept.linesBetween(jobId, file, firstLine, lastLine)).bad) {
        if (line >= firstLine && line <= lastLine) found.set(line, [])
      }
      return found
    },
    countsByCode: async (vendorId, jobId, isRunning = false) => isRunning
      ? await keepCounts(vendorId, jobId, async () => await countCodes(vendorId, jobId))
      : await countCodes(vendorId, jobId),
    countBadLines: async (vendorId, jobId) => await kept(vendorId, jobId, 'error') + await unkept.countBadLines(jobId),
    countKept: async (vendorId, jobId) => await kept(vendorId, jobId, 'error') + await kept(vendorId, jobId, 'warning'),
    async unknownAmong (jobId, issues) {
      const { bad, warned } = await unkeptAmong(jobId, issues.flatMap(({ position }) => position ?? []))
      const ids = issues.map(({ severity, position, ordinal }) => idOf(jobId, severity, position, ordinal ?? 0))
      const known = new Set((await findByIds(importIssues, ids, {})).map(({ _id }) => _id))
      return issues.filter(({ severity, position }, index) =>
        !known.has(ids[index] as string) && (position === null || !(severity === 'error' ? bad : warned).has(position.line)))
    },
    async clearReason (vendorId, jobId) {
      await importIssues.deleteOne({ _id: idOf(jobId, 'error', null, 0), vendorId })
    }
  }
}
