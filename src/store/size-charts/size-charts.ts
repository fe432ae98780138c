/**
 * Size charts in `size_charts`. Changed only by compare-and-set over `revision` with the pure functions of domain/size-chart.
 *
 * A deleted chart is unlinked by being gone: products hold its random id, which is never given out again, and every reader resolves
 * it through this collection. An import that resolved the id a moment before the delete could undo any eager unlinking; it
 * cannot undo this one (docs/adr/0005-deleting-is-unlinking.md).
 *
 * A vendor's quota is checked after an insert, which is undone when there are too many then: of several writers at once the last
 * one counts what all of them have inserted, so the quota holds whoever they are. Near it they may all be refused, and only there they count (most-counts).
 */
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import { MongoBulkWriteError, type AnyBulkWriteOperation } from 'mongodb'
import {
  claimConversion, finishConversion, isSizeChartId, nameKeyOf, newSizeChart, returnClaim, updateSizeChart,
  type ConversionResult, type SeenChart, type SizeChartChange, type SizeChartDraft, type SizeChartQuota, type SizeChartRecord
} from '../../domain/size-chart.js'
import { conflict, limitExceeded, notFound, unavailable } from '../../errors.js'
import { createChangeMarks } from '../database/change-marks.js'
import type { Collections } from '../database/connection.js'
import { ignoreDuplicates, isDuplicateKey, writeErrorsOf } from '../database/database-errors.js'
import { findInRanges } from '../database/find-in-ranges.js'
import { createKeptCounts } from '../database/kept-counts.js'
import { createMostCounts } from '../database/most-counts.js'
import { serverOf } from '../database/server-of.js'
import type { Page } from '../jobs/import-jobs.js'

/** A stored chart, and the originals that it has let go of. */
export interface StoredSizeChart { chart: SizeChartRecord, released: string[] }

export interface BulkOutcome {
  created: number
  updated: number
  /** Originals that are no longer held by any of them. */
  released: string[]
}

export interface SizeCharts {
  /** Throws CONFLICT when the external id is taken, LIMIT_EXCEEDED when there would be too many. */
  create (vendorId: string, draft: SizeChartDraft): Promise<SizeChartRecord>
  /** Throws NOT_FOUND, or CONFLICT when the new external id is taken. */
  update (vendorId: string, id: string, draft: Partial<SizeChartDraft>): Promise<StoredSizeChart>
  /** By external id: the existing one updated, else a new one. The later of a repeated external id wins; in any order otherwise. Safe to repeat.
   *  Throws LIMIT_EXCEEDED when there would be too many: before anything is applied, or, when others fill the quota meanwhile, with nothing created. */
  upsertAll (vendorId: string, drafts: SizeChartDraft[]): Promise<BulkOutcome>
  find (vendorId: string, id: string): Promise<SizeChartRecord | null>
  findByExternalId (vendorId: string, externalId: string): Promise<SizeChartRecord | null>
  /** By name as people say it; READY ones first, then by external id. */
  findByName (vendorId: string, name: string): Promise<SizeChartRecord | null>
  /** The original of a chart, for anyone who has its unguessable id. null: there is none. */
  findPdf (id: string): Promise<SizeChartRecord['pdf']>
  /** By external id; `after` is the last one of the page before. */
  page (vendorId: string, options: { first: number, after: string | null }): Promise<Page<SizeChartRecord>>
  /** See database/kept-counts for how old it may be. */
  count (vendorId: string): Promise<number>
  /** How many there were. Unknown external ids are skipped. */
  deleteAll (vendorId: string, externalIds: string[]): Promise<{ deleted: number, released: string[] }>
  /** Throws NOT_FOUND. */
  delete (vendorId: string, id: string): Promise<{ released: string[] }>

  /** Vendors with charts that wait for a conversion, each with one of them; `mark` differs when that one was worked on. */
  pendingVendors (): AsyncIterable<{ vendorId: string, jobId: string, mark: string }>
  /** Charts of the vendor that wait for a conversion and that no worker has. */
  unclaimed (vendorId: string, limit: number): Promise<SeenChart[]>
  /** Those that workers have, living or dead: a few of each. */
  claimed (vendorId: string): Promise<SeenChart[]>
  /** Whether any does, claimed or not. */
  isAnyPending (vendorId: string): Promise<boolean>
  /** The chart as claimed, from another worker too where nothing has changed since it was seen. null: there is nothing to claim, or another has it. */
  claim (vendorId: string, seen: SeenChart, token: string): Promise<SizeChartRecord | null>
  /** "I am alive." false: the claim is no longer held. */
  beat (claimed: SizeChartRecord): Promise<boolean>
  handBack (claimed: SizeChartRecord): Promise<void>
  /** false: the chart has moved on, and `result` was dropped. */
  finish (claimed: SizeChartRecord, result: ConversionResult): Promise<{ applied: boolean, released: string[] }>
  /** Which of these originals charts hold. */
  heldPdfs (fileIds: string[]): Promise<Set<string>>
}

