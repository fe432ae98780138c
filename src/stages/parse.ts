/** Text to JSON value. Everything that can be wrong with a line as text is found here. */
import type { Envelope } from '../engine/envelope.js'
import { perRecord, type RecordStage, type Stage } from '../engine/stage.js'
import { isRecord } from '../domain/reader.js'
import { clip, type Fault } from '../domain/issue.js'
import { boundJson, faultOfValue, maxJsonDepth, maxJsonValues } from '../domain/json-bounds.js'
import { readExternalId } from '../domain/product-patch.js'
import { jsonOf } from '../domain/json-of.js'
import { readMarkedLine } from '../domain/line-markers.js'
import { salvageExternalId } from '../domain/salvage-id.js'

export const parse: RecordStage<string, Record<string, unknown>> = perRecord(parseLine)

export function parseLine (text: string, envelope: Envelope<unknown>): Record<string, unknown> | null {
  const bounded = boundJson(text)
  if (bounded.text === null) {
    rejectUnreadable(text, { code: 'too-many-values', path: '', detail: maxJsonValues }, envelope)
    return null
  }
  const value = jsonOf(bounded.text)
  if (value === undefined) {
    rejectUnreadable(text, bounded.isTooDeep ? tooDeep('') : { code: 'malformed-json', path: '' }, envelope)
    return null
  }
  const record = adoptRecord(value, envelope)
  if (record !== null) {
    envelope.text = text
    // JSON text is valid UTF-8 by now, so only an escape can smuggle in half a character.
    if (bounded.isTooDeep || text.includes('\\u')) rejectFaultyValues(record, envelope)
  }
  return record
}

const tooDeep = (path: string): Fault => ({ code: 'too-deep', path, detail: maxJsonDepth })

/** Takes a JSON value as a record. null: it is none, and says so. */
function adoptRecord (value: unknown, envelope: Envelope<unknown>): Record<string, unknown> | null {
  if (!isRecord(value)) {
    envelope.reject({ code: 'not-an-object', path: '' })
    return null
  }
  envelope.externalId = readExternalId(value)
  return value
}

function rejectUnreadable (text: string, fault: Fault, envelope: Envelope<unknown>): void {
  const marked = readMarkedLine(text)
  envelope.reject(marked === null ? fault : marked.fault)
  envelope.salvagedId = marked === null ? salvageExternalId(text) : marked.externalId
}

/** MongoDB would replace half a character silently. Gives whether a value is too deep to be gone on with. */
function rejectFaultyValues (record: Record<string, unknown>, envelope: Envelope<unknown>): boolean {
  let isTooDeep = false
  for (const field of Object.keys(record)) {
    const code = faultOfValue(field, record[field])
    if (code === null) continue
    const path = clip(field.toWellFormed())
    envelope.reject(code === 'too-deep' ? tooDeep(path) : { code, path })
    isTooDeep ||= code === 'too-deep'
  }
  return isTooDeep
}

/** The first stage for sources whose records come as values: JSON arrays and GraphQL input. */
export const adopt: Stage<unknown, Record<string, unknown>> = perRecord((value, envelope) => {
  const record = adoptRecord(value, envelope)
  // What comes after would take the stack for each level.
  return record === null || rejectFaultyValues(record, envelope) ? null : record
})
