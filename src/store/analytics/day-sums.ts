/**
 * Sums by day of what long periods are asked for: their number does not grow with a vendor's records, so a month costs little more
 * than a look-up. They are kept when a period is asked for, always computed from the records themselves, never counted up, and only
 * over the version of the day (open-days) that was read before: what is kept is never older than the records.
 *
 * Hours and minutes at the ends of a period, where it is longer or shorter than whole days in UTC, are added up from the records each
 * time.
 */
import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import pLimit from 'p-limit'
import type { Period, Span } from '../../domain/analytics/period.js'
import type { Channel } from '../../domain/analytics/records.js'
import { dayMs } from '../../domain/analytics/time-zone.js'
import { analyticsCollection, type Collections } from '../database/connection.js'
import { blockOf, daysInBlock, idOf, isOpen, keyOf, type Day, type DaySumsDocument, type SummedKind, type Sums } from './open-days.js'

/** A period with more than a hundred years of blocks is added up from the records. */
const maxBlocks = 1_200
/** More of them are taken for one, with the days in between. */
const maxGaps = 20
const pipelinesAtOnce = 4
/** Of a vendor with 5 million conversations in three years, 150,000 records. */
const daysInPiece = 32
/** A record may say that it is from any year. */
const maxPieces = 200

interface CreatedRecord { created: Date }

/** Whole days in UTC, the last one not included; null: without end. */
interface Days { first: number | null, last: number | null }

export interface DaySumsOptions<Name extends string> {
  kind: SummedKind
  /** Further conditions on the records, such that an index holds them between vendor and time. */
  condition?: Document
  /** The expression for a record's channel. */
  channel: string
  /** Accumulators of `$group` whose results may be added. */
  fields: Record<Name, Document>
}

/** The sums over a period, of one channel or (null) of all. */
export type DaySums<Name extends string> = (scope: { vendorId: string, period: Period, channel: Channel | null }) => Promise<Record<Name, number>>

export function createDaySums<Name extends string> (collections: Collections, options: DaySumsOptions<Name>): DaySums<Name> {
  const { daySums } = collections
  const { kind, condition = {}, channel: channelOf, fields } = options
  const records = analyticsCollection(collections, kind)
  const names = Object.keys(fields) as Name[]
  type SumsByDay = Map<number, Array<Sums<Name>>>

  /** From the records, in pieces: no command looks at years. Days without any are absent. */
  async function compute (vendorId: string, period: Period): Promise<SumsByDay> {
    const days: SumsByDay = new Map()
    const extent = await extentOf(vendorId, period)
    if (extent === null) return days
    for (const { start, end } of piecesOf(extent)) {
      const rows = await records.aggregate<Record<Name, number> & { _id: { day: number, channel: Channel | null } }>([
        { $match: { vendorId, ...condition, created: { $gte: new Date(start), $lt: new Date(end) } } },
        { $group: { _id: { day: { $floor: { $divide: [{ $toLong: '$created' }, dayMs] } }, channel: channelOf }, ...fields } }
      ]).toArray()
      for (const { _id: { day, channel }, ...sums } of rows) {
        days.set(Number(day), [...days.get(Number(day)) ?? [], { channel, ...sums } as unknown as Sums<Name>])
      }
    }
    return days
  }

  /** The period, from the first to the last record where it has no end. null: there are none. */
  async function extentOf (vendorId: string, { start, end }: Period): Promise<Span | null> {
    const outermost = async (direction: 1 | -1): Promise<number | null> => {
      const created = { ...(start === null ? {} : { $gte: start }), ...(end === null ? {} : { $lt: end }) }
      const filter = { vendorId, ...condition, ...(start === null && end === null ? {} : { created }) } as Filter<CreatedRecord>
      const [found] = await (records as unknown as Collection<CreatedRecord>).find(filter, { projection: { created: 1 }, sort: { created: direction }, limit: 1 }).toArray()
      return found?.created.getTime() ?? null
    }
    const first = start?.getTime() ?? await outermost(1)
    const last = end?.getTime() ?? await outermost(-1)
    return first === null || last === null ? null : { start: first, end: end === null ? last + 1 : last }
  }

  async function fromDays (vendorId: string, days: Days): Promise<SumsByDay> {
    const { first, last } = days
    // Not $lte: see docs/analytics.md, "What a server must be able to do".
    const block = { ...(first === null ? {} : { $gte: blockOf(first) }), ...(last === null ? {} : { $lt: blockOf(last - 1) + 1 }) }
    const filter: Filter<DaySumsDocument> = { vendorId, kind, ...(first === null && last === null ? {} : { block }) }
    const blocks = await daySums.find(filter).sort({ block: 1 }).limit(maxBlocks + 1).toArray()
    if (blocks.length > maxBlocks) return await compute(vendorId, periodOf(days))

    const stored = daysOf(blocks, days)
    const kept: SumsByDay = new Map()
    for (const [day, { sums }] of stored) if (sums !== undefined) kept.set(day, sums)
    const gaps = gapsBetween([...kept.keys()], days)
    const limit = pLimit(pipelinesAtOnce)
    const computed = await Promise.all(gaps.map(async (gap) => await limit(async () => await compute(vendorId, periodOf(gap)))))
    const fresh: SumsByDay = new Map(computed.flatMap((each) => [...each]))
    await keep(vendorId, [...stored.keys()].filter((day) => gaps.some((gap) => isWithin(day, gap))), stored, fresh)
    return new Map([...kept, ...fresh])
  }

  /** Keeps what has been computed for days that nobody has opened since their blocks were read. */
  async function keep (vendorId: string, inGaps: number[], stored: Map<number, Day>, fresh: SumsByDay): Promise<void> {
    // Records from before there were sums by day have no block yet.
    const newBlocks = new Set([...fresh.keys()].filter((day) => !stored.has(day)).map(blockOf))
    const operations: Array<AnyBulkWriteOperation<DaySumsDocument>> = [...newBlocks].map((block) => ({
      updateOne: { filter: { _id: idOf(vendorId, kind, block) }, update: { $setOnInsert: { vendorId, kind, block, days: {} } }, upsert: true }
    }))
    for (const day of new Set([...inGaps, ...fresh.keys()])) {
      const seen = stored.get(day) ?? unknownDay
      if (seen.sums !== undefined || isOpen(seen)) continue
      const known: Day = { version: seen.version + 1, writers: {}, sums: fresh.get(day) ?? [] }
      operations.push({
        updateOne: {
          filter: { _id: idOf(vendorId, kind, blockOf(day)), [`days.${keyOf(day)}.version`]: seen.version === 0 ? null : seen.version },
          update: { $set: { [`days.${keyOf(day)}`]: known } }
        }
      })
    }
    if (operations.length > 0) await daySums.bulkWrite(operations)
  }

  return async ({ vendorId, period, channel }) => {
    const { days, more, less } = wholeDaysOf(period)
    const total = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
    const add = async (found: Promise<SumsByDay>, sign: 1 | -1): Promise<void> => {
      for (const sums of [...(await found).values()].flat()) {
        if (channel !== null && sums.channel !== channel) continue
        for (const name of names) total[name] += sign * sums[name]
      }
    }
    await Promise.all([
      ...(days === null ? [] : [add(fromDays(vendorId, days), 1)]),
      ...more.map(async (each) => { await add(compute(vendorId, each), 1) }),
      ...less.map(async (each) => { await add(compute(vendorId, each), -1) })
    ])
    // What is added and taken away again leaves the last bits of a fraction behind.
    for (const name of names) total[name] = Math.round(total[name] * 1e6) / 1e6
    return total
  }
}

