/**
 * Whose turn it is to write: writes of at most `jobsAtOnce` jobs at a time, in the order in which they have asked. A job that is alone
 * has as many under way as it likes; as soon as another waits, it goes on behind that.
 */

export interface WriteTurns<Owner> {
  /** An owner has any number of jobs, and numbers its turns. */
  want (owner: Owner, jobId: string, turn: number): void
  /** The turn is over, and so is the waiting for it. */
  end (owner: Owner, turn: number): void
  /** The owner is gone, with all its turns. */
  drop (owner: Owner): void
}

interface Place<Owner> { owner: Owner, jobId: string, turn: number }

/** `give` tells an owner that a turn has come. */
export function createWriteTurns<Owner> (jobsAtOnce: number, give: (owner: Owner, turn: number) => void): WriteTurns<Owner> {
  let given: Array<Place<Owner>> = []
  let waiting: Array<Place<Owner>> = []

  function giveNext (): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const jobs = new Set(given.map(({ jobId }) => jobId))
      if (!jobs.has(next.jobId) && jobs.size >= jobsAtOnce) return
      waiting.shift()
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
    end: (owner, turn) => { remove((place) => place.owner === owner && place.turn === turn) },
    drop: (owner) => { remove((place) => place.owner === owner) }
  }
}
