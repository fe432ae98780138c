/**
 * What a job has left behind, for one that is given up: the workers that counted its lines are dead. Errors and archived products are
 * exact. A product that the job has created or changed counts once, however many lines it took; one that a line left as it was bears
 * no trace of it.
 */
import type { ImportStats } from '../../domain/import-job.js'
import { positionIn } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import { createImportIssues, type IssueCollections } from './import-issues.js'

export async function tallyImport (collections: Pick<Collections, 'products'> & IssueCollections, vendorId: string, jobId: string): Promise<ImportStats> {
  const tally = { created: 0, updated: 0, archived: 0 }
  const marks = collections.products.find({ vendorId }, { projection: { createdBy: 1, writtenBy: 1, archivedByJobId: 1 }, batchSize: 1_000 })
  for await (const { createdBy = null, writtenBy = null, archivedByJobId = null } of marks) {
    if (positionIn(jobId, createdBy) !== null) tally.created += 1
    else if (positionIn(jobId, writtenBy) !== null) tally.updated += 1
    if (archivedByJobId === jobId) tally.archived += 1
  }
  const errors = await createImportIssues(collections).countBadLines(vendorId, jobId)
  return {
    productsProcessed: tally.created + tally.updated + errors,
    productsCreated: tally.created,
    productsUpdated: tally.updated,
    productsArchived: tally.archived,
    productsSkipped: errors,
    errors
  }
}
