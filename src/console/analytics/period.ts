/** The period that figures are of: whole days in the reader's time zone, the last one included. */

export interface Period { start: string, end: string }

const dayMs = 24 * 60 * 60 * 1_000

/** `from` and `to` as date inputs have them; without them the last `days`. */
export function periodOf ({ from, to, days }: { from: string, to: string, days: number }, now = new Date()): Period {
  const first = parseDay(from)
  const last = parseDay(to) ?? startOfDay(now)
  const start = first ?? new Date(last.getTime() - (days - 1) * dayMs)
  return { start: start.toISOString(), end: dayAfter(last).toISOString() }
}

/** The same of a list that goes on without either. */
export function spanOf ({ from, to }: { from: string, to: string }): { from: string | null, to: string | null } {
  const last = parseDay(to)
  return { from: parseDay(from)?.toISOString() ?? null, to: last === null ? null : dayAfter(last).toISOString() }
}

/** What each bucket of a series has of the period: from its first instant to the next one's. */
export function spansOf (times: readonly string[], { start, end }: Period): Period[] {
  return times.map((time, index) => ({
    start: index === 0 && Date.parse(time) < Date.parse(start) ? start : new Date(time).toISOString(),
    end: times[index + 1] === undefined ? end : new Date(times[index + 1] as string).toISOString()
  }))
}

/** The day of an instant, as date inputs have it; `beforeMs` of the one before it, where it is an end. '' for no instant. */
export function dayOf (iso: string, beforeMs = 0): string {
  const time = new Date(Date.parse(iso) - beforeMs)
  if (Number.isNaN(time.getTime())) return ''
  return [String(time.getFullYear()).padStart(4, '0'), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

function dayAfter (time: Date): Date {
  const day = new Date(time)
  day.setDate(day.getDate() + 1)
  return day
}

export const isBackwards = ({ start, end }: Period): boolean => start >= end

function parseDay (text: string): Date | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  return year === undefined ? null : new Date(Number(year), Number(month) - 1, Number(day))
}

const startOfDay = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate())
