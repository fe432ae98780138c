/** A GraphQL product input as the line of a file that says the same, so that one pipeline serves both. */
import { productBounds } from '../../../domain/product-bounds.js'
import { maxMetafieldKeyLength } from '../../../domain/product-patch.js'
import { isLongerThan } from '../../../domain/reader.js'
import type { MetafieldInput, UpsertProductInput } from '../generated.js'

export function toLine ({ variants, ...product }: UpsertProductInput): Record<string, unknown> {
  const line = withMetafields(product)
  if (variants !== undefined) line['variants'] = variants?.map(withMetafields) ?? null
  return line
}

/**
 * `metafields: [{ key, value }]` becomes `meta:<key>`; the later of a repeated key wins. With its prefix no key can be `__proto__`. Of more than a product may
 * have one too many is enough to refuse them: there may be 200,000, which would take 50 MB on their way.
 */
function withMetafields<T extends { metafields?: MetafieldInput[] | null }> ({ metafields, ...rest }: T): Record<string, unknown> {
  const line: Record<string, unknown> = rest
  let count = 0
  for (const { key, value } of metafields ?? []) {
    const name = `meta:${key}`
    if (!(name in line) && !isLongerThan(key, maxMetafieldKeyLength)) count += 1
    line[name] = value
    if (count > productBounds.metafields) break
  }
  return line
}
