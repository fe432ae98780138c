/**
 * Store locations, in `store_locations`. Products know a location by its id, so a renamed code keeps its quantities. How
 * they are rid of a deleted one: store/catalog/link-removals.
 */
import { randomUUID } from 'node:crypto'
import type { StoreLocationRecord } from '../../domain/links.js'
import { maxStoreLocations, type StoreLocationChange } from '../../domain/store-location.js'
import { conflict, limitExceeded, notFound } from '../../errors.js'
import type { Collections } from '../database/connection.js'
import { isDuplicateKey } from '../database/database-errors.js'
import type { LinkRemovals } from './link-removals.js'

export interface StoreLocations {
  /** By store code. */
  list (vendorId: string): Promise<StoreLocationRecord[]>
  find (vendorId: string, id: string): Promise<StoreLocationRecord | null>
  findByCode (vendorId: string, storeCode: string): Promise<StoreLocationRecord | null>
  /** Throws CONFLICT when the code is taken. */
  create (vendorId: string, fields: Omit<StoreLocationRecord, '_id' | 'vendorId'>): Promise<StoreLocationRecord>
  /** Throws NOT_FOUND, CONFLICT. */
  update (vendorId: string, id: string, change: StoreLocationChange): Promise<StoreLocationRecord>
  /** Resolves when its quantities are gone, or when that is certain to happen. Throws NOT_FOUND. */
  delete (vendorId: string, id: string): Promise<StoreLocationRecord>
}

export function createStoreLocations ({ storeLocations }: Pick<Collections, 'storeLocations'>, removals: LinkRemovals): StoreLocations {
  // By `_id` alone, see store/database/find-by-ids; whose it is is compared here.
  async function find (vendorId: string, id: string): Promise<StoreLocationRecord | null> {
    const found = await storeLocations.findOne({ _id: id })
    return found?.vendorId === vendorId ? found : null
  }

  const missing = (): Error => notFound('There is no such store location')

  async function refusingTakenCode<T> (write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      if (isDuplicateKey(error)) throw conflict('Another store location has this storeCode', 'input.storeCode')
      throw error
    }
  }

  return {
    list: async (vendorId) => await storeLocations.find({ vendorId }).sort({ storeCode: 1 }).toArray(),
    find,
    findByCode: async (vendorId, storeCode) => await storeLocations.findOne({ vendorId, storeCode }),
    async create (vendorId, fields) {
      if (await storeLocations.countDocuments({ vendorId }, { limit: maxStoreLocations }) >= maxStoreLocations) {
        throw limitExceeded(`A vendor may have at most ${maxStoreLocations} store locations`)
      }
      const location: StoreLocationRecord = { _id: randomUUID(), vendorId, ...fields, isUnused: true }
      await refusingTakenCode(async () => await storeLocations.insertOne(location))
      return location
    },
    async update (vendorId, id, change) {
      const found = await find(vendorId, id)
      if (found === null) throw missing()
      if (Object.keys(change).length === 0) return found
      await refusingTakenCode(async () => await storeLocations.updateOne({ _id: id }, { $set: change }))
      const updated = await find(vendorId, id)
      if (updated === null) throw missing()
      return updated
    },
    async delete (vendorId, id) {
      const found = await find(vendorId, id)
      if (found === null) throw missing()
      await removals.request(vendorId, 'store-location', id)
      // As it is when it goes: an import that asks for it from then on is one of those that the last pass is for.
      const { deletedCount: unused } = await storeLocations.deleteOne({ _id: id, isUnused: true })
      if (unused === 0 && (await storeLocations.deleteOne({ _id: id })).deletedCount === 0) throw missing()
      if (unused === 1) await removals.skipFirstPass('store-location', id)
      else await removals.run(vendorId, 'store-location', id)
      return found
    }
  }
}
