/** Which lines of a file their products know from the last time, by nothing but their text (stages/parse-unless-known). */
import type { ImportMode } from '../domain/import-job.js'
import { productId } from '../domain/product.js'
import type { Collections } from './connection.js'
import { findByIds } from './find-by-ids.js'
import { linklessPatchHashOf } from './patch-hash.js'

export const createUnchangedAmong = ({ products }: Pick<Collections, 'products'>, vendorId: string, mode: ImportMode) =>
  async (lines: ReadonlyMap<string, string>): Promise<Set<string>> => {
    const externalIds = new Map(Array.from(lines.keys(), (externalId) => [productId(vendorId, externalId), externalId]))
    const unchanged = new Set<string>()
    for (const { _id, patchHash } of await findByIds(products, [...externalIds.keys()], { patchHash: 1 })) {
      const externalId = externalIds.get(_id) ?? ''
      const text = lines.get(externalId)
      if (text !== undefined && patchHash === linklessPatchHashOf(text, mode)) unchanged.add(externalId)
    }
    return unchanged
  }
