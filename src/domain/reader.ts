/**
 * Readers: what a field must look like, as a function that either gives its value or says what is wrong with it. The type
 * of a record follows from its readers (see domain/product-patch), so type, check and normal form cannot drift apart.
 *
 * Types are checked, never guessed (decisions.md, "Required fields"). A reader reports faults with paths relative to its own
 * value; whoever called it prefixes them. So a good record pays for no path at all.
 */
import { maxFaults, type Fault, type FaultCode } from './issue.js'

/** Gives the value in normal form. After a fault was pushed the result is meaningless and must not be used. */
export type Reader<T> = (value: unknown, faults: Fault[]) => T

export type ValueOf<R> = R extends Reader<infer T> ? T : never

/** For a reader that gives up: reports and returns nothing usable. */
function refuse (faults: Fault[], code: FaultCode, detail?: string | number): never {
  faults.push(detail === undefined ? { code, path: '' } : { code, path: '', detail })
  return undefined as never
}

/** Puts `segment` in front of the faults from index `from` on. */
export function prefixFaults (faults: Fault[], from: number, segment: string): void {
  for (let index = from; index < faults.length; index++) {
    const fault = faults[index] as Fault
    fault.path = fault.path === '' ? segment : fault.path.startsWith('[') ? segment + fault.path : `${segment}.${fault.path}`
  }
}

export interface TextOptions {
  /** Characters (Unicode code points), as people count them. */
  max?: number
  /** White space alone is refused. */
  nonBlank?: boolean
}

export const text = ({ max, nonBlank = false }: TextOptions = {}): Reader<string> => (value, faults) => {
  if (typeof value !== 'string') return value === null ? refuse(faults, 'not-null') : refuse(faults, 'wrong-type', 'a string')
  if (nonBlank && value.trim() === '') return refuse(faults, 'blank')
  if (max !== undefined && isLongerThan(value, max)) return refuse(faults, 'too-long', max)
  return value
}

/** Whether a text has more than `max` characters (Unicode code points); how long it is does not matter for what that costs. */
export function isLongerThan (text: string, max: number): boolean {
  if (text.length <= max) return false
  // A character takes two code units at most.
  if (text.length > 2 * max) return true
  let characters = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xFFFF ? 2 : 1) characters += 1
  return characters > max
}

/** Merchants' exports hold numbers in these fields: an integer becomes its string form. */
export const textOrInteger = (options: TextOptions): Reader<string> => {
  const read = text(options)
  return (value, faults) => {
    if (typeof value !== 'number') return typeof value === 'string' ? read(value, faults) : refuse(faults, 'wrong-type', 'a string')
    // Beyond this, digits were lost before we saw them.
    return Number.isSafeInteger(value) ? read(String(value), faults) : refuse(faults, 'wrong-type', 'a string or an exact integer')
  }
}

export const httpUrl = (max?: number): Reader<string> => {
  const read = text(max === undefined ? {} : { max })
  /** Of the last good one, to the slash behind its host. What comes after that makes no URL invalid, and a merchant's have few hosts. */
  let goodStart = ''
  return (value, faults) => {
    const before = faults.length
    const url = read(value, faults)
    if (faults.length > before || (goodStart !== '' && url.startsWith(goodStart))) return url
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return refuse(faults, 'invalid-url')
    goodStart = /^https?:\/\/[\w.-]{1,253}\//.exec(url)?.[0] ?? goodStart
    return url
  }
}

export const boolean: Reader<boolean> = (value, faults) =>
  typeof value === 'boolean' ? value : refuse(faults, 'wrong-type', 'true or false')

const int32 = 2 ** 31

/** 32 bits, as GraphQL's Int. */
export const integer = ({ min = -int32 }: { min?: number } = {}): Reader<number> => (value, faults) => {
  if (typeof value !== 'number' || !Number.isInteger(value)) return refuse(faults, 'wrong-type', 'an integer')
  if (value < min) return refuse(faults, 'below-minimum', min)
  // `+ 0` turns -0, which JSON can spell and BSON would keep, into 0.
  return value < int32 ? value + 0 : refuse(faults, 'wrong-type', 'an integer of at most 32 bits')
}

