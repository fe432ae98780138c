/**
 * Small upsertProducts of one vendor at a time share a batch (store/database/in-groups): e-commerce platforms send a product at a time, dozens at once. Applying a product's fields twice gives
 * what applying them once does, so a batch of which one request cannot be applied is repeated one by one.
 */
import type { UpsertProducts } from '../../domain/upsert-products.js'
import { inGroups, type GroupBounds } from '../database/in-groups.js'
import { charactersIn } from './product-size.js'

/** A batch takes the event loop some ten milliseconds in all, and holds as much as so many requests side by side would. */
const defaultBounds: GroupBounds = { smallItems: 20, smallCharacters: 64 * 1_024, items: 128, characters: 1_024 * 1_024 }

export const groupUpserts = (apply: UpsertProducts, bounds: GroupBounds = defaultBounds): UpsertProducts => inGroups(apply, bounds, charactersIn)
