/**
 * The first documents of a list in the order of a text, on any server. One that stops at a limit (server-profile) is asked once. One that does not
 * looks at all that a filter matches; so it is asked for ranges of the texts, each about as long as a page needs, until the page is full:
 *
 *   the list's beginning ─▶ up to the text at which the page ended that was read there last; when nothing is known of it, out of all of the list a short
 *                           piece, from which what is learned stays even if the rest of a long page is refused for what it weighs
 *   behind a text        ─▶ up to the end of the texts that begin like it (its neighbourhood), and of those next to them
 *
 * How many characters make a neighbourhood is learned from the texts of each page: those that as many begin with as are half a short page. A range in which there is
 * too little is followed by a wider one, of a character less; one that was too wide is not seen to be, but what comes back from it is what the next
 * is learned from. What is remembered is a hint: whatever has come or gone since, the page is right, and may cost more, once.
 */
import type { Document } from 'mongodb'
import type { CountedRange } from './counted.js'
import { createListMemory } from './list-memory.js'
import { serverOf } from './server-of.js'

export interface RangePage {
  /** The text that the last page ended with. */
  after: string | null
  limit: number
}

export interface ReadInRanges<T> {
  /** Of one collection, and of those that read it: which list it is. */
  list: string
  along: keyof T & string
  /** In order, `limit` at most. null: all of the list. */
  read (range: CountedRange, limit: number): Promise<T[]>
  /** Others read the same list and take less of it: what this one reads says nothing of where its pages end. */
  isSifted?: boolean
  /** Of a list of which beginnings of several lengths are asked for: as many are read whatever the limit is, where a server does not stop at it, and it is remembered where they end. */
  beginning?: number
}

interface Learned {
  /** The list's beginning: up to there, a page. null, as below: not known. */
  upTo: string | null
  /** Characters that the texts of a neighbourhood have in common. */
  common: number | null
  /** The list's end. */
  last: string | null
  /** Of a list that was read as a whole: how many there are. */
  size: number | null
}

/** Some 200 bytes each. */
const maxLists = 10_000
/** What is learned from: half of it is a neighbourhood. */
const shortPage = 10
/** The beginning that is remembered, however long a page was: who asks for less does not look at more. */
const defaultBeginning = 50
/** So short a list is read as a whole. */
const shortList = 200

const memoryOf = createListMemory<Learned>(maxLists)

export async function findInRanges<T extends Document> (
  collection: object, { list, along, read, isSifted = false, beginning }: ReadInRanges<T>, { after, limit: wanted }: RangePage
): Promise<T[]> {
  const { stopsAtLimit } = await serverOf(collection).profile()
  if (stopsAtLimit) return await read(after === null ? null : { $gt: after }, wanted)
  const limit = Math.max(wanted, beginning ?? 0)
  const remembered = beginning ?? defaultBeginning
  const memory = memoryOf(collection)
  let known: Learned = memory.get(list) ?? { upTo: null, common: null, last: null, size: null }
  const found: T[] = []
  let isOver = false

  /** Gives how many there were. */
  async function readOn (range: CountedRange, isTheRest: boolean, most = limit - found.length): Promise<number> {
    const part = await read(range, most)
    found.push(...part)
    isOver = isTheRest && part.length < most
    return part.length
  }

  /** From a text on, neighbourhood by neighbourhood. */
  async function readBehind (behind: string): Promise<void> {
    let common = known.common ?? lengthOf(behind) - 1
    // Where nothing is known of a neighbourhood, it is looked for in steps that double.
    let step = 1
    for (let text = behind, isFirst = true; found.length < limit && !isOver; isFirst = false) {
      const end = known.last !== null && text >= known.last ? null : endOfNeighbourhood(text, common)
      const count = await readOn({ [isFirst ? '$gt' : '$gte']: text, ...(end === null ? {} : { $lt: end }) }, end === null)
      if (end === null) return
      text = end
      // Never so far that a few characters become none, which would be all of the list.
      if (limit - found.length > 2 * count) common = Math.max(common - step, Math.floor(common / 2))
      if (count === 0 && known.common === null) step *= 2
    }
  }

  if (after !== null) await readBehind(after)
  else if (known.size !== null && known.size <= shortList) await readOn(null, true)
  else if (known.upTo === null) {
    await readOn(null, true, Math.min(limit, remembered))
    if (!isOver && found.length < limit) {
      known = remember()
      await readBehind(found.at(-1)?.[along] ?? '')
    }
  } else {
    // With what is equal: secantusd-rs loses that of a `$lte` where the index has a further field.
    await readOn({ $lt: `${known.upTo}\0` }, false)
    await readBehind(known.upTo)
  }
  if (found.length > 0) remember()
  return found.slice(0, wanted)

  function remember (): Learned {
    const learned = learn(found.map((document) => document[along]))
    memory.set(list, learned)
    return learned
  }

  function learn (texts: string[]): Learned {
    const last = texts.at(-1) ?? ''
    const begun = texts[Math.min(texts.length, remembered) - 1] ?? ''
    const isBeginning = after === null && !(isSifted && known.upTo !== null && known.upTo < begun)
    const isBehindEnd = known.last !== null && last >= known.last
    return {
      upTo: isBeginning ? begun : known.upTo,
      common: texts.length < 3 ? known.common ?? lengthOf(last) - 1 : commonOf(texts.slice(0, shortPage)),
      last: isOver && !isSifted ? last : isBehindEnd ? null : known.last,
      size: after !== null || isSifted ? known.size : isOver ? texts.length : null
    }
  }
}

/** Of as many, half: a page that stands where a number has another digit has little in common as a whole. */
function commonOf (texts: string[]): number {
  const [first = '', middle = '', last = ''] = [texts[0], texts[texts.length >> 1], texts.at(-1)]
  return Math.max(commonLength(first, middle), commonLength(middle, last))
}

/** In characters as the server orders them. */
const lengthOf = (text: string): number => [...text].length

function commonLength (a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const length = left.findIndex((character, index) => character !== right[index])
  return length === -1 ? left.length : length
}

const lastCodePoint = 0x10ffff
const surrogates = { first: 0xd800, behind: 0xe000 }

/** The least text behind all that begin like this one, and behind those that begin with the next character; null: there is none. */
function endOfNeighbourhood (text: string, common: number): string | null {
  const characters = [...text].slice(0, Math.max(0, common))
  const isBoundary = lengthOf(text) <= common
  for (let rounds = isBoundary ? 1 : 2; rounds > 0; rounds--) {
    for (;;) {
      const last = characters.pop()?.codePointAt(0)
      if (last === undefined) return null
      if (last === lastCodePoint) continue
      const next = last + 1
      characters.push(String.fromCodePoint(next === surrogates.first ? surrogates.behind : next))
      break
    }
  }
  return characters.join('')
}