/** Of whole days but at its ends. */
function * piecesOf ({ start, end }: Span): Generator<Span> {
  const widthMs = dayMs * Math.max(daysInPiece, Math.ceil((end - start) / dayMs / maxPieces))
  for (let from = start; from < end;) {
    const to = Math.min(end, (Math.floor(from / dayMs) * dayMs) + widthMs)
    yield { start: from, end: to }
    from = to
  }
}

const unknownDay: Day = { version: 0, writers: {} }

const isWithin = (day: number, { first, last }: Days): boolean => (first === null || day >= first) && (last === null || day < last)

const instantOf = (day: number | null): number | null => day === null ? null : day * dayMs
const periodOf = ({ first, last }: Days): Period =>
  ({ start: first === null ? null : new Date(first * dayMs), end: last === null ? null : new Date(last * dayMs) })

/** A period as the whole days that come nearest to it, and the hours at its ends by which it is longer and shorter. */
function wholeDaysOf (period: Period): { days: Days | null, more: Period[], less: Period[] } {
  const start = period.start?.getTime() ?? null
  const end = period.end?.getTime() ?? null
  const first = start === null ? null : Math.round(start / dayMs)
  const last = end === null ? null : Math.round(end / dayMs)
  if (first !== null && last !== null && first >= last) return { days: null, more: [period], less: [] }
  const stretches = [[start, instantOf(first)], [instantOf(last), end]] as const
  const more: Period[] = []
  const less: Period[] = []
  for (const [from, to] of stretches) {
    if (from === null || to === null || from === to) continue
    if (from < to) more.push({ start: new Date(from), end: new Date(to) })
    else less.push({ start: new Date(to), end: new Date(from) })
  }
  return { days: { first, last }, more, less }
}

/** All days of these blocks that lie within, in order. */
function daysOf (blocks: DaySumsDocument[], within: Days): Map<number, Day> {
  const days = new Map<number, Day>()
  for (const { block, days: stored } of blocks) {
    for (let day = block * daysInBlock; day < (block + 1) * daysInBlock; day++) {
      if (isWithin(day, within)) days.set(day, stored[keyOf(day)] ?? unknownDay)
    }
  }
  return days
}

/** `kept` in order. */
function gapsBetween (kept: number[], { first, last }: Days): Days[] {
  const gaps: Days[] = []
  let from = first
  for (const day of kept) {
    if (from === null || from < day) gaps.push({ first: from, last: day })
    from = day + 1
  }
  if (last === null || from === null || from < last) gaps.push({ first: from, last })
  return gaps.length <= maxGaps ? gaps : [{ first: gaps[0]?.first ?? null, last: gaps.at(-1)?.last ?? null }]
}
