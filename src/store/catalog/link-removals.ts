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
 * page by page, and the request says how far it has come. Locations of a vendor that have come equally far share a pass, and of each vendor so many products are looked through in a
 * round: who deletes thousands of stores of a large catalog holds up nobody else's deletions.
 */
import type { Product, ProductContent } from '../../domain/product.js'
import { targetKey } from '../../domain/search-keys.js'
import type { Collections } from '../database/connection.js'
import { lookInOrder } from './products-in-order.js'
import type { LinkKind, LinkRemovalDocument, WalkedTo } from './removal-documents.js'
import { rewriteProducts, type ProductHead } from './rewrite-products.js'
import { holdsLocation } from './stock-filters.js'

export interface LinkRemovals {
  /** Durable before the record itself is deleted. */
  request (vendorId: string, kind: LinkKind, linkId: string): Promise<void>
  /** The part of the first pass that its requester waits for: at most 10,000 products, of a location those that are looked through. */
  run (vendorId: string, kind: LinkKind, linkId: string): Promise<void>
  /** In place of `run`, where no product can hold it but those of an import that is writing just now. */
  skipFirstPass (kind: LinkKind, linkId: string): Promise<void>
  /** Passes that are due: to their ends, or as far as a round goes. `signal` stops between groups of products; what is left is done the next time. */
  runDue (signal: AbortSignal, now?: Date): Promise<void>
}

const defaultProductsAtOnce = 10_000
const defaultBatchSize = 250
/** Some seconds. */
const defaultProductsPerRound = 50_000
const locationsAtOnce = 50
/** Longer than any batch of an import takes from its look-ups to its write. */
const lastPassDelayMs = 10 * 60 * 1_000

export interface LinkRemovalsOptions {
  /** Products that a requester waits for. */
  productsAtOnce?: number
  batchSize?: number
  /** Products of one vendor that a round looks through for its locations. */
  productsPerRound?: number
}

