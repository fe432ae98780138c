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
import { ignoreDuplicates } from '../database/database-errors.js'
import type { Day, DaySumsDocument, KeptKind, SummedKind, Sums } from './day-sums-document.js'
import { blockOf, daysInBlock, idOf, isOpen, keyOf } from './open-days.js'
import { createRecordPages, type RecordPagesOptions } from './record-pages.js'

/** A period with more than a hundred years of blocks is added up from the records. */
const defaultMaxBlocks = 1_200
/** More of them are taken for one, with the days in between. */
const maxGaps = 20
const pipelinesAtOnce = 4
/** That a page's records may come to. */
const defaultMaxRows = 20_000
/** Of a day, and characters of what they are told apart by: one with more is added up from its records each time. 32 of them are a document. */
const [maxKept, maxKeptCharacters] = [200, 20_000]
/** That are computed at a time and kept. Of more, which takes records from before there were sums, none is. */
const maxFreshSums = 200_000

/** Whole days in UTC, the last one not included; null: without end. */
interface Days { first: number | null, last: number | null }

export interface DaySumsOptions<Name extends string> {
  kind: SummedKind
  /** As which they are kept, where those of `kind` are kept already: they hold for the version of the day that they were computed of. */
  keptAs?: KeptKind
  /** A period with more is added up from the records. */
  maxBlocks?: number
  /** Further conditions on the records, such that an index holds them between vendor and time. */
  condition?: Document
  /** Records, to what is added up. */
  stages?: Document[]
  /** The expression for the channel or name that sums are told apart by. */
  of: string
  /** Accumulators of `$group` whose results may be added. */
  fields: Record<Name, Document>
}

export interface DaySumsLimits extends RecordPagesOptions {
  /** That a page may come to: a day and what it is told apart by are one. */
  maxRows?: number
}

/** The sums over a period, by what they are told apart by. Throws TooManySums. */
export type DaySums<Name extends string> = (vendorId: string, period: Period) => Promise<Map<string | null, Record<Name, number>>>

/** There are more names than sums by day are for. */
export class TooManySums extends Error {}

type Add<Name extends string> = (day: number, sums: Sums<Name>) => void

