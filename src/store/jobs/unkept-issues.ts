/**
 * What a job has found wrong beyond the issues that are kept of it (store/jobs/issue-recorder): which lines, so that a run that begins anew
 * judges them as they were judged, and how many of each code, for the end of the report. A document for each batch of such lines, and
 * of no more than a thousand lines of its file: runs of lines cost next to nothing, however many they are.
 */
import { randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import type { IssueCode, JobIssue } from '../../domain/issue.js'
import type { LinePosition } from '../../domain/product.js'

export interface UnkeptIssuesDocument {
  _id: string
  jobId: string
  vendorId: string
  file: number
  /** The first of the thousand lines in which all of these are. */
  window: number
  /** Bad lines, as the first and last of each run of them: `[3, 7, 9, 9]` are six. */
  bad: number[]
  badCount: number
  /** Lines with warnings that are not kept, the same way. */
  warned: number[]
  counts: CodeCount[]
  expiresAt: Date
}

export interface CodeCount { severity: JobIssue['severity'], code: IssueCode, count: number }

/** An issue that is not kept. One of a line says all that is wrong with it when it is an error. */
export interface UnkeptIssue { severity: JobIssue['severity'], position: LinePosition, codes: IssueCode[] }

export interface UnkeptLines { bad: Set<number>, warned: Set<number> }

const windowLines = 1_000
const windowOf = (line: number): number => line - line % windowLines

export interface UnkeptIssues {
  add (vendorId: string, jobId: string, issues: UnkeptIssue[], expiresAt: Date): Promise<void>
  /** Of one file, from `firstLine` to `lastLine`. */
  linesBetween (jobId: string, file: number, firstLine: number, lastLine: number): Promise<UnkeptLines>
  countBadLines (jobId: string): Promise<number>
  /** How many there are of each code, errors first, most first. */
  counts (jobId: string): Promise<CodeCount[]>
}

export function createUnkeptIssues ({ unkeptIssues }: { unkeptIssues: Collection<UnkeptIssuesDocument> }): UnkeptIssues {
  return {
    async add (vendorId, jobId, issues, expiresAt) {
      if (issues.length === 0) return
      await unkeptIssues.insertMany(byWindow(issues).map((some) => {
        const { file, line } = some[0].position
        const bad = linesOf(some, 'error')
        return {
          _id: randomUUID(),
          jobId,
          vendorId,
          file,
          window: windowOf(line),
          bad: toRuns(bad),
          badCount: bad.length,
          warned: toRuns(linesOf(some, 'warning')),
          counts: countCodes(some),
          expiresAt
        }
      }), { ordered: false })
    },
    async linesBetween (jobId, file, firstLine, lastLine) {
      const lines: UnkeptLines = { bad: new Set(), warned: new Set() }
      const filter = { jobId, file, window: { $gte: windowOf(firstLine), $lte: windowOf(lastLine) } }
      for await (const { bad, warned } of unkeptIssues.find(filter, { projection: { bad: 1, warned: 1 } })) {
        for (const line of fromRuns(bad)) lines.bad.add(line)
        for (const line of fromRuns(warned)) lines.warned.add(line)
      }
      return lines
    },
    async countBadLines (jobId) {
      const [sum] = await unkeptIssues.aggregate<{ bad: number }>([{ $match: { jobId } }, { $group: { _id: null, bad: { $sum: '$badCount' } } }]).toArray()
      return sum?.bad ?? 0
    },
    async counts (jobId) {
      const found = await unkeptIssues.aggregate<{ _id: Pick<CodeCount, 'severity' | 'code'>, count: number }>([
        { $match: { jobId } },
        { $unwind: '$counts' },
        { $group: { _id: { severity: '$counts.severity', code: '$counts.code' }, count: { $sum: '$counts.count' } } }
      ]).toArray()
      return addUp(found.map(({ _id, count }) => ({ ..._id, count })))
    }
  }
}

/** One for each severity and code, errors first, most first. */
export function addUp (counts: readonly CodeCount[]): CodeCount[] {
  const sums = new Map<string, CodeCount>()
  for (const each of counts) {
    const key = `${each.severity} ${each.code}`
    sums.set(key, { ...each, count: each.count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums.values()].sort((a, b) => a.severity.localeCompare(b.severity) || b.count - a.count || a.code.localeCompare(b.code))
}

function byWindow (issues: UnkeptIssue[]): Array<[UnkeptIssue, ...UnkeptIssue[]]> {
  const windows = new Map<string, [UnkeptIssue, ...UnkeptIssue[]]>()
  for (const issue of issues) {
    const key = `${issue.position.file}:${windowOf(issue.position.line)}`
    const some = windows.get(key)
    if (some === undefined) windows.set(key, [issue])
    else some.push(issue)
  }
  return [...windows.values()]
}

const linesOf = (issues: UnkeptIssue[], wanted: JobIssue['severity']): number[] =>
  [...new Set(issues.filter(({ severity }) => severity === wanted).map(({ position }) => position.line))].sort((a, b) => a - b)

/** Of ascending numbers. */
function toRuns (lines: number[]): number[] {
  const runs: number[] = []
  for (const line of lines) {
    if (runs.at(-1) === line - 1) runs[runs.length - 1] = line
    else runs.push(line, line)
  }
  return runs
}

function * fromRuns (runs: number[]): Generator<number> {
  for (let index = 0; index + 1 < runs.length; index += 2) {
    for (let line = runs[index] as number; line <= (runs[index + 1] as number); line++) yield line
  }
}

function countCodes (issues: UnkeptIssue[]): CodeCount[] {
  const counts = new Map<string, CodeCount>()
  for (const { severity, codes } of issues) {
    for (const code of new Set(codes)) {
      const key = `${severity} ${code}`
      const known = counts.get(key)
      if (known === undefined) counts.set(key, { severity, code, count: 1 })
      else known.count += 1
    }
  }
  return [...counts.values()]
}