export function createLinkRemovals (
  collections: Pick<Collections, 'products' | 'linkRemovals' | 'storeLocations' | 'fitmentTargets'>,
  { productsAtOnce = defaultProductsAtOnce, batchSize = defaultBatchSize, productsPerRound = defaultProductsPerRound }: LinkRemovalsOptions = {}
): LinkRemovals {
  const { products, linkRemovals, storeLocations, fitmentTargets } = collections
  const documentId = (kind: LinkKind, linkId: string): string => `${kind}:${linkId}`

  /** Of one target, or of locations that have come equally far. Gives false when there was more than is allowed, or the signal stopped it. */
  async function removeFromProducts (removals: Removals, allowed: Allowance, signal?: AbortSignal): Promise<boolean> {
    return removals[0].kind === 'fitment-target' ? await removeTarget(removals[0], allowed, signal) : await removeLocations(removals, allowed, signal)
  }

  async function removeTarget ({ vendorId, linkId }: Removal, allowed: Allowance, signal?: AbortSignal): Promise<boolean> {
    for (const archived of [false, true]) {
      for (;;) {
        if (allowed.left <= 0 || signal?.aborted === true) return false
        const options = { projection: { size: 1 } as const, limit: Math.min(batchSize, allowed.left) }
        const found = await products.find<ProductHead>({ vendorId, archived, 'searchKeys.key': targetKey(linkId) }, options).toArray()
        if (found.length === 0) break
        allowed.left -= found.length
        await rewriteProducts(collections, found, withoutTarget(linkId), signal)
      }
    }
    return true
  }

  async function removeLocations (removals: Removals, allowed: Allowance, signal?: AbortSignal): Promise<boolean> {
    const [{ vendorId, walked }] = removals
    const locationIds = removals.map(({ linkId }) => linkId)
    const where = holdsLocation(...locationIds)
    const projection = { externalId: 1, size: 1 }
    for (const part of parts) {
      if (walked !== undefined && isBefore(part, walked)) continue
      let after = walked !== undefined && isSame(part, walked) ? walked.externalId : null
      for (;;) {
        if (allowed.left <= 0 || signal?.aborted === true) return false
        const atOnce = Math.min(batchSize, allowed.left)
        const { found, reached } = await lookInOrder<FoundHead>(collections, { vendorId, ...part, where }, { after, limit: atOnce, projection }, { atOnce, inAll: atOnce })
        if (found.length > 0) {
          await rewriteProducts(collections, found, withoutLocations(new Set(locationIds)), signal)
          // Who lost a race is still there: the page is looked at once more.
          continue
        }
        if (reached === null) break
        allowed.left -= atOnce
        after = reached
        await linkRemovals.updateMany({ _id: { $in: removals.map(({ _id }) => _id) } }, { $set: { walked: { ...part, externalId: reached } } })
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
      if (await removeFromProducts([{ _id, vendorId, kind, linkId }], { left: productsAtOnce })) await endFirstPass(_id)
    },
    skipFirstPass: async (kind, linkId) => { await endFirstPass(documentId(kind, linkId)) },
    async runDue (signal, now = new Date()) {
      const allowances = new Map<string, Allowance>()
      for (const removals of groupsOf(await linkRemovals.find({ dueAt: { $lte: now } }).toArray())) {
        const [{ vendorId, kind, isLastPass }] = removals
        // The requester may have died before it came to this.
        for (const { linkId } of removals) await (kind === 'fitment-target' ? fitmentTargets : storeLocations).deleteOne({ _id: linkId })
        const allowed = kind === 'fitment-target' ? { left: Infinity } : allowances.get(vendorId) ?? { left: productsPerRound }
        if (kind === 'store-location') allowances.set(vendorId, allowed)
        const isOver = await removeFromProducts(removals, allowed, signal)
        if (signal.aborted) return
        if (!isOver) continue
        for (const { _id } of removals) {
          if (isLastPass) await linkRemovals.deleteOne({ _id })
          else await endFirstPass(_id)
        }
      }
    }
  }
}

type Removal = Pick<LinkRemovalDocument, '_id' | 'vendorId' | 'kind' | 'linkId' | 'walked'>
type Removals = [Removal, ...Removal[]]
/** Products that may still be looked through. */
interface Allowance { left: number }
type FoundHead = ProductHead & Pick<Product, 'externalId'>

/** All products of a vendor, in the order in which they are looked through. */
const parts = [false, true].flatMap((archived) => [false, true].map((targeted) => ({ archived, targeted })))
type Part = typeof parts[number]
const placeOf = (part: Part): number => parts.findIndex(({ archived, targeted }) => archived === part.archived && targeted === part.targeted)
const isBefore = (part: Part, walked: WalkedTo): boolean => placeOf(part) < placeOf(walked)
const isSame = (part: Part, walked: WalkedTo): boolean => placeOf(part) === placeOf(walked)

/** Locations of a vendor that have come equally far share a pass; targets have one each. */
function groupsOf (due: LinkRemovalDocument[]): Array<[LinkRemovalDocument, ...LinkRemovalDocument[]]> {
  const groups = new Map<string, [LinkRemovalDocument, ...LinkRemovalDocument[]]>()
  for (const removal of due) {
    const { _id, vendorId, kind, isLastPass, walked } = removal
    const key = JSON.stringify(kind === 'fitment-target' ? [_id] : [vendorId, isLastPass, walked?.archived, walked?.targeted, walked?.externalId])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [removal])
    else if (group.length < locationsAtOnce) group.push(removal)
  }
  return [...groups.values()]
}

const withoutTarget = (targetId: string) => ({ fitmentTargetIds, variants }: Product): Partial<ProductContent> => ({
  fitmentTargetIds: fitmentTargetIds.filter((id) => id !== targetId),
  variants: variants.map((variant) => ({ ...variant, fitmentTargetIds: variant.fitmentTargetIds.filter((id) => id !== targetId) }))
})

const withoutLocations = (removed: ReadonlySet<string>) => ({ variants }: Product): Partial<ProductContent> => ({
  variants: variants.map((variant) => ({ ...variant, locationQuantities: variant.locationQuantities.filter(({ locationId }) => !removed.has(locationId)) }))
})
