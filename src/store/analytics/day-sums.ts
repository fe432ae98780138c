/**
 * Sums by day of what long periods are asked for: their number does not grow with a vendor's records, so a month costs little more
 * than a look-up. They are kept when a period is asked for, always computed from the records themselves, never counted up, and only
 * over the version of the day (open-days) that was read before: what is kept is never older than the records.
 *
 * Hours and minutes at the ends of a period, where it is longer or shorter than whole days in UTC, are added up from the records each
 * time. Records are looked at in pages (record-pages.ts).
 */
import type { AnyBulkWriteOperation, Document, Filter } from 'mongodb'
import pLimit from 'p-limit'
import type { Period } from '../../domain/analytics/period.js'
import type { Channel } from '../../domain/analytics/records.js'
import { dayMs } from '../../domain/analytics/time-zone.js'
import { analyticsCollection, type Collections } from '../database/connection.js'
import type { Day, DaySumsDocument, SummedKind, Sums } from './day-sums-document.js'
import { blockOf, daysInBlock, idOf, isOpen, keyOf } from './open-days.js'
import { createRecordPages, type RecordPagesOptions } from './record-pages.js'

/** A period with more than a hundred years of blocks is added up from the records. */
const maxBlocks = 1_200
/** More of them are taken for one, with the days in between. */
const maxGaps = 20
const pipelinesAtOnce = 4
/** More than a page's days and channels. */
const maxRows = 100_000
/** That are computed at a time and kept. Of more, which takes records from before there were sums, none is. */
const maxFreshDays = maxBlocks * daysInBlock

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

type Add<Name extends string> = (day: number, sums: Sums<Name>) => void

export function createDaySums<Name extends string> (collections: Collections, options: DaySumsOptions<Name>, pages: RecordPagesOptions = {}): DaySums<Name> {
  const { daySums } = collections
  const { kind, condition = {}, channel: channelOf, fields } = options
  const records = analyticsCollection(collections, kind)
  const names = Object.keys(fields) as Name[]
  type SumsByDay = Map<number, Array<Sums<Name>>>

  /** From the records. A day and channel may come several times; days without records do not. */
  async function compute (vendorId: string, period: Period, add: Add<Name>): Promise<void> {
    for await (const match of createRecordPages(records, { vendorId, ...condition }, period, pages).walk()) {
      const rows = await records.aggregate<Record<Name, number> & { _id: { day: number, channel: Channel | null } }>([
        { $match: match },
        { $group: { _id: { day: { $floor: { $divide: [{ $toLong: '$created' }, dayMs] } }, channel: channelOf }, ...fields } }
      ], { batchSize: maxRows }).toArray()
      for (const { _id: { day, channel }, ...sums } of rows) add(Number(day), { channel, ...sums } as unknown as Sums<Name>)
    }
  }

  async function fromDays (vendorId: string, days: Days, add: Add<Name>): Promise<void> {
    const { first, last } = days
    // Not $lte: see docs/analytics.md, "What a server must be able to do".
    const block = { ...(first === null ? {} : { $gte: blockOf(first) }), ...(last === null ? {} : { $lt: blockOf(last - 1) + 1 }) }
    const filter: Filter<DaySumsDocument> = { vendorId, kind, ...(first === null && last === null ? {} : { block }) }
    const blocks = await daySums.find(filter).sort({ block: 1 }).limit(maxBlocks + 1).toArray()
    if (blocks.length > maxBlocks) {
      await compute(vendorId, periodOf(days), add)
      return
    }
    const stored = daysOf(blocks, days)
    const kept: number[] = []
    for (const [day, { sums }] of stored) {
      if (sums === undefined) continue
      kept.push(day)
      for (const each of sums) add(day, each)
    }
    const gaps = gapsBetween(kept, days)
    const fresh: SumsByDay = new Map()
    const limit = pLimit(pipelinesAtOnce)
    // Several gaps may be taken for one, with days between that are kept.
    const isKept = new Set(kept)
    await Promise.all(gaps.map(async (gap) => await limit(async () => {
      await compute(vendorId, periodOf(gap), (day, sums) => {
        if (isKept.has(day)) return
        add(day, sums)
        if (fresh.size <= maxFreshDays) mergeInto(fresh, day, sums)
      })
    })))
    if (fresh.size <= maxFreshDays) await keep(vendorId, [...stored.keys()].filter((day) => gaps.some((gap) => isWithin(day, gap))), stored, fresh)
  }

  /** One for each channel. */
  function mergeInto (days: SumsByDay, day: number, sums: Sums<Name>): void {
    const known = days.get(day) ?? []
    const same = known.find(({ channel }) => channel === sums.channel)
    if (same === undefined) days.set(day, [...known, { ...sums }])
    else for (const name of names) (same as Record<Name, number>)[name] += sums[name]
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
    const adding = (sign: 1 | -1): Add<Name> => (_, sums) => {
      if (channel !== null && sums.channel !== channel) return
      for (const name of names) total[name] += sign * sums[name]
    }
    await Promise.all([
      ...(days === null ? [] : [fromDays(vendorId, days, adding(1))]),
      ...more.map(async (each) => { await compute(vendorId, each, adding(1)) }),
      ...less.map(async (each) => { await compute(vendorId, each, adding(-1)) })
    ])
    // What is added and taken away again leaves the last bits of a fraction behind.
    for (const name of names) total[name] = Math.round(total[name] * 1e6) / 1e6
    return total
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
