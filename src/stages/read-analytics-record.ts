/** JSON value to analytics record in normal form (domain/analytics/records). */
import { readRecord, type AnalyticsRecord, type RecordKind } from '../domain/analytics/records.js'
import type { Fault } from '../domain/issue.js'
import { perRecord, type Stage } from '../engine/stage.js'

export const readAnalyticsRecord = (kind: RecordKind): Stage<Record<string, unknown>, AnalyticsRecord> => perRecord((value, envelope) => {
  const faults: Fault[] = []
  const record = readRecord(kind, value, faults)
  for (const fault of faults) envelope.reject(fault)
  return record
})
