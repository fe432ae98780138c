/** What is said of a product in a list. */
import type { ProductRowFragment, ProductVisibility } from '../api/operations.js'

export const visibilities: Record<ProductVisibility, { title: string, kind: string }> = {
  PUBLISHED: { title: 'Published', kind: 'done' },
  SCHEDULED: { title: 'Scheduled', kind: 'waits' },
  DRAFT: { title: 'Draft', kind: 'waits' },
  ARCHIVED: { title: 'Archived', kind: '' }
}

/** null: no variant is tracked. */
export function unitsOf (variants: ReadonlyArray<{ inventory: number | null }>): number | null {
  const tracked = variants.flatMap(({ inventory }) => inventory ?? [])
  return tracked.length === 0 ? null : tracked.reduce((sum, units) => sum + units, 0)
}

/** The lowest and the highest, in the first currency that there is. */
export function priceRange ({ variants }: Pick<ProductRowFragment, 'variants'>): { from: number, to: number, currency: string } | null {
  const prices = variants.flatMap(({ prices }) => prices)
  const currency = prices[0]?.currency
  if (currency === undefined) return null
  const own = prices.filter((price) => price.currency === currency).map(({ price }) => price)
  return { from: Math.min(...own), to: Math.max(...own), currency }
}

/** Only addresses of the web become links or images, whatever a merchant's file says. */
export const webAddress = (text: string | null | undefined): string | null =>
  typeof text === 'string' && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null
