/** Periods of statistics, and how they are cut into buckets of local time (decisions.md, "Analytics"). Pure. */
import { badInput } from '../../errors.js'
import { dayMs, type Zone } from './time-zone.js'

/** `start` inclusive, `end` exclusive; null: from the first record, to the last. */
export interface Period { start: Date | null, end: Date | null }

/** A period with both ends, in milliseconds. */
export interface Span { start: number, end: number }

export type Precision = 'day' | 'week' | 'month'

const maxSpanYears = 100
const maxDaysByDay = 31
const maxDaysByWeek = 26 * 7

/** Throws BAD_USER_INPUT. */
export function checkPeriod ({ start, end }: Period): void {
  if (start !== null && end !== null && end.getTime() < start.getTime()) throw badInput('end must not be before start', 'end')
}

/** Throws BAD_USER_INPUT for what would be cut into more buckets than anybody can look at. */
export function checkSpan ({ start, end }: Span): void {
  if (end - start > maxSpanYears * 366 * dayMs) throw badInput(`With a timezone, start and end must be at most ${maxSpanYears} years apart`, 'start')
}

/** By the wall clock: a day more or less of 23 or 25 hours does not change it. */
export function precisionOf ({ start, end }: Span, zone: Zone): Precision {
  const days = (end + zone.offsetAt(end) - start - zone.offsetAt(start)) / dayMs
  return days <= maxDaysByDay ? 'day' : days <= maxDaysByWeek ? 'week' : 'month'
}

export interface Bucket {
  /** The bucket's first local day. */
  day: number
  /** Its first instant; before the period's start where that lies within it. */
  time: Date
}

/** The first day of the bucket that a local day is in. */
export function bucketDay (day: number, precision: Precision): number {
  if (precision === 'day') return day
  if (precision === 'week') return day - dayIndexOf(day)
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs
}

/** Every bucket that the span touches, in order. A day that the zone left out has none. */
export function bucketsOf (span: Span, precision: Precision, zone: Zone): Bucket[] {
  if (span.end <= span.start) return []
  const last = zone.localDay(span.end - 1)
  const buckets: Bucket[] = []
  for (let day = bucketDay(zone.localDay(span.start), precision); day <= last; day = nextBucket(day, precision)) {
    const time = zone.startOfDay(day)
    if (precision === 'day' && time === zone.startOfDay(day + 1)) continue
    buckets.push({ day, time: new Date(time) })
  }
  return buckets
}

function nextBucket (day: number, precision: Precision): number {
  if (precision === 'day') return day + 1
  if (precision === 'week') return day + 7
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / dayMs
}

/** 0 = Monday. 1970-01-01 was a Thursday. */
export const dayIndexOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** How many of each weekday the span touches, 0 = Monday. A day that the zone left out is none. */
export function weekdaysIn (span: Span, zone: Zone): number[] {
  if (span.end <= span.start) return [0, 0, 0, 0, 0, 0, 0]
  const first = zone.localDay(span.start)
  const days = zone.localDay(span.end - 1) - first + 1
  const counts = [0, 1, 2, 3, 4, 5, 6].map((index) => Math.floor(days / 7) + ((index - dayIndexOf(first) + 7) % 7 < days % 7 ? 1 : 0))
  for (const day of daysLeftOut(span, zone)) counts[dayIndexOf(day)] = (counts[dayIndexOf(day)] ?? 0) - 1
  return counts
}

/** Where a zone changed sides of the date line. */
function daysLeftOut ({ start, end }: Span, zone: Zone): number[] {
  return zone.pieces(start, end - 1).flatMap(({ from, offsetMs }, index, pieces) => {
    const before = pieces[index - 1]?.offsetMs ?? offsetMs
    const first = Math.ceil((from + before) / dayMs)
    return offsetMs - before >= dayMs && (first + 1) * dayMs <= from + offsetMs ? [first] : []
  })
}
