/**
 * How long a writer that has lost the race for a document leaves the field to the others ("full jitter": any time up to a bound that doubles with
 * each race, so that writers which have met once do not meet again). Who has lost for the first time has met the others by chance and goes on
 * at once.
 */
const firstMs = 2
/** With the writer's 50 rounds, four seconds in all on average: as long as a request may wait for its answer. */
const maxMs = 200

/** Milliseconds before this round, the first of which is 0. */
export const pauseBefore = (round: number, random = Math.random): number =>
  round < 2 ? 0 : random() * Math.min(maxMs, firstMs * 2 ** (round - 2))
