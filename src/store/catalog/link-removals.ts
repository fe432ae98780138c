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
 *
 * The products of a target have a key of it. Those of a location have none (docs/adr/0011-stock-at-many-stores.md), so a pass looks through all of the vendor's,
 * page by page, and the request says how far it has come.
 */
import type { Product, ProductContent } from '../../domain/product.js'
import { targetKey } from '../../domain/search-keys.js'
import type { Collections } from '../database/connection.js'
import { lookInOrder } from './products-in-order.js'
import type { LinkKind, LinkRemovalDocument, WalkedTo } from './removal-documents.js'
import { rewriteProducts, type ProductHead } from './rewrite-products.js'
import { holdsLocation } from './stored-stock.js'

export interface LinkRemovals {
  /** Durable before the record itself is deleted. */
  request (vendorId: string, kind: LinkKind, linkId: string): Promise<void>
  /** The part of the first pass that its requester waits for: at most 10,000 products, of a location those that are looked through. */
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
  async function removeFromProducts (removal: Removal, maxProducts: number, signal?: AbortSignal): Promise<boolean> {
    return removal.kind === 'fitment-target' ? await removeTarget(removal, maxProducts, signal) : await removeLocation(removal, maxProducts, signal)
  }

  async function removeTarget ({ vendorId, linkId }: Removal, maxProducts: number, signal?: AbortSignal): Promise<boolean> {
    let left = maxProducts
    for (const archived of [false, true]) {
      for (;;) {
        if (left <= 0 || signal?.aborted === true) return false
        const options = { projection: { size: 1 } as const, limit: Math.min(batchSize, left) }
        const found = await products.find<ProductHead>({ vendorId, archived, 'searchKeys.key': targetKey(linkId) }, options).toArray()
        if (found.length === 0) break
        left -= found.length
        await rewriteProducts(collections, found, withoutTarget(linkId), signal)
      }
    }
    return true
  }

  async function removeLocation ({ _id, vendorId, linkId, walked }: Removal, maxProducts: number, signal?: AbortSignal): Promise<boolean> {
    const where = holdsLocation(linkId)
    const projection = { externalId: 1, size: 1 }
    let left = maxProducts
    for (const part of parts) {
      if (walked !== undefined && isBefore(part, walked)) continue
      let after = walked !== undefined && isSame(part, walked) ? walked.externalId : null
      for (;;) {
        if (left <= 0 || signal?.aborted === true) return false
        const atOnce = Math.min(batchSize, left)
        const { found, reached } = await lookInOrder<FoundHead>(collections, { vendorId, ...part, where }, { after, limit: atOnce, projection }, { atOnce, inAll: atOnce })
        if (found.length > 0) {
          await rewriteProducts(collections, found, withoutLocation(linkId), signal)
          // Who lost a race is still there: the page is looked at once more.
          continue
        }
        if (reached === null) break
        left -= atOnce
        after = reached
        await linkRemovals.updateOne({ _id }, { $set: { walked: { ...part, externalId: reached } } })
      }
    }
    return true
  }

  async function endFirstPass (_id: string): Promise<void> {
    await linkRemovals.updateOne({ _id }, { $set: { isLastPass: true, dueAt: new Date(Date.now() + lastPassDelayMs) }, $unset: { walked: true } })
  }

  return {
    async request (vendorId, kind, linkId) {
      const $setOnInsert = { vendorId, kind, linkId, dueAt: new Date(), isLastPass: false }
      await linkRemovals.updateOne({ _id: documentId(kind, linkId) }, { $setOnInsert }, { upsert: true })
    },
    async run (vendorId, kind, linkId) {
      const _id = documentId(kind, linkId)
      if (await removeFromProducts({ _id, vendorId, kind, linkId }, productsAtOnce)) await endFirstPass(_id)
    },
    async runDue (signal, now = new Date()) {
      for (const removal of await linkRemovals.find({ dueAt: { $lte: now } }).toArray()) {
        const { _id, kind, linkId, isLastPass } = removal
        // The requester may have died before it came to this.
        if (kind === 'fitment-target') await fitmentTargets.deleteOne({ _id: linkId })
        else await storeLocations.deleteOne({ _id: linkId })
        if (!await removeFromProducts(removal, Infinity, signal)) return
        if (isLastPass) await linkRemovals.deleteOne({ _id })
        else await endFirstPass(_id)
      }
    }
  }
}

type Removal = Pick<LinkRemovalDocument, '_id' | 'vendorId' | 'kind' | 'linkId' | 'walked'>
type FoundHead = ProductHead & Pick<Product, 'externalId'>

/** All products of a vendor, in the order in which they are looked through. */
const parts = [false, true].flatMap((archived) => [false, true].map((targeted) => ({ archived, targeted })))
type Part = typeof parts[number]
const placeOf = (part: Part): number => parts.findIndex(({ archived, targeted }) => archived === part.archived && targeted === part.targeted)
const isBefore = (part: Part, walked: WalkedTo): boolean => placeOf(part) < placeOf(walked)
const isSame = (part: Part, walked: WalkedTo): boolean => placeOf(part) === placeOf(walked)

const withoutTarget = (targetId: string) => ({ fitmentTargetIds, variants }: Product): Partial<ProductContent> => ({
  fitmentTargetIds: fitmentTargetIds.filter((id) => id !== targetId),
  variants: variants.map((variant) => ({ ...variant, fitmentTargetIds: variant.fitmentTargetIds.filter((id) => id !== targetId) }))
})

const withoutLocation = (removed: string) => ({ variants }: Product): Partial<ProductContent> => ({
  variants: variants.map((variant) => ({ ...variant, locationQuantities: variant.locationQuantities.filter(({ locationId }) => locationId !== removed) }))
})
