/**
 * Which lines of a file their products know from the last time, by nothing but their text (stages/parse-unless-known). An UPDATE
 * asks the database, batch by batch; a REPLACE has read all of its vendor's products before (live-products).
 */
import type { ImportMode } from '../../domain/import-job.js'
import type { LiveProducts } from '../../domain/live-products.js'
import { productId } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'
import { lasting } from '../database/lasting-reads.js'
import { lineDigestIn, lineDigestOf } from './patch-hash.js'

type UnchangedAmong = (lines: ReadonlyMap<string, string>) => Promise<Set<string>>

/** Characters, of a hundred lines of a delta: to read these takes no longer than to ask about them, which for a small job, that mostly changes something, would be in vain. */
const fewCharacters = 32 * 1024

interface UnchangedAmongOptions {
  /** Called when none of those asked for has a product yet, archived ones counted: most likely those that follow have none either. */
  onAllNew?: () => void
  /** Of fewer characters it knows none. */
  worthAsking?: number
}

export const createUnchangedAmong = (
  { products }: Pick<Collections, 'products'>, vendorId: string, mode: ImportMode, { onAllNew, worthAsking = fewCharacters }: UnchangedAmongOptions = {}
): UnchangedAmong =>
  async (lines) => {
    if (charactersOf(lines) < worthAsking) return new Set()
    const externalIds = new Map<string, string>()
    for (const externalId of lines.keys()) externalIds.set(productId(vendorId, externalId), externalId)
    const unchanged = new Set<string>()
    const found = await findByIds(products, [...externalIds.keys()], { patchHash: 1 }, lasting)
    if (found.length === 0) onAllNew?.()
    for (const { _id, patchHash } of found) {
      const externalId = externalIds.get(_id) ?? ''
      const text = lines.get(externalId)
      if (text !== undefined && lineDigestIn(patchHash ?? null, mode) === lineDigestOf(text)) unchanged.add(externalId)
    }
    return unchanged
  }

/** Takes the unchanged ones for named, too. `onAllNew`: called where there are no live products; of archived ones nothing is known. */
export const createUnchangedSince = (live: LiveProducts, vendorId: string, { onAllNew }: Pick<UnchangedAmongOptions, 'onAllNew'> = {}): UnchangedAmong =>
  async (lines) => {
    const unchanged = new Set<string>()
    if (live.size === 0) {
      onAllNew?.()
      return unchanged
    }
    for (const [externalId, text] of lines) {
      const id = productId(vendorId, externalId)
      if (!live.isUnchanged(id, lineDigestOf(text))) continue
      live.name(id)
      unchanged.add(externalId)
    }
    return unchanged
  }

function charactersOf (lines: ReadonlyMap<string, string>): number {
  let characters = 0
  for (const text of lines.values()) characters += text.length
  return characters
}
