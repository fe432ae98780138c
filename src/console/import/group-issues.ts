/** Issues by what is wrong: how many the job has of each code, with those that are listed as examples. */
import type { ImportJobQuery, JobIssueFragment } from '../api/operations.js'

export type IssueCount = NonNullable<ImportJobQuery['productImportJob']>['issueCounts'][number]

export interface IssueGroup {
  code: string
  /** All that there are, listed or not. */
  count: number
  /** Of those that are listed, in their order; a line may be in several groups. */
  issues: JobIssueFragment[]
}

/** In the order of the counts. */
export function groupIssues (counts: readonly IssueCount[], severity: IssueCount['severity'], issues: readonly JobIssueFragment[]): IssueGroup[] {
  const listed = issues.filter(({ line, message }) => line !== null || !isMore(message))
  return counts.filter((each) => each.severity === severity)
    .map(({ code, count }) => ({ code, count, issues: listed.filter(({ codes }) => codes.includes(code)) }))
}

/** The end of a list, which says how many are not in it. */
const isMore = (message: string): boolean => /^\d+ more with the code/.test(message)
