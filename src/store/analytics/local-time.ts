/** Local times of records as expressions of the database, from their `created` and a zone's pieces of constant offset. */
import type { Document } from 'mongodb'
import type { Span } from '../../domain/analytics/period.js'
import { dayMs, type Zone } from '../../domain/analytics/time-zone.js'

const hourMs = 3_600_000
/** 1970-01-01 was a Thursday. */
const hoursFromMonday = 3 * 24

/** Local time in milliseconds, as if the wall clock showed UTC. */
function localTime (zone: Zone, { start, end }: Span): Document {
  const [first, ...later] = zone.pieces(start, end)
  const branches = later.reverse().map(({ from, offsetMs }) => ({ case: { $gte: ['$created', new Date(from)] }, then: offsetMs }))
  const offset = branches.length === 0 ? first?.offsetMs ?? 0 : { $switch: { branches, default: first?.offsetMs ?? 0 } }
  return { $add: [{ $toLong: '$created' }, offset] }
}

const localHours = (zone: Zone, span: Span): Document => ({ $floor: { $divide: [localTime(zone, span), hourMs] } })

export const localDay = (zone: Zone, span: Span): Document => ({ $floor: { $divide: [localTime(zone, span), dayMs] } })
/** 0 to 23. */
export const localHour = (zone: Zone, span: Span): Document => ({ $mod: [localHours(zone, span), 24] })
/** 0, the first of a Monday, to 167. A second `$mod`, because what lies before 1970 leaves a negative rest. */
export const localHourOfWeek = (zone: Zone, span: Span): Document =>
  ({ $mod: [{ $add: [{ $mod: [{ $add: [localHours(zone, span), hoursFromMonday] }, hoursPerWeek] }, hoursPerWeek] }, hoursPerWeek] })

export const hoursPerWeek = 7 * 24
