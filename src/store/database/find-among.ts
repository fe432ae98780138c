/**
 * The first documents in the order of an index of which more must hold than the index knows, such as that they are published. Of millions in a
 * row it may not hold, so a command looks at a bounded number of them, and the next one goes on behind those. A server that looks at all that
 * matches is asked for ranges instead (find-in-ranges).
 */
import type { Collection, Document, Filter } from 'mongodb'
import type { Counted, CountedRange } from './counted.js'
import { countThrough } from './count-through.js'
import { findInRanges } from './find-in-ranges.js'
import { serverOf } from './server-of.js'

export interface Sought<T extends Document> extends Pick<Counted<T>, 'along' | 'indexed'> {
  wanted: Filter<T>
}

export interface SoughtPage {
  /** The value of `along` that the last page ended with. */
  after: string | null
  limit: number
  /** With `along`; absent: all fields. */
  projection?: Document
}

/** How many documents are looked at. */
export interface Looks {
  /** By a command. */
  atOnce: number
  /** Until it ends without all that was sought. */
  inAll: number
}

/** For each one that a page has: usually half of them and more are wanted. */
const firstLooksFor = 2
const growth = 4
/** Of as many, one at least is wanted nearly always; some ten milliseconds where none is. */
const defaultLooks: Looks = { atOnce: 2_000, inAll: Infinity }

export interface FoundAmong<Found> {
  found: Found[]
  /** The value of `along` up to which all has been looked at; null: to the end. */
  reached: string | null
}

export async function findAmong<T extends Document, Found extends Document = T> (
  collection: Collection<T>, sought: Sought<T>, page: SoughtPage, looks: Partial<Looks> = {}
): Promise<FoundAmong<Found>> {
  const { along, wanted } = sought
  const { after, limit, projection } = page
  const { stopsAtLimit } = await serverOf(collection).profile()
  const projected = projection === undefined ? [] : [{ $project: projection }]
  // A range is as long as a page needs; where each document takes long to look at, the number of them counts.
  if (!stopsAtLimit && looks.atOnce === undefined) {
    const found = await findInRanges<Found>(collection, {
      list: listOf(sought),
      along,
      isSifted: true,
      read: async (range, most) => await collection.aggregate<Found>([
        { $match: sought.indexed(range) }, { $match: wanted }, { $sort: { [along]: 1 } }, { $limit: most }, ...projected
      ], { batchSize: most + 1 }).toArray()
    }, page)
    return { found, reached: found.length < limit ? null : endOf(found) }
  }
  const found: Found[] = []
  const reached = await lookAlong(collection, sought, after, looks, async (looked, atOnce) => {
    found.push(...await collection.aggregate<Found>([
      ...looked, { $match: wanted }, { $limit: limit - found.length }, ...projected
    ], { batchSize: Math.min(limit, atOnce) + 1 }).toArray())
    return found.length < limit
  }, firstLooksFor * limit)
  return { found, reached: found.length < limit ? reached : endOf(found) }

  function endOf (found: Found[]): string {
    return (found.at(-1) as Found)[along]
  }
}

/** As many as findAmong would find in all pages; of more than are looked at, those among them. */
export async function countAmong<T extends Document> (collection: Collection<T>, sought: Sought<T>, looks: Partial<Looks> = {}): Promise<number> {
  let total = 0
  await lookAlong(collection, sought, null, looks, async (looked) => {
    total += await countThrough(collection, [...looked, { $match: sought.wanted }])
    return true
  })
  return total
}

/**
 * `look` is given the beginning of a pipeline, and says whether to go on. Gives how far was looked; null: to the end, or as far as was wanted. `first`: what may be enough. A server that does
 * not stop at a limit is asked for no more at first, and for several times as many each time that it was not.
 */
async function lookAlong<T extends Document> (
  collection: Collection<T>, sought: Sought<T>, after: string | null, { atOnce: mostAtOnce = defaultLooks.atOnce, inAll = defaultLooks.inAll }: Partial<Looks>,
  look: (looked: Document[], atOnce: number) => Promise<boolean>, first = Infinity
): Promise<string | null> {
  const { along, indexed } = sought
  const { stopsAtLimit } = await serverOf(collection).profile()
  const sort = { [along]: 1 as const }
  const heads = { projection: { _id: 0, [along]: 1 }, sort }

  /** The text of the last of `atOnce`; null: there are fewer. */
  async function endBehind (text: string | null, atOnce: number): Promise<string | null> {
    if (stopsAtLimit) {
      const [last] = await collection.find<T>(indexed(behind(text)), { ...heads, skip: atOnce - 1, limit: 1 }).toArray()
      return last === undefined ? null : last[along]
    }
    const read = async (range: CountedRange, limit: number): Promise<T[]> => await collection.find<T>(indexed(range), { ...heads, limit }).toArray()
    const texts = await findInRanges<T>(collection, { list: listOf(sought), along, read }, { after: text, limit: atOnce })
    return (texts[atOnce - 1]?.[along] ?? null)
  }

  let text = after
  let atOnce = stopsAtLimit ? mostAtOnce : Math.min(mostAtOnce, first)
  for (let lookedAt = atOnce; ; lookedAt += atOnce) {
    // Who stops at a limit need not be told where the end is, and often ends there.
    const end = stopsAtLimit ? null : await endBehind(text, atOnce)
    if (!await look([{ $match: indexed(end === null ? behind(text) : { ...behind(text), $lt: `${end}\0` }) }, { $sort: sort }, { $limit: atOnce }], atOnce)) return null
    const last = stopsAtLimit ? await endBehind(text, atOnce) : end
    if (last === null) return null
    if (lookedAt >= inAll) return last
    text = last
    atOnce = Math.min(mostAtOnce, growth * atOnce)
  }
}

const behind = (text: string | null): CountedRange => text === null ? null : { $gt: text }

const listOf = <T extends Document>({ indexed }: Sought<T>): string => JSON.stringify(indexed(null))
