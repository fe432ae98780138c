/**
 * Small upsertProducts of one vendor that come while another of its is being written are written together: e-commerce platforms send a product at a time, dozens at once, and what
 * a batch costs the database hardly depends on how many products are in it.
 *
 *   arrives ─▶ none of the vendor's is under way: begins at once, by itself
 *           └▶ one is: waits for its end ─▶ all that wait (up to the bounds) are one batch ─▶ each gets its own part of the answer
 *
 * There is no timer: who is alone waits for nobody. Requests of a vendor are applied in the order in which they came; other vendors have queues of their own. Large ones
 * go past all this as ever, so nobody waits for them.
 *
 * A batch that fails for a database that has not answered fails for all that are in it, as each would have by itself; some of it may have been applied. After any other failure its requests
 * are applied once more one by one, in order, so that one cannot take others with it. Applying a product's fields twice gives what applying them once does.
 */
import type { UpsertedProduct, UpsertProducts } from '../../domain/upsert-products.js'
import { hasNotAnswered } from '../database/database-errors.js'
import { asReader } from '../reads/reader.js'
import { charactersIn } from './product-size.js'

type Records = Parameters<UpsertProducts>[1]

export interface GroupBounds {
  /** Of a request that is small. */
  smallRecords: number
  smallCharacters: number
  /** Of a batch of several; beyond, the others are in the next. */
  records: number
  characters: number
}

/** A batch takes the event loop some ten milliseconds in all, and holds as much as so many requests side by side would. */
const defaultBounds: GroupBounds = { smallRecords: 20, smallCharacters: 64 * 1_024, records: 128, characters: 1_024 * 1_024 }

interface Waiting {
  records: Records
  characters: number
  resolve: (answer: UpsertedProduct[]) => void
  reject: (error: unknown) => void
}

export function groupUpserts (apply: UpsertProducts, bounds: GroupBounds = defaultBounds): UpsertProducts {
  /** By vendor, as long as one of its is under way. */
  const queues = new Map<string, Waiting[]>()

  async function work (vendorId: string, queue: Waiting[]): Promise<void> {
    for (let group = nextGroup(queue, bounds); group.length > 0; group = nextGroup(queue, bounds)) await applyGroup(vendorId, group)
    queues.delete(vendorId)
  }

  async function applyGroup (vendorId: string, group: Waiting[]): Promise<void> {
    try {
      const answers = await apply(vendorId, group.flatMap(({ records }) => records))
      let from = 0
      for (const { records, resolve } of group) resolve(answers.slice(from, from += records.length))
    } catch (error) {
      if (group.length === 1 || hasNotAnswered(error)) for (const { reject } of group) reject(error)
      else for (const each of group) await applyGroup(vendorId, [each])
    }
  }

  return async (vendorId, records) => {
    const characters = records.length > bounds.smallRecords ? Infinity : charactersIn(records)
    if (characters > bounds.smallCharacters) return await apply(vendorId, records)
    return await new Promise((resolve, reject) => {
      const waiting = { records, characters, resolve, reject }
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
function nextGroup (queue: Waiting[], { records: maxRecords, characters: maxCharacters }: GroupBounds): Waiting[] {
  let [count, records, characters] = [0, 0, 0]
  for (const next of queue) {
    records += next.records.length
    characters += next.characters
    if (count > 0 && (records > maxRecords || characters > maxCharacters)) break
    count++
  }
  return queue.splice(0, count)
}
