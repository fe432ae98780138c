/**
 * Local time in an IANA zone, by the zone data of the runtime (Intl) alone. A period is cut where the zone's offset changes;
 * in each piece local time is UTC plus a constant, so the database needs nothing but additions, and every server that we
 * run on buckets alike, over any change of the clocks.
 *
 * Local times are numbers: milliseconds as if the wall clock showed UTC. Local days count from 1970-01-01.
 */
import { badInput } from '../../errors.js'

export const dayMs = 86_400_000
const hourMs = 3_600_000

export interface ZonePiece {
  /** Milliseconds since 1970, inclusive. */
  from: number
  offsetMs: number
}

export interface Zone {
  /** What local time is ahead of UTC at that instant. */
  offsetAt (instant: number): number
  /** The pieces of constant offset that cover from `start` to `end`, ascending; the first begins at `start`. */
  pieces (start: number, end: number): ZonePiece[]
  localDay (instant: number): number
  /** The first instant of a local day; for a day that the zone left out, that of the next one. */
  startOfDay (day: number): number
}

const zones = new Map<string, Zone>()
/** There are some 600 zone names; others never get here. */
const maxZones = 1_000
/** Offsets stay for weeks at least, almost everywhere; Ramadan makes Morocco's the shortest, at a month. */
const probeMs = 7 * dayMs

/** Throws BAD_USER_INPUT for a name that is no IANA zone. */
export function zoneOf (name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = createZone(formatterOf(name))
  if (zones.size >= maxZones) zones.clear()
  zones.set(name, zone)
  return zone
}

function formatterOf (timeZone: string): Intl.DateTimeFormat {
  // Intl takes offsets such as +01:00 as well, and ignores case; an IANA name begins with a letter.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(timeZone)) throw unknownZone()
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone, hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric'
    })
  } catch (error) {
    if (error instanceof RangeError) throw unknownZone()
    throw error
  }
}

const unknownZone = (): Error => badInput('timezone must be an IANA time zone name, such as Europe/Berlin', 'timezone')

function createZone (formatter: Intl.DateTimeFormat): Zone {
  const offsets = new Map<number, number>()

  function offsetAt (instant: number): number {
    const second = Math.floor(instant / 1_000) * 1_000
    const parts: Record<string, string> = {}
    for (const { type, value } of formatter.formatToParts(second)) parts[type] = value
    const year = Number(parts['year'])
    const local = new Date(0)
    local.setUTCFullYear(parts['era'] === 'BC' ? 1 - year : year, Number(parts['month']) - 1, Number(parts['day']))
    local.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']))
    return local.getTime() - second
  }

  /** Asked for the same instants again and again, by many requests. */
  function probe (index: number): number {
    const known = offsets.get(index)
    if (known !== undefined) return known
    const offset = offsetAt(index * probeMs)
    if (offsets.size > 10_000) offsets.clear()
    offsets.set(index, offset)
    return offset
  }

  /** The first instant of (after, until] with another offset than at `after`; offsets change on whole seconds. */
  function changeBetween (after: number, until: number): number {
    const before = offsetAt(after)
    let low = Math.floor(after / 1_000)
    let high = Math.ceil(until / 1_000)
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle * 1_000) === before) low = middle
      else high = middle
    }
    return high * 1_000
  }

  function pieces (start: number, end: number): ZonePiece[] {
    const found: ZonePiece[] = [{ from: start, offsetMs: offsetAt(start) }]
    let at = start
    while (at < end) {
      const last = found.at(-1) as ZonePiece
      const index = Math.floor(at / probeMs) + 1
      const next = Math.min(index * probeMs, end)
      const offset = next === end ? offsetAt(end) : probe(index)
      if (offset !== last.offsetMs) {
        const change = changeBetween(at, next)
        found.push({ from: change, offsetMs: offsetAt(change) })
        at = change
      } else at = next
    }
    return found
  }

  function startOfDay (day: number): number {
    const midnight = day * dayMs
    // No zone is further than a day and an hour from UTC, so the day's first instant is one of these or a change between them.
    const [first, ...rest] = pieces(midnight - 26 * hourMs, midnight + 26 * hourMs)
    let candidate = first as ZonePiece
    for (const piece of rest) {
      if (midnight - candidate.offsetMs < piece.from) break
      // Midnight itself may have been left out; the day then begins with the change.
      if (piece.from + piece.offsetMs >= midnight) return Math.max(piece.from, midnight - piece.offsetMs)
      candidate = piece
    }
    return midnight - candidate.offsetMs
  }

  return { offsetAt, pieces, localDay: (instant) => Math.floor((instant + offsetAt(instant)) / dayMs), startOfDay }
}
