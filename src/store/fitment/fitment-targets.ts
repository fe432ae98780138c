/**
 * Fitment targets, in `fitment_targets`. Writes are optimistic: a replacement is filtered by the revision that was read, a
 * new target by its unique external key. The vocabulary learns values before targets have them (store/fitment/fitment-vocabulary).
 */
import { setImmediate } from 'node:timers/promises'
import type { AnyBulkWriteOperation, Condition, Document, MongoBulkWriteError } from 'mongodb'
import type { FitmentFacetRecord } from '../../domain/fitment-facet.js'
import {
  changeTarget, externalKey, filterKey, newTarget, orderOf, type FacetValue, type FitmentTargetRecord, type NewTarget, type TargetPatch
} from '../../domain/fitment-target.js'
import { conflict, notFound, unavailable } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { countUpBy } from '../database/count-up.js'
import { ignoreDuplicates, isDuplicateKey, writeErrorsOf } from '../database/database-errors.js'
import { findByField } from '../database/find-by-ids.js'
import { inGroups } from '../database/in-groups.js'
import { counterId, highestNumber, maxRange, pagedFields, targetsAfter, type PagedTarget } from './fitment-pages.js'
import type { FitmentVocabulary } from './fitment-vocabulary.js'
import type { LinkRemovals } from '../catalog/link-removals.js'

export interface TargetPage { targets: PagedTarget[], hasMore: boolean }

export interface FitmentTargets {
  /** Throws CONFLICT when the external id is taken. */
  create (vendorId: string, target: NewTarget): Promise<FitmentTargetRecord>
  /** Throws NOT_FOUND, CONFLICT. */
  update (vendorId: string, id: string, patch: TargetPatch): Promise<FitmentTargetRecord>
  /** Matched by external id, of which each occurs once. Throws when the database is away: then some may have been written, and the same request again completes it. */
  upsert (vendorId: string, targets: NewTarget[]): Promise<{ created: number, updated: number }>
  /** Its links are gone from products when this resolves, or will certainly be. Throws NOT_FOUND. */
  delete (vendorId: string, id: string): Promise<void>
  find (vendorId: string, id: string): Promise<FitmentTargetRecord | null>
  findByExternalId (vendorId: string, externalId: string): Promise<FitmentTargetRecord | null>
  /** In the order of ids, after the number `after`. `values`: all of them equal. */
  page (vendorId: string, options: { facets: FitmentFacetRecord[], values: FacetValue[], after: number, limit: number }): Promise<TargetPage>
  /** The first target that has these values, one of `oneOf` where that is not empty, and perhaps more. */
  firstWith (vendorId: string, facets: FitmentFacetRecord[], values: FacetValue[], oneOf?: FacetValue[]): Promise<PagedTarget | null>
  /** The first target that has these values and no other; null when there is none. */
  firstOf (vendorId: string, facets: FitmentFacetRecord[], values: FacetValue[]): Promise<PagedTarget | null>
}

interface Matching {
  keys: Condition<FitmentTargetRecord['keys']>
  /** null: whatever they are. */
  facetValues: Document | null
}

/** Each lost race means that another writer has won. */
const maxRounds = 50
/** Targets per turn of the event loop. */
const turnSize = 250
/** Among so many targets there is one with a common value; each further value makes matches rarer by about this factor. */
const earlyNumbers = 500
const narrowing = 8