export function createDaySums<Name extends string> (collections: Collections, options: DaySumsOptions<Name>, { maxRows = defaultMaxRows, ...pages }: DaySumsLimits = {}): DaySums<Name> {
  const { daySums } = collections
  const { kind, keptAs = kind, maxBlocks = defaultMaxBlocks, condition = {}, stages = [], of, fields } = options
  const records = analyticsCollection(collections, kind)
  const names = Object.keys(fields) as Name[]
  /** By day, and what they are told apart by. */
  type Fresh = Map<number, Map<string | null, Sums<Name>>>

  /** From the records. A day's sums may come several times; days without records do not. */
  async function compute (vendorId: string, period: Period, add: Add<Name>): Promise<void> {
    for await (const match of createRecordPages(records, { vendorId, ...condition }, period, pages).walk()) {
      const rows = await records.aggregate<Record<Name, number> & { _id: { day: number, of: string | null } }>([
        { $match: match },
        ...stages,
        { $group: { _id: { day: { $floor: { $divide: [{ $toLong: '$created' }, dayMs] } }, of }, ...fields } },
        { $limit: maxRows + 1 }
      ], { batchSize: maxRows + 2 }).toArray()
      if (rows.length > maxRows) throw new TooManySums()
      for (const { _id: { day, of }, ...sums } of rows) add(Number(day), { channel: of, ...sums } as unknown as Sums<Name>)
    }
  }

  /** Not $lte: see docs/analytics.md, "What a server must be able to do". */
  async function blocksOf (vendorId: string, of: KeptKind, { first, last }: Days): Promise<DaySumsDocument[]> {
    const block = { ...(first === null ? {} : { $gte: blockOf(first) }), ...(last === null ? {} : { $lt: blockOf(last - 1) + 1 }) }
    const filter: Filter<DaySumsDocument> = { vendorId, kind: of, ...(first === null && last === null ? {} : { block }) }
    return await daySums.find(filter).sort({ block: 1 }).limit(maxBlocks + 1).toArray()
  }

  async function fromDays (vendorId: string, days: Days, add: Add<Name>): Promise<void> {
    const [blocks, keptBlocks] = await Promise.all([blocksOf(vendorId, kind, days), keptAs === kind ? null : blocksOf(vendorId, keptAs, days)])
    if (blocks.length > maxBlocks) {
      await compute(vendorId, periodOf(days), add)
      return
    }
    const stored = keptBlocks === null ? daysOf(blocks, days) : withKept(daysOf(blocks, days), daysOf(keptBlocks, days))
    const kept: number[] = []
    for (const [day, { sums }] of stored) {
      if (sums === undefined) continue
      kept.push(day)
      for (const each of sums) add(day, each)
    }
    const gaps = gapsBetween(kept, days)
    const fresh: Fresh = new Map()
    let freshSums = 0
    const limit = pLimit(pipelinesAtOnce)
    // Several gaps may be taken for one, with days between that are kept.
    const isKept = new Set(kept)
    await Promise.all(gaps.map(async (gap) => await limit(async () => {
      await compute(vendorId, periodOf(gap), (day, sums) => {
        if (isKept.has(day)) return
        add(day, sums)
        if (freshSums <= maxFreshSums && mergeInto(fresh, day, sums)) freshSums++
      })
    })))
    if (freshSums > maxFreshSums) return
    const operations = toKeep(vendorId, [...stored.keys()].filter((day) => gaps.some((gap) => isWithin(day, gap))), stored, fresh)
    // Whoever has asked for the same at the same time has kept it.
    if (operations.length > 0) await daySums.bulkWrite(operations).catch(ignoreDuplicates)
  }

  /** Whether they are the first. */
  function mergeInto (days: Fresh, day: number, sums: Sums<Name>): boolean {
    const known = days.get(day) ?? new Map<string | null, Sums<Name>>()
    days.set(day, known)
    const same = known.get(sums.channel)
    if (same === undefined) known.set(sums.channel, { ...sums })
    else for (const name of names) (same as Record<Name, number>)[name] += sums[name]
    return same === undefined
  }

  /** What keeps what has been computed for days that nobody has opened since their blocks were read. */
  function toKeep (vendorId: string, inGaps: number[], stored: Map<number, Day>, fresh: Fresh): Array<AnyBulkWriteOperation<DaySumsDocument>> {
    const computed: Array<{ day: number, version: number, sums: Array<Sums<Name>> }> = []
    for (const day of new Set([...inGaps, ...fresh.keys()])) {
      const seen = stored.get(day) ?? unknownDay
      const sums = [...fresh.get(day)?.values() ?? []]
      if (seen.sums === undefined && !isOpen(seen) && isKeepable(sums)) computed.push({ day, version: seen.version, sums })
    }
    if (keptAs !== kind) {
      const blocks = new Map<number, Record<string, Day>>()
      for (const { day, version, sums } of computed) {
        // Records from before there were sums by day have no versions.
        if (stored.has(day)) blocks.set(blockOf(day), { ...blocks.get(blockOf(day)), [`days.${keyOf(day)}`]: { version, writers: {}, sums } })
      }
      return [...blocks].map(([block, days]) => ({
        updateOne: { filter: { _id: idOf(vendorId, keptAs, block) }, update: { $setOnInsert: { vendorId, kind: keptAs, block }, $set: days }, upsert: true }
      }))
    }
    // Records from before there were sums by day have no block yet.
    const newBlocks = new Set(computed.map(({ day }) => day).filter((day) => !stored.has(day)).map(blockOf))
    return [...Array.from(newBlocks, (block) => ({
      updateOne: { filter: { _id: idOf(vendorId, kind, block) }, update: { $setOnInsert: { vendorId, kind, block, days: {} } }, upsert: true }
    })), ...computed.map(({ day, version, sums }) => ({
      updateOne: {
        filter: { _id: idOf(vendorId, kind, blockOf(day)), [`days.${keyOf(day)}.version`]: version === 0 ? null : version },
        update: { $set: { [`days.${keyOf(day)}`]: { version: version + 1, writers: {}, sums } } }
      }
    }))]
  }

  return async (vendorId, period) => {
    const { days, more, less } = wholeDaysOf(period)
    const total = new Map<string | null, Record<Name, number>>()
    const adding = (sign: 1 | -1): Add<Name> => (_, sums) => {
      let known = total.get(sums.channel)
      if (known === undefined) {
        if (total.size === maxRows) throw new TooManySums()
        total.set(sums.channel, known = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>)
      }
      for (const name of names) known[name] += sign * sums[name]
    }
    await Promise.all([
      ...(days === null ? [] : [fromDays(vendorId, days, adding(1))]),
      ...more.map(async (each) => { await compute(vendorId, each, adding(1)) }),
      ...less.map(async (each) => { await compute(vendorId, each, adding(-1)) })
    ])
    return total
  }
}

/** The sums over a period, of one channel or (null) of all. */
export type ChannelSums<Name extends string> = (scope: { vendorId: string, period: Period, channel: Channel | null }) => Promise<Record<Name, number>>

/** Of what is told apart by channel. */
export function createChannelSums<Name extends string> (collections: Collections, options: DaySumsOptions<Name>, limits: DaySumsLimits = {}): ChannelSums<Name> {
  const daySums = createDaySums(collections, options, limits)
  const names = Object.keys(options.fields) as Name[]
  return async ({ vendorId, period, channel }) => {
    const sums = await daySums(vendorId, period)
    const wanted = channel === null ? [...sums.values()] : [sums.get(channel)].filter((each) => each !== undefined)
    return Object.fromEntries(names.map((name) => [name, rounded(wanted.reduce((total, each) => total + each[name], 0))])) as Record<Name, number>
  }
}

/** What is added and taken away again leaves the last bits of a fraction behind. */
const rounded = (sum: number): number => Math.round(sum * 1e6) / 1e6

const isKeepable = (sums: Array<Sums<string>>): boolean =>
  sums.length <= maxKept && sums.reduce((characters, { channel }) => characters + (channel?.length ?? 0), 0) <= maxKeptCharacters

const unknownDay: Day = { version: 0, writers: {} }

/** Those of `days` with the sums that are kept of just these versions of them. */
const withKept = (days: Map<number, Day>, kept: Map<number, Day>): Map<number, Day> =>
  new Map(Array.from(days, ([day, { version, writers }]) => {
    const sums = kept.get(day)?.version === version ? kept.get(day)?.sums : undefined
    return [day, { version, writers, ...(sums === undefined ? {} : { sums }) }]
  }))

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
