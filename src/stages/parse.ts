/** Text to JSON value. Everything that can be wrong with a line as text is found here. */
import type { Envelope } from '../engine/envelope.js'
import { perRecord, type Stage, type SyncStage } from '../engine/stage.js'
import { isRecord } from '../domain/reader.js'
import { readExternalId } from '../domain/product-patch.js'
import { invalidUtf8Marker, maxLineBytes, tooLongMarker } from '../domain/line-markers.js'

export const parse: SyncStage<string, Record<string, unknown>> = perRecord(parseLine)

function parseLine (text: string, envelope: Envelope<unknown>): Record<string, unknown> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable(text, envelope)
  }
  const record = adoptRecord(value, envelope)
  if (record !== null) {
    envelope.text = text
    // JSON text is valid UTF-8 by now, so only an escape can smuggle in half a character.
    if (text.includes('\\u')) rejectLoneSurrogates(record, envelope)
  }
  return record
}

/** Takes a JSON value as a record. null: it is none, and says so. */
function adoptRecord (value: unknown, envelope: Envelope<unknown>): Record<string, unknown> | null {
  if (!isRecord(value)) {
    envelope.reject({ code: 'not-an-object', path: '' })
    return null
  }
  envelope.externalId = readExternalId(value)
  return value
}

function unreadable (text: string, envelope: Envelope<unknown>): null {
  if (text === tooLongMarker) envelope.reject({ code: 'line-too-long', path: '', detail: maxLineBytes })
  else if (text === invalidUtf8Marker) envelope.reject({ code: 'invalid-utf8', path: '' })
  else envelope.reject({ code: 'malformed-json', path: '' })
  return null
}

/** MongoDB would replace half a character silently. Iterative: nesting is the sender's choice. */
function rejectLoneSurrogates (record: Record<string, unknown>, envelope: Envelope<unknown>): void {
  for (const field of Object.keys(record)) {
    const rest: unknown[] = [field, record[field]]
    for (let value = rest.pop(); rest.length > 0 || value !== undefined; value = rest.pop()) {
      if (typeof value === 'string') {
        if (value.isWellFormed()) continue
        envelope.reject({ code: 'lone-surrogate', path: field.toWellFormed() })
        break
      }
      if (typeof value !== 'object' || value === null) continue
      for (const [key, inner] of Object.entries(value)) rest.push(key, inner)
    }
  }
}

/** The first stage for sources whose records come as values: JSON arrays and GraphQL input. */
export const adopt: Stage<unknown, Record<string, unknown>> = perRecord((value, envelope) => {
  const record = adoptRecord(value, envelope)
  if (record === null) return null
  try {
    envelope.text = JSON.stringify(record)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Only the stack's depth can be the matter: a value that came from JSON has no cycles.
    envelope.reject({ code: 'too-deep', path: 'The product', detail: 'some thousand' })
    return record
  }
  rejectLoneSurrogates(record, envelope)
  return record
})
