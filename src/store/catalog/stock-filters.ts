/** Which products have a store in their variants' texts (stored-stock). */
import type { Filter } from 'mongodb'
import type { ProductDocument } from './product-document.js'

/** A variant has units there. */
export const inStockAt = (locationId: string): Filter<ProductDocument> =>
  ({ 'variants.locationQuantities': { $regex: `;${literally(locationId)}=[1-9]` } })

/** A variant has an entry for one of them, of 0 units too, in whichever form. */
export const holdsLocation = (...locationIds: string[]): Filter<ProductDocument> => ({
  $or: [{ 'variants.locationQuantities': { $regex: `;(${locationIds.map(literally).join('|')})=` } }, { 'variants.locationQuantities.locationId': { $in: locationIds } }]
})

const literally = (text: string): string => text.replaceAll(/[^\w-]/g, '\\$&')
