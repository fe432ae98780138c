/** An import that has ended, in the words a person reads. */
import type { RemoteImport } from './import-api.js'
import { alignNumbers, wordCount } from './wording.js'

const errorsShown = 10

/** Lines; `url` says where the rest of the errors is. */
export function describeImport (job: RemoteImport, url: string): string[] {
  const lines = [`Import ${job.jobId} (${job.mode}) ${job.status}`]
  if (job.stats !== null) lines.push(...describeStats(job.stats))
  const reasons = job.errorDetails.filter(({ line }) => line === null)
  for (const { message } of reasons) lines.push(`Reason: ${message}`)
  const lineErrors = job.errorDetails.filter(({ line }) => line !== null)
  const total = Math.max(job.stats?.errors ?? 0, lineErrors.length)
  if (total === 0) return lines
  lines.push(total > errorsShown ? `The first ${errorsShown} of ${wordCount(total, 'line error')}:` : `${wordCount(total, 'line error')}:`)
  lines.push(...describeErrors(lineErrors.slice(0, errorsShown)))
  if (total > errorsShown) {
    lines.push(`All of them, with the same key: GET ${url.replace(/\/$/, '')}/api/v1/products/import/${job.jobId}/errors`)
  }
  return lines
}

export const describeStats = (stats: NonNullable<RemoteImport['stats']>): string[] => alignNumbers([
  ['processed', stats.productsProcessed],
  ['created', stats.productsCreated],
  ['updated', stats.productsUpdated],
  ['archived', stats.productsArchived],
  ['skipped for errors', stats.productsSkipped]
])

export const describeErrors = (errors: RemoteImport['errorDetails']): string[] =>
  errors.map(({ line, externalId, message }) => `  line ${line ?? '?'}${externalId === null ? '' : `, ${externalId}`}: ${message}`)
