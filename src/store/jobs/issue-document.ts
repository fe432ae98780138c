import type { JobIssue } from '../../domain/issue.js'

/** The document in `import_issues`. */
export interface IssueDocument extends JobIssue {
  _id: string
  jobId: string
  vendorId: string
  expiresAt: Date
  /** Stands for those that are not kept. */
  isUnkept?: true
}
