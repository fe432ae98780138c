/**
 * Records what is wrong with the lines of one run of a job, and sees to it that a job keeps no more than `maxKeptIssues` of them: those
 * that are found first. Of the others it is kept which lines they were and how many of each code (store/jobs/unkept-issues).
 *
 * Each issue is in one place, also over runs that begin anew and writes whose answer was lost: from then on it asks, before it adds any,
 * what is known already. An issue has its place among those that are kept once: it keeps it when its write fails, and when it is found to have been
 * stored after all. A run that is believed dead and is not may count some twice; the job's stats do not come from here.
 */
import type { ImportIssues, PlacedIssue } from './import-issues.js'
import type { Fence } from '../catalog/commit-products.js'
import type { WritableLine } from '../catalog/writable-line.js'

/** decisions.md, "Bounds". */
export const maxKeptIssues = 100_000

export interface IssueRecorderOptions {
  issues: Pick<ImportIssues, 'add' | 'addUnkept' | 'put' | 'countKept' | 'unknownAmong'>
  vendorId: string
  jobId: string
  files: string[]
  /** Which run of the job this is. */
  attempt: number
  maxKept?: number | undefined
}

export interface IssueRecorder {
  /** Lines of one file. Resolves when what is wrong with them is durable; nothing has been stored when `fence` rejects. */
  record (lines: WritableLine[], fence?: Fence): Promise<void>
  /** From now on lines may come that were recorded before: something is done again. */
  expectKnown (): void
  /** One that is told once per job, with its count. */
  recordOnce (issue: Omit<PlacedIssue, 'file'>): Promise<void>
}

export function createIssueRecorder ({ issues, vendorId, jobId, files, attempt, maxKept = maxKeptIssues }: IssueRecorderOptions): IssueRecorder {
  let left = maxKept
  let counting: Promise<void> | undefined
  let someMayBeKnown = attempt > 1
  /** Issues that have a place and may not be stored: their write has failed. */
  const placed = new Set<string>()

  const fileOf = ({ position }: Pick<PlacedIssue, 'position'>): string | null => position === null ? null : files[position.file] ?? null

  /** How many an earlier run has kept. Asked once, when the first of this run is to be added. */
  async function countEarlier (): Promise<void> {
    if (attempt === 1) return
    counting ??= issues.countKept(vendorId, jobId).then((count) => { left -= count })
    await counting.catch((error: unknown) => {
      counting = undefined
      throw error
    })
  }

  async function record (lines: WritableLine[], fence?: Fence): Promise<void> {
    const found = lines.flatMap(issuesOf)
    if (found.length === 0) return
    await countEarlier()
    const unknown = someMayBeKnown ? await issues.unknownAmong(jobId, found) : found
    await fence?.()
    await add(unknown)
  }

  /** No await before `left` has changed: batches are recorded side by side. */
  async function add (found: PlacedIssue[]): Promise<void> {
    const kept: PlacedIssue[] = []
    const unkept: PlacedIssue[] = []
    for (const issue of found) (hasPlace(issue) ? kept : unkept).push(issue)
    await issues.add(vendorId, jobId, kept).catch((error: unknown) => {
      for (const issue of kept) placed.add(keyOf(issue))
      throw error
    })
    await issues.addUnkept(vendorId, jobId, unkept.flatMap(({ position, severity, faults }) => (
      position === null ? [] : [{ position, severity, codes: faults.map(({ code }) => code) }]
    )))
  }

  function hasPlace (issue: PlacedIssue): boolean {
    if (placed.size > 0 && placed.delete(keyOf(issue))) return true
    if (left <= 0) return false
    left -= 1
    return true
  }

  function issuesOf ({ position, externalId, faults, warnings }: WritableLine): PlacedIssue[] {
    if (faults.length === 0 && warnings.length === 0) return []
    const place = { position, file: fileOf({ position }), line: position.line, externalId: externalId === '' ? null : externalId }
    return faults.length > 0
      ? [{ ...place, severity: 'error', faults: [...faults] }]
      : warnings.map((warning, ordinal) => ({ ...place, severity: 'warning', faults: [warning], ordinal }))
  }

  return {
    record,
    expectKnown () { someMayBeKnown = true },
    async recordOnce (issue) {
      await issues.put(vendorId, jobId, { ...issue, file: fileOf(issue) })
    }
  }
}

const keyOf = ({ severity, position, ordinal = 0 }: PlacedIssue): string => `${severity} ${position?.file} ${position?.line} ${ordinal}`
