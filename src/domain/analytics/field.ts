/**
 * How the kinds of analytics records are declared: a field's reader (domain/reader) with its form in words and what it
 * means. From the one declaration follow the type of the record, its check and its row in docs/analytics.md.
 *
 * A record that was read has every declared field: what was left out is null, or the empty list. Keys that are not
 * declared are dropped, so no name that a sender made up reaches the database.
 */
import type { Fault } from '../issue.js'
import {
  amount, boolean, currency, dateTime, httpUrl, integer, isRecord, list, oneOf, orNull, prefixFaults, text, type Reader, type ValueOf
} from '../reader.js'

export interface Field<T = unknown> {
  read: Reader<T>
  required: boolean
  /** What the value must look like, for people. */
  form: string
  /** What it means. */
  about: string
  /** Of an object, or of the objects in a list. */
  fields?: Fields
}

export type Fields = Record<string, Field>
type Described<T> = Omit<Field<T>, 'about' | 'required'>

/** The record that fields declare. */
export type RecordOf<F extends Fields> = { [Name in keyof F]: ValueOf<F[Name]['read']> }

export const required = <T>(type: Described<T>, about: string): Field<T> => ({ ...type, about, required: true })

export const optional = <T>(type: Described<T>, about: string): Field<T | null> =>
  ({ ...type, read: orNull(type.read), about, required: false })

/** A list; left out or null, it is empty. */
export const several = <T>(type: Described<T>, max: number, about: string): Field<T[]> =>
  ({ ...type, form: `list of at most ${max}: ${type.form}`, read: bounded(list(type.read), max), about, required: false })

export const idText: Described<string> = { read: text({ max: 255, nonBlank: true }), form: 'text, 1 to 255 characters' }

export const textOf = (max: number): Described<string> => ({ read: text({ max }), form: `text, at most ${max} characters` })

export const instant: Described<Date> = { read: dateTime, form: 'ISO 8601 date and time with a zone' }

export const flag: Described<boolean> = { read: boolean, form: 'true or false' }

export const url: Described<string> = { read: httpUrl(2_048), form: 'http(s) URL, at most 2048 characters' }

export const money: Described<number> = { read: amount, form: 'number >= 0' }

export const seconds: Described<number> = { read: amount, form: 'seconds, number >= 0' }

export const currencyCode: Described<string> = { read: currency, form: 'ISO 4217 code' }

export const wholeNumber = (min: number, max: number): Described<number> => {
  const read = integer({ min })
  return {
    form: `integer, ${min} to ${max}`,
    read (value, faults) {
      const before = faults.length
      const number = read(value, faults)
      if (faults.length === before && number > max) faults.push({ code: 'wrong-type', path: '', detail: `an integer of at most ${max}` })
      return number
    }
  }
}

export const choice = <const T extends string>(names: readonly T[]): Described<T> => ({ read: oneOf(names), form: names.join(', ') })

export const object = <F extends Fields>(fields: F): Described<RecordOf<F>> => ({ read: readerOf(fields), form: 'object', fields })

/** Reads an object with these fields. */
export function readerOf<F extends Fields> (fields: F): Reader<RecordOf<F>> {
  const declared = Object.entries(fields)
  return (value, faults) => {
    const result: Record<string, unknown> = {}
    if (!isRecord(value)) {
      faults.push({ code: 'wrong-type', path: '', detail: 'an object' })
      return result as RecordOf<F>
    }
    for (const [name, { read, required }] of declared) {
      const sent = Object.hasOwn(value, name) ? value[name] : undefined
      if (sent === undefined && required) {
        faults.push({ code: 'required', path: name })
        continue
      }
      const before = faults.length
      result[name] = read(sent ?? null, faults)
      if (faults.length > before) prefixFaults(faults, before, name)
    }
    return result as RecordOf<F>
  }
}

const bounded = <T>(read: Reader<T[]>, max: number): Reader<T[]> => (value, faults: Fault[]) => {
  if (Array.isArray(value) && value.length > max) {
    faults.push({ code: 'wrong-type', path: '', detail: `a list of at most ${max}` })
    return []
  }
  return read(value, faults)
}

/** The fields as rows of a Markdown table: name, form (bold: required), meaning. Nested ones follow theirs. */
export function fieldRows (fields: Fields, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, { form, required, about, fields: nested }]) => {
    const path = `${prefix}${name}`
    const row = `| \`${path}\` | ${form}${required ? ', **required**' : ''} | ${about} |`
    return nested === undefined ? [row] : [row, ...fieldRows(nested, form.startsWith('list') ? `${path}[].` : `${path}.`)]
  })
}
