/**
 * How many records of a kind a vendor has at most, for a quota that is far: they are counted once, and since then no more can have come than have been marked. Each writer marks as
 * many as it has inserted, once they are there, and asks then: what is not in the count has been inserted after it, so its mark comes after the one that the count has begun with.
 * A writer that has died between the two is counted when the count is made anew.
 */
import { createBoundedMap } from '../../domain/bounded-map.js'

/** No less than there are; where that would be more than `room`, counted. `changes` is what the caller has just read of the vendor's marks (change-marks). */
export type CountMost = (vendorId: string, room: number, changes: number) => Promise<number>

const keptMs = 30_000
/** Some 100 bytes each. */
const maxKept = 10_000

export function createMostCounts (count: (vendorId: string) => Promise<number>, { now = Date.now } = {}): CountMost {
  const kept = createBoundedMap<string, { count: number, changes: number, expiresAt: number }>(maxKept)

  return async (vendorId, room, changes) => {
    const known = kept.get(vendorId)
    const most = known === undefined || now() >= known.expiresAt ? Infinity : known.count + changes - known.changes
    if (most <= room) return most
    const counted = await count(vendorId)
    kept.set(vendorId, { count: counted, changes, expiresAt: now() + keptMs })
    return counted
  }
}
