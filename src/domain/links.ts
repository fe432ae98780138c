/**
 * The records that imports link to. Only what linking and reading need stands here; the rules of these areas
 * (interface.md: Store location, Fitment target, Size chart) live with the areas themselves.
 */
export interface StoreLocationRecord {
  _id: string
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

export interface SizeChartRecord {
  _id: string
  vendorId: string
  externalId: string
  name: string
  body: string | null
  source: 'MARKDOWN' | 'PDF'
  sourceUrl: string | null
  pdfUrl: string | null
  status: 'READY' | 'PENDING' | 'FAILED'
  conversionError: string | null
}
