/** A GraphQL product input as the line of a file that says the same, so that one pipeline serves both. */
import type { MetafieldInput, UpsertProductInput } from '../generated.js'

export function toLine ({ variants, ...product }: UpsertProductInput): Record<string, unknown> {
  return {
    ...withMetafields(product),
    ...(variants === undefined ? {} : { variants: variants?.map(withMetafields) ?? null })
  }
}

/** `metafields: [{ key, value }]` becomes `meta:<key>`; the later of a repeated key wins. With its prefix no key can be `__proto__`. */
function withMetafields<T extends { metafields?: MetafieldInput[] | null }> ({ metafields, ...rest }: T): Record<string, unknown> {
  return { ...rest, ...Object.fromEntries((metafields ?? []).map(({ key, value }) => [`meta:${key}`, value])) }
}