export function createFitmentTargets (
  collections: Pick<Collections, 'fitmentTargets' | 'counters'>, vocabulary: FitmentVocabulary, removals: LinkRemovals
): FitmentTargets {
  const { fitmentTargets, counters } = collections
  const missing = (): Error => notFound('There is no such fitment target')
  const taken = (): Error => conflict('Another fitment target has this externalId', 'input.externalId')

  async function find (vendorId: string, id: string): Promise<FitmentTargetRecord | null> {
    if (orderOf(vendorId, id) === null) return null
    const found = await fitmentTargets.findOne({ _id: id })
    return found?.vendorId === vendorId ? found : null
  }

  /** For each count the first of as many numbers, which nobody else gets. Targets that are made at once count once, and do not race each other for it. */
  const takeEach = inGroups<number, number>(async (vendorId, counts) => {
    const sum = counts.reduce((sum, count) => sum + count, 0)
    let next = await countUpBy(counters, counterId(vendorId), 'next', sum) - sum + 1
    return counts.map((count) => (next += count) - count)
  }, { smallItems: 1, items: 100 })

  async function takeNumbers (vendorId: string, count: number): Promise<number> {
    const [first] = await takeEach(vendorId, [count])
    if (first === undefined) throw new Error('no numbers')
    return first
  }

  async function create (vendorId: string, target: NewTarget): Promise<FitmentTargetRecord> {
    await vocabulary.learn(vendorId, [target.facetValues])
    const record = newTarget(vendorId, await takeNumbers(vendorId, 1), target)
    try {
      await fitmentTargets.insertOne(record)
    } catch (error) {
      if (isDuplicateKey(error)) throw taken()
      throw error
    }
    return record
  }

  async function update (vendorId: string, id: string, patch: TargetPatch): Promise<FitmentTargetRecord> {
    if (patch.facetValues !== undefined) await vocabulary.learn(vendorId, [patch.facetValues])
    for (let round = 0; round < maxRounds; round++) {
      const found = await find(vendorId, id)
      if (found === null) throw missing()
      const changed = changeTarget(found, patch)
      if (changed === found) return found
      try {
        const { matchedCount } = await fitmentTargets.replaceOne({ _id: id, revision: found.revision }, changed)
        if (matchedCount === 1) return changed
      } catch (error) {
        if (isDuplicateKey(error)) throw taken()
        throw error
      }
    }
    throw unavailable('The fitment target is being changed by others faster than it can be written')
  }

  async function upsert (vendorId: string, targets: NewTarget[]): Promise<{ created: number, updated: number }> {
    await vocabulary.learn(vendorId, targets.map(({ facetValues }) => facetValues))
    let created = 0
    let left = new Map(targets.map((target) => [externalKey(vendorId, target.externalId), target]))
    for (let round = 0; left.size > 0; round++) {
      if (round === maxRounds) throw unavailable('Fitment targets are being changed by others faster than they can be written')
      const existing = await findByKeys([...left.keys()])
      const lost = new Map<string, NewTarget>()
      const fresh = [...left].filter(([key]) => !existing.has(key))
      for (const key of await insert(vendorId, fresh)) lost.set(key, left.get(key) as NewTarget)
      created += fresh.length - lost.size
      for (const key of await replace(existing, left)) lost.set(key, left.get(key) as NewTarget)
      left = lost
    }
    return { created, updated: targets.length - created }
  }

  async function findByKeys (keys: string[]): Promise<Map<string, FitmentTargetRecord>> {
    return new Map((await findByField(fitmentTargets, 'externalKey', keys)).map((target) => [target.externalKey, target]))
  }

  /** Gives the keys that somebody else was faster with. */
  async function insert (vendorId: string, fresh: Array<[string, NewTarget]>): Promise<string[]> {
    if (fresh.length === 0) return []
    const first = await takeNumbers(vendorId, fresh.length)
    const documents: FitmentTargetRecord[] = []
    for (const [index, [, target]] of fresh.entries()) {
      if (index % turnSize === turnSize - 1) await setImmediate()
      documents.push(newTarget(vendorId, first + index, target))
    }
    try {
      await fitmentTargets.insertMany(documents, { ordered: false })
      return []
    } catch (error) {
      ignoreDuplicates(error)
      return writeErrorsOf(error as MongoBulkWriteError).map(({ index }) => documents[index]?.externalKey ?? '')
    }
  }

  /** Gives the keys of those that somebody else has changed meanwhile. */
  async function replace (existing: Map<string, FitmentTargetRecord>, patches: Map<string, NewTarget>): Promise<string[]> {
    const changed: FitmentTargetRecord[] = []
    let count = 0
    for (const [key, found] of existing) {
      if (++count % turnSize === 0) await setImmediate()
      const next = changeTarget(found, patches.get(key) as NewTarget)
      if (next !== found) changed.push(next)
    }
    if (changed.length === 0) return []
    const operations = changed.map((target): AnyBulkWriteOperation<FitmentTargetRecord> =>
      ({ replaceOne: { filter: { _id: target._id, revision: target.revision - 1 }, replacement: target } }))
    const { matchedCount } = await fitmentTargets.bulkWrite(operations, { ordered: false })
    // Which ones, the result does not say; to look at all of them again costs a read, and writes nothing twice.
    return matchedCount === changed.length ? [] : changed.map((target) => target.externalKey)
  }

  /** An equality in an index (or one for each of `oneOf`), and what is left to compare. The two facets with the most values narrow down the most. */
  function matching (vendorId: string, facets: FitmentFacetRecord[], values: FacetValue[], oneOf: FacetValue[] = []): Matching {
    const counts = new Map(facets.map(({ _id, valueCount }) => [_id, valueCount]))
    const selective = [...values].sort((a, b) => (counts.get(b.facetId) ?? 0) - (counts.get(a.facetId) ?? 0))
    const keyed = selective.slice(0, oneOf.length === 0 ? 2 : 1)
    const rest = selective.slice(keyed.length)
    return {
      keys: oneOf.length === 0 ? filterKey(vendorId, keyed) : { $in: oneOf.map((value) => filterKey(vendorId, [...keyed, value])) },
      // One condition on one field: with $and, secantusd-rs takes no index.
      facetValues: rest.length === 0 ? null : { $all: rest.map(({ facetId, value }) => ({ $elemMatch: { facetId, value } })) }
    }
  }

  /**
   * The first that match, with numbers above `after`. In ranges of numbers, of which the first has the width given: of a common value there may be
   * thousands, not every server stops at a limit, and where more than two values are asked for none may match.
   */
  async function firstOnes (vendorId: string, { keys, facetValues }: Matching, after: number, limit: number, width: number): Promise<PagedTarget[]> {
    const highest = await highestNumber(collections, vendorId)
    const found: PagedTarget[] = []
    // In a stage of its own: beside what the index knows, an embedded server uses less of it.
    const compared = facetValues === null ? [] : [{ $match: { facetValues } }]
    for (let from = after, range = width; from < highest && found.length < limit; from += range, range = Math.min(narrowing * range, maxRange)) {
      found.push(...await fitmentTargets.aggregate<PagedTarget>([
        { $match: { keys, order: { $gt: from, $lt: from + range + 1 } } }, { $sort: { order: 1 } }, ...compared, { $limit: limit - found.length }, { $project: pagedFields }
      ], { batchSize: limit + 1 }).toArray())
    }
    return found
  }

  const widthFor = (valueCount: number): number => Math.min(earlyNumbers * narrowing ** (valueCount - 1), maxRange)

  const first = async (vendorId: string, sought: Matching, valueCount: number): Promise<PagedTarget | null> =>
    (await firstOnes(vendorId, sought, 0, 1, widthFor(valueCount)))[0] ?? null

  return {
    create,
    update,
    upsert,
    async delete (vendorId, id) {
      if (await find(vendorId, id) === null) throw missing()
      await removals.request(vendorId, 'fitment-target', id)
      const { deletedCount } = await fitmentTargets.deleteOne({ _id: id })
      if (deletedCount === 0) throw missing()
      await removals.run(vendorId, 'fitment-target', id)
    },
    find,
    findByExternalId: async (vendorId, externalId) => await fitmentTargets.findOne({ externalKey: externalKey(vendorId, externalId) }),
    async page (vendorId, { facets, values, after, limit }) {
      const found = values.length === 0
        ? await targetsAfter(collections, vendorId, after, limit + 1)
        : await firstOnes(vendorId, matching(vendorId, facets, values), after, limit + 1, maxRange)
      return { targets: found.slice(0, limit), hasMore: found.length > limit }
    },
    firstWith: async (vendorId, facets, values, oneOf = []) => await first(vendorId, matching(vendorId, facets, values, oneOf), values.length + (oneOf.length > 0 ? 1 : 0)),
    async firstOf (vendorId, facets, values) {
      const { keys, facetValues } = matching(vendorId, facets, values)
      return await first(vendorId, { keys, facetValues: { ...facetValues, $size: values.length } }, values.length)
    }
  }
}
