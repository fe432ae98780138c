import { randomUUID } from 'node:crypto'
import type { ImportJob } from '../../../src/domain/import-job.js'

/** A REPLACE of `a.jsonl` that a worker has just begun. */
export const runningJob = (vendorId: string, fields: Partial<ImportJob> = {}): ImportJob => ({
  _id: randomUUID(), vendorId, files: ['a.jsonl'], mode: 'REPLACE', dryRun: false, maxArchivePercent: null, status: 'processing', attempt: 1, runs: 1, stats: null, progress: null,
  cancelRequested: false, liveProductsAtStart: null, createdAt: new Date(0), startedAt: new Date(), completedAt: null, expiresAt: null, ...fields
})
