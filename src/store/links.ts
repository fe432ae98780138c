/** Look-ups of the records that products link to, always within one vendor and always many at a time. */
import type { FitmentTargetRecord, SizeChartRecord, StoreLocationRecord } from '../domain/links.js'
import type { Collections } from './connection.js'

export interface Links {
  /** Internal ids by external id; unknown ones are absent. */
  fitmentTargetIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  sizeChartIds (vendorId: string, externalIds: string[]): Promise<Map<string, string>>
  storeLocations (vendorId: string): Promise<StoreLocationRecord[]>
  /** Records by internal id. */
  fitmentTargets (vendorId: string, ids: string[]): Promise<Map<string, FitmentTargetRecord>>
  sizeCharts (vendorId: string, ids: string[]): Promise<Map<string, SizeChartRecord>>
}

export function createLinks ({ fitmentTargets, sizeCharts, storeLocations }: Collections): Links {
  const byId = <T extends { _id: string }>(records: T[]): Map<string, T> => new Map(records.map((record) => [record._id, record]))
  const idsByExternalId = (records: Array<{ _id: string, externalId: string }>): Map<string, string> =>
    new Map(records.map(({ _id, externalId }) => [externalId, _id]))
  const projection = { externalId: 1 }
  return {
    fitmentTargetIds: async (vendorId, externalIds) => externalIds.length === 0
      ? new Map()
      : idsByExternalId(await fitmentTargets.find({ vendorId, externalId: { $in: externalIds } }, { projection }).toArray()),
    sizeChartIds: async (vendorId, externalIds) => externalIds.length === 0
      ? new Map()
      : idsByExternalId(await sizeCharts.find({ vendorId, externalId: { $in: externalIds } }, { projection }).toArray()),
    storeLocations: async (vendorId) => await storeLocations.find({ vendorId }).toArray(),
    fitmentTargets: async (vendorId, ids) =>
      ids.length === 0 ? new Map() : byId(await fitmentTargets.find({ _id: { $in: ids }, vendorId }).toArray()),
    sizeCharts: async (vendorId, ids) =>
      ids.length === 0 ? new Map() : byId(await sizeCharts.find({ _id: { $in: ids }, vendorId }).toArray())
  }
}
