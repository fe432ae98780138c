/**
 * The first issues of a job, on any server. One that stops at a limit (server-profile) is asked once. One that does not looks at all that the job has, a
 * hundred thousand maybe; so it is asked for windows of lines, from the beginning on, until the page is full:
 *
 *   as many lines as issues are wanted ─▶ as many as should hold the rest, by what the last window held; sixteen times as many, where it held nothing ─▶ …
 *     ─▶ the rest of the file ─▶ the next file in the same way, in longer windows where the one before held nothing ─▶ all that is left
 *
 * Where a page ended is remembered: the next one begins with a window up to there. So is that a job has few, which are read in one go then. That is a hint, as is the number of files: whatever
 * has come since, the page is right.
 */
import { createBoundedMap } from '../../domain/bounded-map.js'
import { maxFilesPerJob } from '../../domain/import-job.js'
import type { LinePosition } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import type { CountedRange } from '../database/counted.js'
import { serverOf } from '../database/server-of.js'
import type { IssueDocument } from './issue-document.js'
import { idOf, ofJob, positionOf, prefix, type Severity } from './issue-ids.js'

/** `files`: how many the job has. */
export type FindFirstIssues = (jobId: string, severity: Severity, limit: number, files?: number) => Promise<IssueDocument[]>

const widening = 16
/** More than it should take, by the lines before: they are not spread evenly. */
const margin = 1.3
/** What a file has behind so many lines is read in one go. */
const longestFile = 16_000_000
/** An empty one takes a millisecond. Whatever is left then is read in one go. */
const maxWindows = 32
/** So few are read in one go. */
const shortList = 200
/** Some 200 bytes each. */
const maxLists = 10_000

/** `behind` is null: so many is more than there were, and those were few. */
interface Reach { behind: LinePosition | null, count: number }

export function createFindFirstIssues ({ importIssues }: Pick<Collections, 'importIssues'>): FindFirstIssues {
  const reaches = createBoundedMap<string, Reach>(maxLists)

  async function inWindows (jobId: string, severity: Severity, limit: number, files: number): Promise<IssueDocument[]> {
    const list = prefix(jobId, severity)
    const found: IssueDocument[] = []
    const bound = (place: LinePosition): string => idOf(jobId, severity, place, 0)

    /** Gives how many there were. `to` is null: all that is left. */
    async function readOn (from: LinePosition | null, to: LinePosition | null): Promise<number> {
      const range = { ...(from === null ? {} : { $gte: bound(from) }), ...(to === null ? {} : { $lt: bound(to) }) }
      const part = await read(jobId, severity, range, limit - found.length)
      found.push(...part)
      return part.length
    }

    const reach = reachOf(list, limit)
    let at = reach?.behind ?? null
    if (reach !== undefined) await readOn(null, at)
    if (reach?.behind === null) return remember()
    /** What a file begins with, and the next window. */
    let first = limit - found.length
    let width = first
    for (let windows = 1, isFileEmpty = true; found.length < limit; windows++) {
      const end = windows === maxWindows ? null : endOf(at, width, files)
      const count = await readOn(at, end)
      if (end === null) break
      isFileEmpty &&= count === 0
      width = count === 0 ? width * widening : widthFor(limit - found.length, width, count)
      if (count > 0) first = width
      if (end.file > Math.max(at?.file ?? 0, 0)) {
        if (isFileEmpty) first *= widening
        width = first
        isFileEmpty = true
      }
      at = end
    }
    return remember()

    function remember (): IssueDocument[] {
      const last = found.length < limit ? undefined : found.at(-1)
      if (last !== undefined) {
        const { file, line } = positionOf(last._id)
        reaches.set(list, { behind: { file, line: line + 1 }, count: limit })
      } else if (found.length <= shortList) reaches.set(list, { behind: null, count: limit })
      else reaches.delete(list)
      return found
    }
  }

  /** Not that of a page that was much longer. */
  function reachOf (list: string, limit: number): Reach | undefined {
    const reach = reaches.get(list)
    return reach === undefined || (reach.behind !== null && reach.count > 2 * limit) ? undefined : reach
  }

  const read = async (jobId: string, severity: Severity, ids: CountedRange, limit: number): Promise<IssueDocument[]> =>
    await importIssues.find(ofJob(jobId, severity, ids)).sort({ _id: 1 }).limit(limit).toArray()

  return async (jobId, severity, limit, files = maxFilesPerJob) => (await serverOf(importIssues).profile()).stopsAtLimit
    ? await read(jobId, severity, null, limit)
    : await inWindows(jobId, severity, limit, files)
}

/** Never fewer lines than issues are wanted: an error has one to itself. */
const widthFor = (wanted: number, width: number, found: number): number =>
  Math.max(wanted, Math.min(Math.ceil(margin * wanted * width / found), width * widening))

/** Of a window that begins there; null is the beginning, and the end. One that begins with a file may reach over several, any other to the end of its own. */
function endOf (at: LinePosition | null, width: number, files: number): LinePosition | null {
  const { file, line } = at === null || at.file < 0 ? { file: 0, line: 0 } : at
  // The first line is 1.
  const end = Math.max(line, 1) + width
  if (file < files && end < longestFile) return { file, line: end }
  const next = file + (line > 0 ? 1 : Math.max(1, Math.floor(width / longestFile)))
  return next < files ? { file: next, line: 0 } : null
}
