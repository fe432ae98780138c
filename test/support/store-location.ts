/** A store location of which nothing is known but what a test is about. */
import type { StoreLocationRecord } from '../../src/domain/links.js'

type StoreLocationFields = Omit<StoreLocationRecord, '_id' | 'vendorId'>

export const storeLocation = (storeCode: string, given: Partial<StoreLocationFields> = {}): StoreLocationFields => ({
  storeCode, name: `Store ${storeCode}`, isActive: true, phone: null, latitude: null, longitude: null, streetAddress: null, streetAddress2: null, city: null, region: null, country: null, postalCode: null, ...given
})
