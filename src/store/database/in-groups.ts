/**
 * Small calls of one vendor that come while another of its is under way are made together: what a call costs the database hardly depends on how many products it is about.
 *
 *   arrives ─▶ none of the vendor's is under way: begins at once, by itself
 *           └▶ one is: waits until that is done ─▶ all that wait (up to the bounds) are one call ─▶ each gets its own part of the answer
 *
 * A call may say that it is done before it has its answer, as when it only has to read what it has written: the next begins beside that.
 *
 * There is no timer: who is alone waits for nobody. Calls of a vendor are made in the order in which they came; other vendors have queues of their own. Large ones
 * go past all this, so nobody waits for them.
 *
 * A call that fails for a database that has not answered fails for all that are in it, as each would have by itself. After any other failure they are made once more
 * one by one, in order, so that one cannot take others with it: a call that was done in part must do no harm when it is repeated. One that has said that it is done
 * is not repeated, as others may have come after it.
 */
import { hasNotAnswered } from './database-errors.js'
import { asReader } from '../reads/reader.js'

export interface GroupBounds {
  /** Of a call that is small. */
  smallItems: number
  smallCharacters?: number
  /** Of several together; beyond, the others are in the next. */
  items: number
  characters?: number
}

/** One result for each item, in order. `onDone`: what is left is to find the results, and others may begin; in any case they may when it ends. */
export type GroupedCall<Item, Result> = (vendorId: string, items: Item[], onDone?: () => void) => Promise<Result[]>

interface Waiting<Item, Result> {
  items: Item[]
  characters: number
  resolve: (results: Result[]) => void
  reject: (error: unknown) => void
}

/** `charactersOf` is asked of a call that has no more items than a small one. Without it, items alone are bounded. */
export function inGroups<Item, Result> (
  call: GroupedCall<Item, Result>, { smallItems, smallCharacters = 0, items, characters = 0 }: GroupBounds, charactersOf: (items: Item[]) => number = () => 0
): GroupedCall<Item, Result> {
  const bounds = { smallItems, smallCharacters, items, characters }
  /** By vendor, as long as one of its is under way. */
  const queues = new Map<string, Array<Waiting<Item, Result>>>()

  async function work (vendorId: string, queue: Array<Waiting<Item, Result>>): Promise<void> {
    for (let group = nextGroup(queue, bounds); group.length > 0; group = nextGroup(queue, bounds)) await doneWith(vendorId, group)
    queues.delete(vendorId)
  }

  async function doneWith (vendorId: string, group: Array<Waiting<Item, Result>>): Promise<void> {
    await new Promise<void>((resolve) => { void callFor(vendorId, group, resolve) })
  }

  /** Never rejects. Who is answered, and calls again at once, finds that the next may begin. */
  async function callFor (vendorId: string, group: Array<Waiting<Item, Result>>, onDone: () => void): Promise<void> {
    let isDone = false
    try {
      const results = await call(vendorId, group.flatMap(({ items }) => items), () => {
        isDone = true
        onDone()
      })
      onDone()
      let from = 0
      for (const { items, resolve } of group) resolve(results.slice(from, from += items.length))
    } catch (error) {
      if (group.length > 1 && !isDone && !hasNotAnswered(error)) for (const each of group) await doneWith(vendorId, [each])
      else for (const { reject } of group) reject(error)
      onDone()
    }
  }

  return async (vendorId, items) => {
    const characters = items.length > bounds.smallItems ? Infinity : charactersOf(items)
    if (characters > bounds.smallCharacters) return await call(vendorId, items)
    return await new Promise((resolve, reject) => {
      const waiting = { items, characters, resolve, reject }
      const queue = queues.get(vendorId)
      if (queue !== undefined) {
        queue.push(waiting)
        return
      }
      const begun = [waiting]
      queues.set(vendorId, begun)
      // It goes on for others when this one is over, so what is read is the vendor's, and no part of any one answer.
      void asReader({ owner: vendorId }, async () => { await work(vendorId, begun) })
    })
  }
}

/** Takes it off the queue. */
function nextGroup<Item, Result> (queue: Array<Waiting<Item, Result>>, { items: maxItems, characters: maxCharacters }: Required<GroupBounds>): Array<Waiting<Item, Result>> {
  let [count, items, characters] = [0, 0, 0]
  for (const next of queue) {
    items += next.items.length
    characters += next.characters
    if (count > 0 && (items > maxItems || characters > maxCharacters)) break
    count++
  }
  return queue.splice(0, count)
}
