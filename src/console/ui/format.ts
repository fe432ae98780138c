/** Numbers, dates and money as the reader's locale, which is the browser's default, writes them. */

const number = new Intl.NumberFormat(undefined)
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const score = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const wholeMoney = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: 0 })
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

const hour = new Intl.DateTimeFormat(undefined, { hour: 'numeric', timeZone: 'UTC' })
const weekdays = {
  long: new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' }),
  short: new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' })
}

export const nothing = '—'

export const wordNumber = (value: number | null | undefined): string => value === null || value === undefined ? nothing : number.format(value)
export const wordDecimal = (value: number | null | undefined): string => value === null || value === undefined ? nothing : decimal.format(value)
/** An average on a scale of five, of which a tenth is much. */
export const wordScore = (value: number | null | undefined): string => value === null || value === undefined ? nothing : score.format(value)
/** Of a fraction from 0 to 1. */
export const wordPercent = (value: number | null | undefined): string => value === null || value === undefined ? nothing : percent.format(value)

export function wordMoney (value: number | null | undefined, currency = 'USD'): string {
  if (value === null || value === undefined) return nothing
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(value)
  } catch {
    return `${number.format(value)} ${currency}` // a code that this browser does not know
  }
}

/** Money without its cents where they say nothing. */
export const wordSum = (value: number | null | undefined): string =>
  value === null || value === undefined || Math.abs(value) < 10_000 ? wordMoney(value) : wholeMoney.format(value)

export const wordDay = (iso: string | null | undefined): string => iso === null || iso === undefined ? nothing : day.format(new Date(iso))

/** 0 to 23. */
export const wordHour = (value: number): string => hour.format(Date.UTC(2024, 0, 1, value))
/** 0 = Monday, which the first of 2024 was. */
export const wordWeekday = (index: number, length: 'long' | 'short'): string => weekdays[length].format(Date.UTC(2024, 0, 1 + index))

/** Today's by the clock alone. */
export function wordTime (iso: string | null | undefined, now = new Date()): string {
  if (iso === null || iso === undefined) return nothing
  const time = new Date(iso)
  return time.toDateString() === now.toDateString() ? clock.format(time) : dateTime.format(time)
}

export const wordFullTime = (iso: string | null | undefined): string => iso === null || iso === undefined ? nothing : dateTime.format(new Date(iso))

/** `850 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`. */
export function wordDuration (ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return nothing
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${decimal.format(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${number.format(Math.floor(minutes / 60))} h ${minutes % 60} min`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function wordBytes (bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1_000 && unit < units.length - 1; unit++) value /= 1_000
  return `${value < 10 && unit > 0 ? decimal.format(value) : number.format(Math.round(value))} ${units[unit]}`
}

export const wordCount = (count: number, one: string, many = `${one}s`): string => `${number.format(count)} ${count === 1 ? one : many}`
