/** What an import has left behind, without what must differ between two runs of the same files. */
import type { JobIssue } from '../../src/domain/issue.js'
import type { Database } from '../../src/store/database/connection.js'
import { createImportIssues } from '../../src/store/jobs/import-issues.js'

/** All products of the vendor by id: content and identity, not when, how often or by which job they were written. */
export async function catalogOf ({ collections }: Database, vendorId: string): Promise<unknown[]> {
  const found = await collections.products.find({ vendorId }).sort({ _id: 1 }).toArray()
  return found.map(({
    revision: _revision, writeId: _writeId, createdAt: _createdAt, updatedAt: _updatedAt, createdBy: _createdBy,
    writtenBy: _writtenBy, upsertedDuring: _upsertedDuring, patchHash: _patchHash, size: _size, archivedByJobId, ...content
  }) => ({ ...content, archivedByJob: archivedByJobId !== null }))
}

/** All errors and warnings of a job, in order. */
export async function issuesOf ({ collections }: Database, vendorId: string, jobId: string): Promise<JobIssue[]> {
  const issues: JobIssue[] = []
  for await (const issue of createImportIssues(collections).stream(vendorId, jobId)) issues.push(issue)
  return issues
}
