/**
 * Whose turn it is, to write (jobs/import-threads) or to have a batch in hand (jobs/thread-room): so many vendors at a time, first the one that has had the fewest.
 * So those who ask at once get on at one rate, whoever was first to read its file, and end at about one time. A job that is alone has as many under way as it likes;
 * beside others it has one, and goes on behind who waits: three writes of a large import at a time would each slow down a small one's.
 *
 * What counts is not all that a vendor ever had. Whoever comes, or comes back, is taken to have had nearly as many as those who get on now: a
 * little fewer, so that a small import is soon over, and no more than a little, so that a large one goes on beside any number of small ones.
 *
 * Whoever is held up keeps its places in the line, and no turn: others would wait for as long. A write of it that comes then is one too many at a
 * time, no more: what it may change is guarded by `_id` and revision.
 */

import { createBoundedMap } from '../domain/bounded-map.js'
import type { WritePace } from './write-pace.js'

export interface VendorTurns<Owner> {
  /** An owner works for one vendor, and numbers its turns. */
  want (owner: Owner, vendorId: string, turn: number): void
  /** The turn is over, and so is the waiting for it. */
  end (owner: Owner, turn: number): void
  /** The owner does not come round: the turns that it has are over, and it gets none until it does. */
  hold (owner: Owner, isHeld: boolean): void
  /** The owner is gone, with all its turns. */
  drop (owner: Owner): void
}

interface Place<Owner> { owner: Owner, vendorId: string, turn: number }

/** Turns by which who comes is ahead of the others: of 500 lines each. */
const headStart = 16
/** One that is forgotten has its head start once more. */
const maxVendors = 1_000

/** `give` tells an owner that a turn has come. */
export function createVendorTurns<Owner> (pace: WritePace, give: (owner: Owner, turn: number) => void): VendorTurns<Owner> {
  let given: Array<Place<Owner>> = []
  let waiting: Array<Place<Owner>> = []
  const held = new Set<Owner>()
  /** Turns that a vendor has had, or is taken to have had. */
  const had = createBoundedMap<string, number>(maxVendors)
  /** Of those who had a turn, the one with the most. It never goes back: who comes after one who has just come would be ahead of that one as well. */
  let reached = 0

  const hadBy = (vendorId: string): number => Math.max(had.get(vendorId) ?? 0, reached - headStart)

  /** `atWork`: the vendors that have a turn. */
  function firstWaiting (atWork: Set<string>): Place<Owner> | undefined {
    let first: Place<Owner> | undefined
    for (const place of waiting) {
      if (held.has(place.owner) || (atWork.size > 1 && atWork.has(place.vendorId))) continue
      if (first === undefined || hadBy(place.vendorId) < hadBy(first.vendorId)) first = place
    }
    return first
  }

  const vendorsAtWork = (): Set<string> => new Set(given.map(({ vendorId }) => vendorId))

  function giveNext (): void {
    for (;;) {
      const atWork = vendorsAtWork()
      const next = firstWaiting(atWork)
      if (next === undefined || (!atWork.has(next.vendorId) && atWork.size >= pace.jobsAtOnce)) return
      waiting.splice(waiting.indexOf(next), 1)
      given.push(next)
      const before = hadBy(next.vendorId)
      reached = Math.max(reached, before)
      had.set(next.vendorId, before + 1)
      give(next.owner, next.turn)
    }
  }

  /** One more at a time would do for somebody: a vendor that is at work has its one. */
  function isWanted (): boolean {
    const atWork = vendorsAtWork()
    return waiting.some(({ owner, vendorId }) => !held.has(owner) && !atWork.has(vendorId))
  }

  function remove (isGone: (place: Place<Owner>) => boolean): void {
    given = given.filter((place) => !isGone(place))
    waiting = waiting.filter((place) => !isGone(place))
    giveNext()
  }

  return {
    want (owner, vendorId, turn) {
      waiting.push({ owner, vendorId, turn })
      giveNext()
    },
    end (owner, turn) {
      if (given.some((place) => place.owner === owner && place.turn === turn)) pace.turnEnded(isWanted())
      remove((place) => place.owner === owner && place.turn === turn)
    },
    hold (owner, isHeld) {
      if (isHeld) held.add(owner)
      else held.delete(owner)
      given = given.filter((place) => !held.has(place.owner))
      giveNext()
    },
    drop (owner) {
      held.delete(owner)
      remove((place) => place.owner === owner)
    }
  }
}
