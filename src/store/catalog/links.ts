/** Look-ups of the records that products link to, always within one vendor and always many at a time. */
import type { Collection, Document, Filter } from 'mongodb'
import { externalKey, type FitmentTargetRecord } from '../../domain/fitment-target.js'
import type { SizeChartRecord, StoreLocationRecord } from '../../domain/links.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'
import { serverOf } from '../database/server-of.js'

export interface Links {
  /** Internal ids by external id; unknown ones are absent. */
  fitmentTargetIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  sizeChartIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  storeLocations (vendorId: string): Promise<StoreLocationRecord[]>
  /** The same, of which stock is about to be written: none of them is unused any more, before a product holds it. */
  stockLocations (vendorId: string): Promise<StoreLocationRecord[]>
  /** Records by internal id. */
  fitmentTargets (vendorId: string, ids: string[]): Promise<Map<string, FitmentTargetRecord>>
  sizeCharts (vendorId: string, ids: string[]): Promise<Map<string, SizeChartRecord>>
}

/** A look-up of many ids ends when `signal` aborts. */
export function createLinks ({ fitmentTargets, sizeCharts, storeLocations }: Collections, signal?: AbortSignal): Links {
  const byId = <T extends { _id: string, vendorId: string }>(vendorId: string, records: T[]): Map<string, T> =>
    new Map(records.filter((record) => record.vendorId === vendorId).map((record) => [record._id, record]))
  const storeLocationsOf = async (vendorId: string): Promise<StoreLocationRecord[]> => await storeLocations.find({ vendorId }).toArray()

  return {
    fitmentTargetIds: async (vendorId, externalIds) =>
      // By one field that stands for vendor and external id: the second key of an index is none to look many up by.
      await idsByExternalId(fitmentTargets, externalIds, signal, (some) => ({ externalKey: { $in: some.map((externalId) => externalKey(vendorId, externalId)) } })),
    sizeChartIds: async (vendorId, externalIds) =>
      await idsByExternalId(sizeCharts, externalIds, signal, (some) => ({ vendorId, externalId: { $in: some } })),
    storeLocations: storeLocationsOf,
    async stockLocations (vendorId) {
      const found = await storeLocationsOf(vendorId)
      const unused = found.filter(({ isUnused }) => isUnused).map(({ _id }) => _id)
      for (let from = 0; from < unused.length; from += locationsPerUpdate) {
        await storeLocations.updateMany({ _id: { $in: unused.slice(from, from + locationsPerUpdate) } }, { $unset: { isUnused: true } })
      }
      return found
    },
    fitmentTargets: async (vendorId, ids) => byId(vendorId, await findByIds(fitmentTargets, ids)),
    sizeCharts: async (vendorId, ids) => byId(vendorId, await findByIds(sizeCharts, ids))
  }
}

const locationsPerUpdate = 500
/** Bounded, because a batch can name half a million of ids. */
const queriesAtOnce = 5

type Linked = Document & { _id: string, externalId: string }

/** `among` makes the filter for some of the external ids. */
async function idsByExternalId<T extends Linked> (
  collection: Collection<T>, externalIds: string[], signal: AbortSignal | undefined, among: (externalIds: string[]) => Filter<T>
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  if (externalIds.length === 0) return ids
  const { externalIdsPerQuery } = await serverOf(collection).profile()
  let next = 0
  async function askOn (): Promise<void> {
    while (next < externalIds.length) {
      signal?.throwIfAborted()
      const from = next
      next += externalIdsPerQuery
      const filter = among(externalIds.slice(from, next))
      const found = collection.find(filter, { batchSize: externalIdsPerQuery + 1 }).project<{ _id: string, externalId: string }>({ externalId: 1 })
      for await (const { _id, externalId } of found) ids.set(externalId, _id)
    }
  }
  // One that fails ends the others.
  const asking = Array.from({ length: queriesAtOnce }, async () => { await askOn().finally(() => { next = externalIds.length }) })
  await Promise.allSettled(asking)
  await Promise.all(asking)
  return ids
}
