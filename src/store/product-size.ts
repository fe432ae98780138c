/** How large a product may be, and how large one about is. */
import { BSON } from 'mongodb'
import type { ProductContent } from '../domain/product.js'
import { toSearchKeys } from './product-document.js'

/** A document may have 16 MiB; what this leaves out is for our own fields. */
export const maxProductBytes = 15 * 1024 * 1024
/** Below this many characters a document is certainly smaller than that (3 bytes each at most in BSON's UTF-8). */
const surelySmallCharacters = 4 * 1024 * 1024

/** `atMost` characters of text have gone into the content. */
export const isTooLarge = (content: ProductContent, atMost: number): boolean =>
  atMost + charactersPerLink * linksIn(content) > surelySmallCharacters &&
  BSON.calculateObjectSize(content) + BSON.calculateObjectSize({ searchKeys: toSearchKeys(content) }) > maxProductBytes

/** A link of two characters in a line becomes an id of 19 and a search key. */
const charactersPerLink = 32
const linksIn = ({ fitmentTargetIds, variants }: ProductContent): number =>
  variants.reduce((sum, variant) => sum + variant.fitmentTargetIds.length, fitmentTargetIds.length)

/** Text, and 16 for whatever is not text. */
export function charactersIn (value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || value instanceof Date) return 16
  let characters = 16
  for (const key in value) characters += key.length + charactersIn((value as Record<string, unknown>)[key])
  return characters
}
