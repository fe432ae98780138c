/**
 * Counts what may be many on a server that looks at all that matches, whatever the limit (server-profile): to find the end of each page would look at all that is
 * behind it, time and again. So the values at which some thousand each begin are kept in memory, as landmarks, and what is between two of them is
 * counted with a command. Each is looked at once, and others are let in between; SecantusDB kept them waiting for half of what counting all of them took. Of a list that is not known it
 * takes two commands: it counts all, and finds the landmarks.
 *
 * Whatever the landmarks are, the number is right: the ranges between them hold everything. Where one has come to hold too much, it gets further
 * ones; those around too little go.
 */
import type { Collection, Document } from 'mongodb'
import type { Counted, CountedRange, Within } from './counted.js'
import { createListMemory } from './list-memory.js'

/** Between two landmarks; up to twice as many are left as they are. Some ten milliseconds of SecantusDB's. */
const defaultSpacing = 2_000
/** Of one list; of more than half a million, there are more between two. */
const maxLandmarks = 250
/** Some 10 KB each. */
const maxLists = 100

const memoryOf = createListMemory<unknown[]>(maxLists)

/** Several may have the same value of `along`: those stay together. */
export async function countByLandmarks<T extends Document> (
  collection: Collection<T>, { along, within = {}, indexed, count }: Counted<T>, spacing = defaultSpacing
): Promise<number> {
  const memory = memoryOf(collection)
  const list = JSON.stringify([along, indexed(null)])
  const known = memory.get(list) ?? []
  const before = known.filter((landmark) => !isFrom(within, landmark))
  const inside = known.filter((landmark) => isFrom(within, landmark) && isBefore(within, landmark))
  const behind = known.filter((landmark) => !isBefore(within, landmark))
  const kept: unknown[] = []
  let sinceLandmark = 0
  let total = 0
  for (const [index, begin] of [null, ...inside].entries()) {
    const end = inside[index]
    const range = rangeOf({ ...within, ...(begin === null ? {} : { $gte: begin }), ...(end === undefined ? {} : { $lt: end }) })
    const held = await collection.countDocuments(indexed(range))
    total += count === undefined || held === 0 ? held : await count(range)
    if (begin !== null && sinceLandmark + held > spacing) {
      kept.push(begin)
      sinceLandmark = 0
    }
    sinceLandmark += held
    const room = maxLandmarks - known.length - kept.length + index
    if (held <= 2 * spacing || room <= 0) continue
    const further = await landmarksIn(range, Math.min(Math.ceil(held / spacing), room + 1))
    kept.push(...further)
    sinceLandmark = Math.floor(held / (further.length + 1))
  }
  if (known.length + kept.length > 0) memory.set(list, [...before, ...kept, ...behind])
  return total

  async function landmarksIn (range: CountedRange, parts: number): Promise<unknown[]> {
    const found = await collection.aggregate<{ _id: { min: unknown } }>([
      { $match: indexed(range) }, { $bucketAuto: { groupBy: `$${along}`, buckets: parts } }
    ]).toArray()
    return found.slice(1).map(({ _id: { min } }) => min)
  }
}

type Ordered = string | number | Date
/** Both are of one kind. As texts, in the order of UTF-16, which is that of the server where ids and times are: nothing else is counted within bounds. */
const isFrom = ({ $gte }: Within, landmark: unknown): boolean => $gte === undefined || (landmark as Ordered) > ($gte as Ordered)
const isBefore = ({ $lt }: Within, landmark: unknown): boolean => $lt === undefined || (landmark as Ordered) < ($lt as Ordered)

const rangeOf = (range: Within): CountedRange => Object.keys(range).length === 0 ? null : range
