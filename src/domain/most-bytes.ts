import type { MergeablePatch } from './mergeable-patch.js'

/** Of a document, per character of a line: an id of one character in a list becomes one of 36 under an index, and that is the worst. */
const bytesPerCharacter = 16
/** An entry of the stock at a location, which a line need not name. */
const bytesPerQuantity = 80
/** The id of an image, which a line may name by a shorter alias, or which aliases that it brings give to other variants and aliases. */
const bytesPerImageLink = 255 * 4 + 32

/** More than a line of that many characters can add to a product in which an image may be named `imageLinks` times: by variants and by aliases. */
export function mostBytes (characters: number, patch: Pick<MergeablePatch, 'imageSet' | 'variants'>, imageLinks: number): number {
  let bytes = bytesPerCharacter * characters
  if (patch.imageSet !== undefined) bytes += (imageLinks + patch.imageSet.aliases.length) * bytesPerImageLink
  for (const { imageExternalId, stock } of patch.variants ?? []) {
    if (typeof imageExternalId === 'string') bytes += bytesPerImageLink
    if (stock !== undefined) bytes += stock.active.ids.length * bytesPerQuantity
  }
  return bytes
}
