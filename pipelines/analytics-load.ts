/** What a load of analytics records runs, in which order: for a file of one kind, and for messages of any. */
import type { Readable } from 'node:stream'
import { isRecordKind, type AnalyticsRecord, type RecordKind } from '../src/domain/analytics/records.js'
import { isRecord } from '../src/domain/reader.js'
import { vendorIdPattern } from '../src/domain/access.js'
import type { Fault } from '../src/domain/issue.js'
import { Envelope } from '../src/engine/envelope.js'
import { parse } from '../src/stages/parse.js'
import { readAnalyticsRecord } from '../src/stages/read-analytics-record.js'
import { createAnalyticsSink, type AnalyticsSinkOptions, type LoadTotals } from '../src/store/analytics/analytics-sink.js'
import type { AnalyticsWriter } from '../src/store/analytics/analytics-writer.js'
import { runRecordFile } from './record-file.js'

export interface AnalyticsFileOptions extends AnalyticsSinkOptions {
  /** Raw bytes: JSON Lines, or one JSON array in a `.json` file; gzipped or not. */
  source: Readable
  name: string
  signal: AbortSignal
  /** Called for every line. */
  onLine?: () => void
}

/** Runs one file through the pipeline. Throws a fatal AppError when the file cannot be read to its end. */
export async function loadAnalyticsFile (options: AnalyticsFileOptions): Promise<LoadTotals> {
  const { source, name, kind, signal, onLine } = options
  const sink = createAnalyticsSink(options)
  await runRecordFile({ source, name, index: 0, stages: readAnalyticsRecord(kind), sink, signal, onLine })
  return sink.totals
}

/** A message of the Kafka topic: `{"kind", "vendorId", "record"}` as JSON text. */
export interface BadMessage { index: number, faults: readonly Fault[] }

/**
 * Writes the records of messages, in order within each vendor and kind. Gives those that hold no good record. Throws when
 * the database is away; the same messages may be sent through again.
 */
export async function loadAnalyticsMessages (messages: readonly string[], writer: AnalyticsWriter): Promise<BadMessage[]> {
  const envelopes = messages.map((text, index) => new Envelope<string>({ file: 0, line: index + 1 }, text))
  const batch = parse(envelopes)
  const groups = new Map<string, { vendorId: string, kind: RecordKind, envelopes: Array<Envelope<unknown>> }>()
  for (const envelope of batch as Array<Envelope<unknown>>) {
    if (envelope.rejected || !isRecord(envelope.value)) continue
    const { kind, vendorId, record } = envelope.value
    if (!isRecordKind(kind)) envelope.reject({ code: 'wrong-type', path: 'kind', detail: 'a kind of analytics records' })
    else if (typeof vendorId !== 'string' || !vendorIdPattern.test(vendorId)) envelope.reject({ code: 'wrong-type', path: 'vendorId', detail: 'a vendor id' })
    else {
      envelope.value = record ?? {}
      const group = groups.get(`${vendorId}\0${kind}`) ?? { vendorId, kind, envelopes: [] }
      groups.set(`${vendorId}\0${kind}`, group)
      group.envelopes.push(envelope)
    }
  }
  for (const { vendorId, kind, envelopes } of groups.values()) {
    const read = await readAnalyticsRecord(kind)(envelopes as Array<Envelope<Record<string, unknown>>>)
    await writer.write(vendorId, kind, read.filter(({ rejected }) => !rejected).map(({ value }) => value as AnalyticsRecord))
  }
  return batch.flatMap(({ faults, position: { line } }) => faults.length === 0 ? [] : [{ index: line - 1, faults }])
}
