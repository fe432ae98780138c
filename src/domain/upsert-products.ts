/** upsertProducts as the API asks for it and pipelines/product-upsert.ts provides it. */
import type { Fault } from './issue.js'
import type { Product } from './product.js'

export type UpsertedProduct = { product: Product } | { faults: readonly Fault[] }

/**
 * Applies line-shaped records at once, in UPDATE mode, in order: same stages, same merge as a file import (decisions.md,
 * upsertProducts). One result per record, in order; the valid ones are applied whatever becomes of the others. Throws when
 * the database is away: then some may have been applied.
 *
 * `onApplied` is called when all that is valid is durable: what is left is to read what the answer tells.
 */
export type UpsertProducts = (vendorId: string, records: Array<Record<string, unknown>>, onApplied?: () => void) => Promise<UpsertedProduct[]>
