/**
 * Whose turn it is to write: writes of as many jobs at a time as pay (jobs/write-pace), in the order in which they have asked. A job that is alone
 * has as many under way as it likes; as soon as another waits, it goes on behind that.
 *
 * Whoever is held up keeps its places in the line, and no turn: others would wait for as long. A write of it that comes then is one too many at a
 * time, no more: what it may change is guarded by `_id` and revision.
 */

import type { WritePace } from './write-pace.js'

export interface WriteTurns<Owner> {
  /** An owner has any number of jobs, and numbers its turns. */
  want (owner: Owner, jobId: string, turn: number): void
  /** The turn is over, and so is the waiting for it. */
  end (owner: Owner, turn: number): void
  /** The owner does not come round: the turns that it has are over, and it gets none until it does. */
  hold (owner: Owner, isHeld: boolean): void
  /** The owner is gone, with all its turns. */
  drop (owner: Owner): void
}

interface Place<Owner> { owner: Owner, jobId: string, turn: number }

/** `give` tells an owner that a turn has come. */
export function createWriteTurns<Owner> (pace: WritePace, give: (owner: Owner, turn: number) => void): WriteTurns<Owner> {
  let given: Array<Place<Owner>> = []
  let waiting: Array<Place<Owner>> = []
  const held = new Set<Owner>()

  const firstWaiting = (): Place<Owner> | undefined => waiting.find(({ owner }) => !held.has(owner))

  function giveNext (): void {
    for (let next = firstWaiting(); next !== undefined; next = firstWaiting()) {
      const jobs = new Set(given.map(({ jobId }) => jobId))
      if (!jobs.has(next.jobId) && jobs.size >= pace.jobsAtOnce) return
      waiting.splice(waiting.indexOf(next), 1)
      given.push(next)
      give(next.owner, next.turn)
    }
  }

  function remove (isGone: (place: Place<Owner>) => boolean): void {
    given = given.filter((place) => !isGone(place))
    waiting = waiting.filter((place) => !isGone(place))
    giveNext()
  }

  return {
    want (owner, jobId, turn) {
      waiting.push({ owner, jobId, turn })
      giveNext()
    },
    end (owner, turn) {
      if (given.some((place) => place.owner === owner && place.turn === turn)) pace.turnEnded(firstWaiting() !== undefined)
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
