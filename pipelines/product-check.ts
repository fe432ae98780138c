/** The pipeline of `catalog validate`: the very stages of an import, offline, with a sink that only tells. */
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { ImportMode } from '../src/domain/import-job.js'
import type { Fault, Warning } from '../src/domain/issue.js'
import { fatal } from '../src/errors.js'
import type { LinkLookup } from '../src/stages/resolve-links.js'
import { importProductFile } from './product-import.js'

/** What `catalog validate` tells of one line. */
export interface CheckedIssue {
  severity: 'error' | 'warning'
  line: number
  externalId: string | null
  faults: ReadonlyArray<Fault | Warning>
}

/** `untold`: lines of which it cannot be told which products they are about; a REPLACE with such archives nothing. */
export interface CheckedTotals { lines: number, errors: number, warnings: number, untold: number }

/** Checks a local file with the very same stages, without a server. Links are not looked up. */
export async function checkProductFile (
  path: string,
  { mode, signal, onIssue }: { mode: ImportMode, signal?: AbortSignal, onIssue: (issue: CheckedIssue) => void | Promise<void> }
): Promise<CheckedTotals> {
  const totals = { lines: 0, errors: 0, warnings: 0, untold: 0 }
  const source = createReadStream(path)
  try {
    await importProductFile({
      source,
      name: basename(path),
      index: 0,
      vendorId: '',
      mode,
      links: noLinks,
      onUnknownStoreCode: () => {},
      sink: {
        async write (batch) {
          for (const { position: { line }, externalId, salvagedId, faults, warnings } of batch) {
            totals.lines += 1
            if (externalId === null && salvagedId === null) totals.untold += 1
            if (faults.length > 0) {
              totals.errors += 1
              await onIssue({ severity: 'error', line, externalId, faults })
            } else {
              totals.warnings += warnings.length
              for (const warning of warnings) await onIssue({ severity: 'warning', line, externalId, faults: [warning] })
            }
          }
        },
        flush: async () => {}
      },
      signal: signal ?? new AbortController().signal
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw fatal(`File not found: ${path}`, error)
    if (code === 'EACCES' || code === 'EISDIR') throw fatal(`File cannot be read: ${path}`, error)
    throw error
  }
  return totals
}

/** Offline, every link counts as known: what exists is the server's knowledge. */
const everyId = async (_vendorId: string, ids: string[]): Promise<Map<string, string>> => new Map(ids.map((id) => [id, id]))
const noLinks: LinkLookup = { fitmentTargetIds: everyId, sizeChartIds: everyId, stockLocations: async () => [] }
