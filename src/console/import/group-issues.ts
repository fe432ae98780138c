/** Issues by what is wrong. */
import type { JobIssueFragment } from '../api/operations.js'

export interface IssueGroup {
  /** '' is the job's own reason. */
  code: string
  /** Lines that have it; a line may have several. */
  count: number
  /** Those lines, in their order. */
  issues: JobIssueFragment[]
  /** Others of this code that are not listed. */
  unlisted: number
}

/** The most frequent first. */
export function groupIssues (issues: readonly JobIssueFragment[]): IssueGroup[] {
  const groups = new Map<string, IssueGroup>()
  const groupOf = (code: string): IssueGroup => {
    const group = groups.get(code) ?? { code, count: 0, issues: [], unlisted: 0 }
    groups.set(code, group)
    return group
  }
  for (const issue of issues) {
    for (const code of issue.codes.length === 0 ? [''] : new Set(issue.codes)) {
      const group = groupOf(code)
      const unlisted = issue.line === null ? /^(\d+) more with the code/.exec(issue.message)?.[1] : undefined
      if (unlisted !== undefined) group.unlisted += Number(unlisted)
      else {
        group.count++
        group.issues.push(issue)
      }
    }
  }
  return [...groups.values()].sort((a, b) => b.count + b.unlisted - a.count - a.unlisted)
}
