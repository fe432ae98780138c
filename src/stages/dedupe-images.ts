/**
 * Images of one product are deduplicated by URL (interface.md, Image): the first occurrence stays, and the external ids of the
 * others become aliases of it, so that variants, in this line or in a later delta, may go on naming them.
 */
import { defaultImageExternalId, type Image, type ImageAlias } from '../domain/product.js'
import type { ImagePatch, ProductPatch } from '../domain/product-patch.js'
import { perRecord, type Stage } from '../engine/stage.js'

/** Stages add to the patch what they make of it: copying a patch in each would be most of their cost. */
export type WithImages = ProductPatch & { imageSet?: { list: Image[], aliases: ImageAlias[] } }

export const dedupeImages: Stage<ProductPatch, WithImages> = perRecord((patch: WithImages) => {
  if (patch.images !== undefined) patch.imageSet = dedupe(patch.images)
  return patch
})

function dedupe (sent: ImagePatch[]): { list: Image[], aliases: ImageAlias[] } {
  const [only] = sent
  if (only === undefined || sent.length === 1) return { list: only === undefined ? [] : [toImage(only)], aliases: [] }
  const byUrl = new Map<string, Image>()
  // Few products send an image twice.
  let aliases: Map<string, string> | undefined
  for (const patch of sent) {
    const image = toImage(patch)
    const kept = byUrl.get(image.url)
    if (kept === undefined) byUrl.set(image.url, image)
    else if (kept.externalId !== image.externalId) {
      aliases ??= new Map()
      if (!aliases.has(image.externalId)) aliases.set(image.externalId, kept.externalId)
    }
  }
  return { list: [...byUrl.values()], aliases: aliases === undefined ? [] : inStoredOrder(aliases) }
}

const inStoredOrder = (aliases: Map<string, string>): ImageAlias[] =>
  Array.from(aliases, toAlias).sort(byExternalId)

const toAlias = ([externalId, imageExternalId]: [string, string]): ImageAlias => ({ externalId, imageExternalId })
const byExternalId = (a: ImageAlias, b: ImageAlias): number => a.externalId < b.externalId ? -1 : 1

const toImage = ({ url, externalId, position }: ImagePatch): Image =>
  ({ externalId: externalId ?? defaultImageExternalId(url), url, position: position ?? null })