export const amount: Reader<number> = (value, faults) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(faults, 'wrong-type', 'a number')
  return value >= 0 ? value + 0 : refuse(faults, 'below-minimum', 0)
}

export const oneOf = <const T extends string>(allowed: readonly T[]): Reader<T> => (value, faults) =>
  typeof value === 'string' && (allowed as readonly string[]).includes(value)
    ? value as T
    : refuse(faults, 'not-one-of', allowed.join(', '))

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** ISO 4217, case-sensitive. */
export const currency: Reader<string> = (value, faults) =>
  typeof value === 'string' && currencies.has(value) ? value : refuse(faults, 'unknown-currency')

const isoDateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))?$/

/** As most exports write them, on a day that each month has. Date.UTC takes years before 100 for others. */
const plainUtc = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z)?$/

/** ISO 8601 with a zone; a date alone means midnight UTC. */
export const dateTime: Reader<Date> = (value, faults) => {
  if (typeof value !== 'string' || value.length > 40) return refuse(faults, 'invalid-datetime')
  if (plainUtc.test(value)) return inUtc(value)
  const match = isoDateTime.exec(value)
  if (match === null) return refuse(faults, 'invalid-datetime')
  const [text, year, month, day] = match as unknown as [string, string, string, string]
  // Date.parse takes 30 February for 1 March.
  if (Number(day) < 1 || (Number(day) > 28 && Number(day) > daysIn(Number(year), Number(month)))) return refuse(faults, 'invalid-datetime')
  const date = new Date((text.endsWith('Z') && !text.includes(',')) || !text.includes('T') ? text : inDateForm(text))
  return Number.isNaN(date.getTime()) ? refuse(faults, 'invalid-datetime') : date
}

/** Of a plain one: half of what it takes to have it taken apart by Date. */
function inUtc (text: string): Date {
  const digit = (at: number): number => text.charCodeAt(at) - zero
  const two = (at: number): number => 10 * digit(at) + digit(at + 1)
  const [year, month, day] = [100 * two(0) + two(2), two(5) - 1, two(8)]
  if (text.length === lengths.date) return new Date(Date.UTC(year, month, day))
  const ms = text.length === lengths.toTheSecond ? 0 : 10 * two(20) + digit(22)
  return new Date(Date.UTC(year, month, day, two(11), two(14), two(17), ms))
}

const zero = '0'.charCodeAt(0)
const lengths = { date: '2020-01-01'.length, toTheSecond: '2020-01-01T00:00:00Z'.length }

/** ISO 8601 allows what JavaScript's Date does not: a decimal comma, zones without minutes or without a colon. */
const inDateForm = (text: string): string =>
  text.replace(',', '.').replace(/([+-]\d{2})(\d{2})?$/, (_zone, hours: string, minutes = '00') => `${hours}:${minutes}`)

const daysIn = (year: number, month: number): number =>
  month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0

export const orNull = <T>(read: Reader<T>): Reader<T | null> => (value, faults) => value === null ? null : read(value, faults)

/** null clears the field, which for a list means the empty list. A list of more than `max` entries is refused before one of them is looked at. */
export const list = <T>(read: Reader<T>, max = Infinity): Reader<T[]> => (value, faults) => {
  if (value === null) return []
  if (!Array.isArray(value)) return refuse(faults, 'wrong-type', 'a list')
  if (value.length > max) return refuse(faults, 'too-many', max)
  // A list that grows by pushing would have room for seventeen.
  const result = value.slice() as T[]
  let index = 0
  for (; index < value.length && faults.length < maxFaults; index++) {
    const before = faults.length
    result[index] = read(value[index], faults)
    if (faults.length > before) prefixFaults(faults, before, `[${index}]`)
  }
  if (index < result.length) result.length = index
  return result
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
