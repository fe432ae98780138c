/**
 * Rids products of a store location or fitment target that is deleted.
 *
 *   request ─▶ record deleted ─▶ run: first pass ─▶ last pass ─▶ forgotten
 *              (whoever runs it      (at once, up to    (10 minutes later)
 *               repeats this)         10,000 products;
 *                                     the rest by a worker)
 *
 * The request is a document and comes first, so a crash anywhere leaves either nothing done or a worker that finishes it. The
 * last pass is for lines of an import that were resolved before the deletion and written after the first pass.
 */
import type { Product, ProductContent } from '../../domain/product.js'
import { noStockKey, stockKey, targetKey } from '../../domain/search-keys.js'
import type { Collections } from '../database/connection.js'
import type { LinkKind } from './removal-documents.js'
import { rewriteProducts, type ProductHead } from './rewrite-products.js'

export interface LinkRemovals {
  /** Durable before the record itself is deleted. */
  request (vendorId: string, kind: LinkKind, linkId: string): Promise<void>
  /** The part of the first pass that its requester waits for: at most 10,000 products. */
  run (vendorId: string, kind: LinkKind, linkId: string): Promise<void>
  /** Passes that are due, to their ends. `signal` stops between groups of products; what is left is done the next time. */
  runDue (signal: AbortSignal, now?: Date): Promise<void>
}

const defaultProductsAtOnce = 10_000
const defaultBatchSize = 250
/** Longer than any batch of an import takes from its look-ups to its write. */
const lastPassDelayMs = 10 * 60 * 1_000

export interface LinkRemovalsOptions {
  /** Products that a requester waits for. */
  productsAtOnce?: number
  batchSize?: number
}

export function createLinkRemovals (
  collections: Pick<Collections, 'products' | 'linkRemovals' | 'storeLocations' | 'fitmentTargets'>,
  { productsAtOnce = defaultProductsAtOnce, batchSize = defaultBatchSize }: LinkRemovalsOptions = {}
): LinkRemovals {
  const { products, linkRemovals, storeLocations, fitmentTargets } = collections
  const documentId = (kind: LinkKind, linkId: string): string => `${kind}:${linkId}`

  /** Gives false when there was more than `maxProducts`, or the signal stopped it. */
  async function removeFromProducts (vendorId: string, kind: LinkKind, linkId: string, maxProducts: number, signal?: AbortSignal): Promise<boolean> {
    const keys = kind === 'fitment-target' ? [targetKey(linkId)] : [stockKey(linkId), noStockKey(linkId)]
    const change = kind === 'fitment-target' ? withoutTarget(linkId) : withoutLocation(linkId)
    let left = maxProducts
    for (const archived of [false, true]) {
      for (const key of keys) {
        for (;;) {
          if (left <= 0 || signal?.aborted === true) return false
          const options = { projection: { size: 1 } as const, limit: Math.min(batchSize, left) }
          const found = await products.find<ProductHead>({ vendorId, archived, 'searchKeys.key': key }, options).toArray()
          if (found.length === 0) break
          left -= found.length
          await rewriteProducts(collections, found, change, signal)
        }
      }
    }
    return true
  }

  async function endFirstPass (_id: string): Promise<void> {
    await linkRemovals.updateOne({ _id }, { $set: { isLastPass: true, dueAt: new Date(Date.now() + lastPassDelayMs) } })
  }

  return {
    async request (vendorId, kind, linkId) {
      const $setOnInsert = { vendorId, kind, linkId, dueAt: new Date(), isLastPass: false }
      await linkRemovals.updateOne({ _id: documentId(kind, linkId) }, { $setOnInsert }, { upsert: true })
    },
    async run (vendorId, kind, linkId) {
      if (await removeFromProducts(vendorId, kind, linkId, productsAtOnce)) await endFirstPass(documentId(kind, linkId))
    },
    async runDue (signal, now = new Date()) {
      for (const { _id, vendorId, kind, linkId, isLastPass } of await linkRemovals.find({ dueAt: { $lte: now } }).toArray()) {
        // The requester may have died before it came to this.
        if (kind === 'fitment-target') await fitmentTargets.deleteOne({ _id: linkId })
        else await storeLocations.deleteOne({ _id: linkId })
        if (!await removeFromProducts(vendorId, kind, linkId, Infinity, signal)) return
        if (isLastPass) await linkRemovals.deleteOne({ _id })
        else await endFirstPass(_id)
      }
    }
  }
}

const withoutTarget = (targetId: string) => ({ fitmentTargetIds, variants }: Product): Partial<ProductContent> => ({
  fitmentTargetIds: fitmentTargetIds.filter((id) => id !== targetId),
  variants: variants.map((variant) => ({ ...variant, fitmentTargetIds: variant.fitmentTargetIds.filter((id) => id !== targetId) }))
})

const withoutLocation = (removed: string) => ({ variants }: Product): Partial<ProductContent> => ({
  variants: variants.map((variant) => ({ ...variant, locationQuantities: variant.locationQuantities.filter(({ locationId }) => locationId !== removed) }))
})