const maxCasRounds = 50
const queriesAtOnce = 4
/** With the bodies of what is there, 20 MB at most. */
const draftsPerPiece = 200
const maxNamesakes = 20

export function createSizeCharts (collections: Pick<Collections, 'sizeCharts' | 'changeMarks'>, { charts: maxCharts }: Pick<SizeChartQuota, 'charts'>): SizeCharts {
  const { sizeCharts } = collections
  const marks = createChangeMarks(collections, 'size_charts')
  const countKept = createKeptCounts(marks.read)
  const countMost = createMostCounts(count)

  /** One by its id, of this vendor. With the vendor in the filter a server may choose an index that reads all of the vendor's charts. */
  async function find (vendorId: string, id: string): Promise<SizeChartRecord | null> {
    const chart = isSizeChartId(id) ? await sizeCharts.findOne({ _id: id }) : null
    return chart?.vendorId === vendorId ? chart : null
  }

  /** Applies `step` until it is written or gives null (`after: null`). null: no such chart. */
  async function changeOne (
    vendorId: string, id: string, step: (chart: SizeChartRecord) => SizeChartChange | null
  ): Promise<{ before: SizeChartRecord, after: SizeChartRecord | null } | null> {
    for (let round = 0; round < maxCasRounds; round++) {
      const before = await find(vendorId, id)
      if (before === null) return null
      const changes = step(before)
      if (changes === null) return { before, after: null }
      const after = { ...before, ...changes, revision: before.revision + 1 }
      const { matchedCount } = await sizeCharts.updateOne({ _id: id, revision: before.revision }, { $set: { ...changes, revision: after.revision } })
      if (matchedCount === 1) return { before, after }
      await delay(Math.random() * Math.min(2 ** round, 50))
    }
    throw unavailable(`Size chart ${id} is changed too often at the same time`)
  }

  /** In queries side by side, of as many as the server takes well (server-profile). */
  async function findAllByExternalId<Field extends keyof SizeChartRecord> (
    vendorId: string, externalIds: string[], projection?: Partial<Record<Field, 1>>
  ): Promise<Array<Pick<SizeChartRecord, Field | '_id'>>> {
    const { externalIdsPerQuery } = await serverOf(sizeCharts).profile()
    const limit = pLimit(queriesAtOnce)
    const queries: Array<Promise<Array<Pick<SizeChartRecord, Field | '_id'>>>> = []
    for (let from = 0; from < externalIds.length; from += externalIdsPerQuery) {
      const filter = { vendorId, externalId: { $in: externalIds.slice(from, from + externalIdsPerQuery) } }
      const options = { batchSize: externalIdsPerQuery + 1, ...(projection === undefined ? {} : { projection }) }
      queries.push(limit(async () => await sizeCharts.find<Pick<SizeChartRecord, Field | '_id'>>(filter, options).toArray()))
    }
    return (await Promise.all(queries)).flat()
  }

  async function count (vendorId: string): Promise<number> {
    return await sizeCharts.countDocuments({ vendorId })
  }

  const tooMany = (): Error => limitExceeded(`A vendor may have at most ${maxCharts} size charts; delete some first`)

  /** Throws LIMIT_EXCEEDED where these drafts would create too many. Which of them are new is looked up near the quota only. */
  async function checkRoom (vendorId: string, drafts: SizeChartDraft[]): Promise<void> {
    const room = maxCharts - await countMost(vendorId, maxCharts - drafts.length, await marks.read(vendorId))
    if (drafts.length <= room) return
    const existing = await findAllByExternalId(vendorId, drafts.map(({ externalId }) => externalId), { _id: 1 })
    if (drafts.length - existing.length > Math.max(room, 0)) throw tooMany()
  }

  /** Undoes what was inserted, and throws LIMIT_EXCEEDED, where there are too many now. `changes`: as marked with what was inserted. */
  async function keepWithinQuota (vendorId: string, inserted: Array<Pick<SizeChartRecord, '_id' | 'pdf'>>, changes: number): Promise<void> {
    if (await countMost(vendorId, maxCharts, changes) <= maxCharts) return
    await deleteByIds(vendorId, inserted)
    throw tooMany()
  }

  /** Writes each draft once, and counts it; gives those that another writer was faster with. */
  async function upsertPiece (
    vendorId: string, drafts: SizeChartDraft[], outcome: BulkOutcome, inserted: SizeChartRecord[]
  ): Promise<SizeChartDraft[]> {
    const found = await findAllByExternalId<keyof SizeChartRecord>(vendorId, drafts.map(({ externalId }) => externalId))
    const existing = new Map(found.map((chart) => [chart.externalId, chart]))
    const now = new Date()
    const fresh = drafts.filter(({ externalId }) => !existing.has(externalId))
    const charts = fresh.map((draft) => newSizeChart(vendorId, draft, now))
    const refused = new Set(await insertAll(charts))
    const lost = fresh.filter((_draft, index) => refused.has(index))
    inserted.push(...charts.filter((_chart, index) => !refused.has(index)))
    outcome.created += fresh.length - lost.length

    const changes = drafts.flatMap((draft) => {
      const before = existing.get(draft.externalId)
      return before === undefined ? [] : [{ draft, before, change: updateSizeChart(before, draft, now) }]
    })
    const toWrite = changes.flatMap(({ before, change }) => change === null ? [] : [{ before, change }])
    const isWritten = await replaceAll(toWrite)
    for (const { draft, before, change } of changes) {
      // Which of them were not matched is not told, so each of such a piece is written again by itself, to the same effect.
      const stored = change === null || isWritten
        ? { before, after: change === null ? null : { ...before, ...change } }
        : await changeOne(vendorId, before._id, (chart) => updateSizeChart(chart, draft, now))
      if (stored === null) lost.push(draft)
      else {
        outcome.updated += 1
        outcome.released.push(...released(stored.before, stored.after))
      }
    }
    return lost
  }

  /** Gives the indexes of those whose external id was taken a moment ago. */
  async function insertAll (charts: SizeChartRecord[]): Promise<number[]> {
    if (charts.length === 0) return []
    try {
      await sizeCharts.insertMany(charts, { ordered: false })
      return []
    } catch (error) {
      ignoreDuplicates(error)
      return error instanceof MongoBulkWriteError ? writeErrorsOf(error).map(({ index }) => index) : []
    }
  }

  /** false: another writer was faster with some of them. */
  async function replaceAll (changes: Array<{ before: SizeChartRecord, change: SizeChartChange }>): Promise<boolean> {
    if (changes.length === 0) return true
    const { matchedCount } = await sizeCharts.bulkWrite(changes.map(({ before: { _id, revision }, change }): AnyBulkWriteOperation<SizeChartRecord> => ({
      updateOne: { filter: { _id, revision }, update: { $set: { ...change, revision: revision + 1 } } }
    })), { ordered: false })
    return matchedCount === changes.length
  }

  async function deleteByIds (vendorId: string, charts: Array<Pick<SizeChartRecord, '_id' | 'pdf'>>): Promise<{ deleted: number, released: string[] }> {
    const { idsPerQuery } = await serverOf(sizeCharts).profile()
    let deleted = 0
    for (let from = 0; from < charts.length; from += idsPerQuery) {
      const _id = { $in: charts.slice(from, from + idsPerQuery).map(({ _id }) => _id) }
      deleted += (await sizeCharts.deleteMany({ _id })).deletedCount
    }
    if (deleted > 0) await marks.mark(vendorId)
    return { deleted, released: charts.flatMap(({ pdf }) => pdf === null ? [] : [pdf.fileId]) }
  }

  return {
    async create (vendorId, draft) {
      const chart = newSizeChart(vendorId, draft, new Date())
      try {
        await sizeCharts.insertOne(chart)
      } catch (error) {
        if (isDuplicateKey(error)) throw taken()
        throw error
      }
      await keepWithinQuota(vendorId, [chart], await marks.markRecords(vendorId, 1))
      return chart
    },

    async update (vendorId, id, draft) {
      try {
        const stored = await changeOne(vendorId, id, (chart) => updateSizeChart(chart, draft, new Date()))
        if (stored === null) throw notFound('No such size chart')
        return { chart: stored.after ?? stored.before, released: released(stored.before, stored.after) }
      } catch (error) {
        if (isDuplicateKey(error)) throw taken()
        throw error
      }
    },

    async upsertAll (vendorId, drafts) {
      const outcome: BulkOutcome = { created: 0, updated: 0, released: [] }
      let todo = [...new Map(drafts.map((draft) => [draft.externalId, draft])).values()]
      await checkRoom(vendorId, todo)
      const inserted: SizeChartRecord[] = []
      // Where it fails, any of them may have come.
      let come = todo.length
      let changes = 0
      try {
        for (let round = 0; todo.length > 0; round++) {
          if (round === maxCasRounds) throw unavailable('These size charts are changed too often at the same time')
          const lost: SizeChartDraft[] = []
          for (let from = 0; from < todo.length; from += draftsPerPiece) {
            lost.push(...await upsertPiece(vendorId, todo.slice(from, from + draftsPerPiece), outcome, inserted))
          }
          todo = lost
        }
        come = inserted.length
      } finally {
        if (come > 0) changes = await marks.markRecords(vendorId, come)
      }
      if (come > 0) await keepWithinQuota(vendorId, inserted, changes)
      return outcome
    },

    find,
    findByExternalId: async (vendorId, externalId) => await sizeCharts.findOne({ vendorId, externalId }),
    async findByName (vendorId, name) {
      const found = await sizeCharts.find({ vendorId, nameKey: nameKeyOf(name) }).sort({ externalId: 1 }).limit(maxNamesakes).toArray()
      return found.find(({ status }) => status === 'READY') ?? found[0] ?? null
    },
    async findPdf (id) {
      if (!isSizeChartId(id)) return null
      const chart = await sizeCharts.findOne({ _id: id }, { projection: { pdf: 1 } })
      return chart?.pdf ?? null
    },
    async page (vendorId, { first, after }) {
      const found = await findInRanges<SizeChartRecord>(sizeCharts, {
        list: vendorId,
        along: 'externalId',
        read: async (externalId, limit) => await sizeCharts.find({ vendorId, ...(externalId === null ? {} : { externalId }) }).sort({ externalId: 1 }).limit(limit).toArray()
      }, { after, limit: first + 1 })
      return { nodes: found.slice(0, first), hasNextPage: found.length > first }
    },
    count: async (vendorId) => await countKept(vendorId, 'all', async () => await count(vendorId)),

    async deleteAll (vendorId, externalIds) {
      return await deleteByIds(vendorId, await findAllByExternalId(vendorId, [...new Set(externalIds)], { pdf: 1 }))
    },
    async delete (vendorId, id) {
      const chart = await find(vendorId, id)
      if (chart === null) throw notFound('No such size chart')
      const { deleted, released } = await deleteByIds(vendorId, [chart])
      if (deleted === 0) throw notFound('No such size chart')
      return { released }
    },

    async * pendingVendors () {
      const seen = new Set<string>()
      for await (const { _id, vendorId, revision } of sizeCharts.find({ status: 'PENDING' }).project<Pick<SizeChartRecord, '_id' | 'vendorId' | 'revision'>>({ vendorId: 1, revision: 1 })) {
        if (!seen.has(vendorId)) yield { vendorId, jobId: _id, mark: `${_id} ${revision}` }
        seen.add(vendorId)
      }
    },
    async unclaimed (vendorId, limit) {
      return await sizeCharts.find({ status: 'PENDING', vendorId, 'conversion.claim': null }).limit(limit).project<SeenChart>({ revision: 1 }).toArray()
    },
    async claimed (vendorId) {
      return await sizeCharts.find({ status: 'PENDING', vendorId, 'conversion.claim': { $ne: null } }).project<SeenChart>({ revision: 1 }).toArray()
    },
    isAnyPending: async (vendorId) => await sizeCharts.findOne({ status: 'PENDING', vendorId }, { projection: { _id: 1 } }) !== null,

    async claim (vendorId, seen, token) {
      const stored = await changeOne(vendorId, seen._id, (chart) => claimConversion(chart, token, seen, new Date()))
      return stored?.after?.status === 'PENDING' ? stored.after : null
    },
    async beat ({ _id, conversion: { number, claim } }) {
      const held = { _id, status: 'PENDING' as const, 'conversion.number': number, 'conversion.claim.token': claim?.token ?? '' }
      const { matchedCount } = await sizeCharts.updateOne(held, { $inc: { revision: 1 } })
      return matchedCount === 1
    },
    async handBack (claimed) {
      await changeOne(claimed.vendorId, claimed._id, (chart) => returnClaim(chart, claimed))
    },
    async finish (claimed, result) {
      const stored = await changeOne(claimed.vendorId, claimed._id, (chart) => finishConversion(chart, claimed, result, new Date()))
      const applied = stored !== null && stored.after !== null
      return { applied, released: applied ? released(stored.before, stored.after) : [] }
    },
    async heldPdfs (fileIds) {
      const charts = await sizeCharts.find({ 'pdf.fileId': { $in: fileIds } }).project<{ pdf: { fileId: string } }>({ 'pdf.fileId': 1 }).toArray()
      return new Set(charts.map(({ pdf }) => pdf.fileId))
    }
  }
}

const taken = (): Error => conflict('A size chart with this externalId exists already', 'externalId')

/** Originals that `after` no longer holds. */
function released (before: SizeChartRecord, after: SizeChartRecord | null): string[] {
  return before.pdf === null || after === null || after.pdf?.fileId === before.pdf.fileId ? [] : [before.pdf.fileId]
}
