/** What must have come of the demo's imports. A demo that only shows numbers proves nothing. */
import { CliError } from './cli-error.js'
import type { RemoteImport } from './import-api.js'

export function expectEqual (what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  throw new CliError(`${what} should be ${JSON.stringify(expected)}, it is ${JSON.stringify(actual)}`)
}

interface ExpectedImport {
  lines: number
  created: number
  updated: number
  /** Physical line numbers, ascending. */
  badLines: number[]
}

/** Throws CliError that names the first number that is off. */
export function expectImport (job: RemoteImport, expected: ExpectedImport): void {
  const { stats, errorDetails, mode } = job
  const reason = errorDetails.find(({ line }) => line === null)?.message
  if (job.status !== 'completed') throw new CliError(`The ${mode} import ${job.status}: ${reason ?? 'no reason given'}`)
  if (stats === null) throw new CliError(`The ${mode} import has no stats`)
  const bad = expected.badLines.length
  expectEqual(`${mode}: productsProcessed`, stats.productsProcessed, expected.lines)
  expectEqual(`${mode}: productsCreated`, stats.productsCreated, expected.created)
  expectEqual(`${mode}: productsUpdated`, stats.productsUpdated, expected.updated)
  expectEqual(`${mode}: productsArchived`, stats.productsArchived, 0)
  expectEqual(`${mode}: productsSkipped`, stats.productsSkipped, bad)
  expectEqual(`${mode}: errors`, stats.errors, bad)
  expectEqual(`${mode}: created + updated + skipped`, stats.productsCreated + stats.productsUpdated + stats.productsSkipped, stats.productsProcessed)
  expectEqual(`${mode}: the lines with errors`, errorDetails.map(({ line }) => line), expected.badLines)
}
