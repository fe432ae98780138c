/** The end of a load's pipeline: writes what is good and tells what is not, and waits for a database that is away. */
import type { Fault } from '../../domain/issue.js'
import type { AnalyticsRecord, RecordKind } from '../../domain/analytics/records.js'
import type { Sink } from '../../engine/run-pipeline.js'
import type { Patience } from '../database/while-away.js'
import type { AnalyticsWriter } from './analytics-writer.js'

export interface LoadTotals {
  /** Records read = written + errors. */
  read: number
  /** Good records; they are stored now. */
  written: number
  /** Of those: were stored like that before. */
  unchanged: number
  errors: number
}

export interface BadRecord {
  /** 1-based physical line, or element of the array. */
  line: number
  faults: readonly Fault[]
}

export interface AnalyticsSinkOptions {
  writer: AnalyticsWriter
  vendorId: string
  kind: RecordKind
  patience: Patience
  onBadRecord: (record: BadRecord) => void
}

export interface AnalyticsSink extends Sink<AnalyticsRecord> { totals: LoadTotals }

export function createAnalyticsSink ({ writer, vendorId, kind, patience, onBadRecord }: AnalyticsSinkOptions): AnalyticsSink {
  const totals: LoadTotals = { read: 0, written: 0, unchanged: 0, errors: 0 }
  return {
    totals,
    async write (batch) {
      const good: AnalyticsRecord[] = []
      for (const { position: { line }, faults, value } of batch) {
        totals.read += 1
        if (faults.length > 0) {
          totals.errors += 1
          onBadRecord({ line, faults })
        } else if (value !== null) good.push(value)
      }
      const changed = await patience(async () => await writer.write(vendorId, kind, good))
      totals.written += good.length
      totals.unchanged += good.length - changed
    },
    flush: async () => {}
  }
}
