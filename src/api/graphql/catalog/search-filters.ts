/** The filters of searchProducts, as they come. Throws BAD_USER_INPUT. */
import { readInput } from '../../../domain/read-input.js'
import { currency, text, type Reader } from '../../../domain/reader.js'
import { badInput } from '../../../errors.js'
import type { ProductFilters } from '../../../store/catalog/product-filters.js'
import type { SearchProductsInput } from '../generated.js'

/** As long as they may be on a product. */
const label = text({ nonBlank: true, max: 1_000 })

export function readFilters (input: SearchProductsInput): ProductFilters {
  const [minPrice, maxPrice] = [price(input.minPrice, 'input.minPrice'), price(input.maxPrice, 'input.maxPrice')]
  if (minPrice !== null && maxPrice !== null && minPrice > maxPrice) throw badInput('input.minPrice must not be more than input.maxPrice', 'input.minPrice')
  const visibility = input.visibility ?? 'PUBLISHED'
  const [publishedFrom, publishedTo] = [time(input.publishedFrom), time(input.publishedTo)]
  if (visibility !== 'PUBLISHED' && (publishedFrom !== null || publishedTo !== null)) throw badInput('input.publishedFrom and input.publishedTo are of published products: leave input.visibility out', 'input.visibility')
  return {
    visibility,
    minPrice,
    maxPrice,
    currency: given(currency, input.currency, 'input.currency'),
    isInStock: input.inStock ?? false,
    brand: given(label, input.brand, 'input.brand'),
    tag: given(label, input.tag, 'input.tag'),
    publishedFrom,
    publishedTo
  }
}

const given = (reader: Reader<string>, value: string | null | undefined, path: string): string | null =>
  value === null || value === undefined ? null : readInput(reader, value, path)

function price (value: number | null | undefined, path: string): number | null {
  if (value === null || value === undefined) return null
  if (value < 0) throw badInput(`${path} must not be negative`, path)
  return value
}

const time = (value: Date | string | null | undefined): Date | null => value === null || value === undefined ? null : new Date(value)
