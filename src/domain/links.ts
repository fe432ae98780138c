/**
 * The records that imports link to. Only what linking and reading need stands here; the rules of these areas
 * (interface.md: Store location, Fitment target, Size chart) live with the areas themselves.
 */
export interface StoreLocationRecord {
  _id: string
  /** No import has asked for stock locations since it was created, so no product holds it. Absent: one has, or the record is of a version before. */
  isUnused?: true
  vendorId: string
  storeCode: string
  name: string
  isActive: boolean
  phone: string | null
  latitude: number | null
  longitude: number | null
  streetAddress: string | null
  streetAddress2: string | null
  city: string | null
  region: string | null
  country: string | null
  postalCode: string | null
}

export type { SizeChartRecord } from './size-chart.js'
