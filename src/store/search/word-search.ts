/**
 * The products that answer a text, best first (domain/search/rank). The servers that this runs on may look at all that a command matches, whatever its limit, so what is
 * matched is bounded: the rarest word is asked for first, since what has all words has that one, and of a word that more products have than may be looked at, those up
 * to an external id (domain/search/look-ups). However large a catalog, that is some hundred products.
 *
 * A word that no product has weighs against those that have the others: where none has all words, what has the smaller part of the query is no answer.
 */
import { setImmediate as giveWay } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import { lookUpsInTurns, type LookUp, type WordLookUps } from '../../domain/search/look-ups.js'
import type { QueryWord } from '../../domain/search/query-words.js'
import { mayBeDescribed, placesOf, rankOf, weigh, type Rank, type RankedProduct, type WeighedWord } from '../../domain/search/rank.js'
import type { Vocabulary } from '../../domain/search/vocabulary.js'
import { reachStep } from '../../domain/search/word-counts.js'
import { readQuery, type WordForm } from '../../domain/search/word-forms.js'
import { visibilityKey, wordIn, wordKey } from '../../domain/search-keys.js'
import type { Collections } from '../database/connection.js'
import type { CountedRange } from '../database/counted.js'
import { findAmong, type FoundAmong } from '../database/find-among.js'
import { findInRanges } from '../database/find-in-ranges.js'
import { beginningOfDescription, type ProductDocument } from '../catalog/product-document.js'
import type { ProductFilters } from '../catalog/product-filters.js'
import { withKey } from '../catalog/products-in-order.js'
import { ownRound } from '../reads/own-round.js'
import { besides, type Among } from './products-among.js'

export type Answer = Pick<ProductDocument, '_id' | 'externalId' | 'brandName' | 'tags'> & { rank: number }

/** Looked at for each product of a page: who asks for more of them, waits for more. The same for each page, or their order would not be. */
const lookedAtPerProduct = 2 * reachStep / 20
/** Products of a page: of a shorter one, as of this one. */
const shortestPage = 20
/** Of a text, for each list of products: each is a command. Words share them, and what one leaves is for the others; of eight, each has its own key and another. */
const lookUpsPerText = 16
/** Whose descriptions are read for what is missing; of those that have a word there alone, twice as many. */
const described = 20

/** Some milliseconds. */
const rankedAtOnce = 100

type Candidate = Pick<ProductDocument, '_id' | 'externalId' | 'name' | 'brandName' | 'categories' | 'tags' | 'publishedAt' | 'soldOut'>
/** What its words are made of, which decodes in half the time of its keys: of those a product may have thousands. */
const candidateFields = { externalId: 1, name: 1, brandName: 1, categories: 1, tags: 1, publishedAt: 1, soldOut: 1 } as const

export interface WordQuery { words: QueryWord[], isBegun: boolean, filters: Pick<ProductFilters, 'visibility'>, first: number }

interface Ranked { candidate: Candidate, rank: Rank }

export async function searchByWords (
  { products }: Pick<Collections, 'products'>, { words, isBegun, filters, first }: WordQuery, among: Among[], vocabulary: Vocabulary
): Promise<Answer[]> {
  /** So many that have all words; what has some comes after them. */
  const enough = Math.max(first, shortestPage)
  const lookedAtPerText = Math.ceil(enough * lookedAtPerProduct)
  const most = { enough, perText: lookedAtPerText, perWord: Math.ceil(lookedAtPerText / 2), inAll: lookedAtPerText * 2, lookUps: lookUpsPerText }
  const weighed = weigh(vocabulary, await readInTurns(vocabulary, words, isBegun))
  const found = new Map<string, Ranked>()

  async function add (candidates: Candidate[], { vendorId, isLinked }: Among): Promise<void> {
    for (const [index, candidate] of candidates.entries()) {
      if (index % rankedAtOnce === rankedAtOnce - 1) await ownRound(vendorId)
      // It was found by another of its words.
      if (found.has(candidate._id)) continue
      const rank = rankOf(toRanked(candidate, isLinked), weighed)
      if (rank.value > 0) found.set(candidate._id, { candidate, rank })
    }
  }

  /** By a key, what else has to hold. */
  async function sift (key: string, wanted: Filter<ProductDocument>, limit: number, of: Among, after: string | null = null, looks = of.looks): Promise<FoundAmong<Candidate>> {
    const sought = { along: 'externalId' as const, indexed: (externalIds: CountedRange) => withKey(of, key, externalIds), wanted }
    return await findAmong<ProductDocument, Candidate>(products, sought, { after, limit, projection: candidateFields }, looks)
  }

  /**
   * All with a key, up to where as many are expected as may be looked at. Nearly all products are published, so that is seen to here: a plain find is the quicker. Where half
   * of them are not, or are gone since they were counted, it goes on behind them.
   */
  async function take (key: string, reach: LookUp['reach'], limit: number, of: Among): Promise<Candidate[]> {
    const find = async (externalIds: CountedRange, most: number): Promise<Candidate[]> =>
      await products.find<Candidate>(withKey(of, key, externalIds), { projection: candidateFields, sort: { externalId: 1 }, limit: most, batchSize: most + 1 }).toArray()
    const publishedOf = async (taken: Candidate[], expected: number, end: string | undefined): Promise<Candidate[]> => {
      const now = new Date()
      const published = taken.filter(({ publishedAt }) => publishedAt !== undefined && publishedAt !== null && publishedAt <= now)
      return 2 * published.length >= expected ? published : [...published, ...(await sift(key, of.wanted, limit - published.length, of, end)).found]
    }
    // As many again where some have been written since they were counted.
    if (typeof reach?.upTo === 'string') return await publishedOf(await find({ $lte: reach.upTo }, 2 * limit), reach.products, reach.upTo)
    const taken = reach === null ? await beginning(key, find, limit, of) : await find(null, limit)
    return await publishedOf(taken, taken.length === limit ? limit : 0, taken.at(-1)?.externalId)
  }

  /** The first with a key of which it is not known how far to look. As many are read whatever the other words are: how far they reach is remembered for those, too. */
  async function beginning (key: string, read: (externalIds: CountedRange, most: number) => Promise<Candidate[]>, limit: number, of: Among): Promise<Candidate[]> {
    const beginning = limit > most.perWord ? most.perText : most.perWord
    const list = JSON.stringify([beginning, withKey(of, key, null)])
    return await findInRanges<Candidate>(products, { list, along: 'externalId', read, beginning }, { after: null, limit })
  }

  /** A command for each key, side by side: for several in one, the embedded servers look at all that any vendor has by these keys. */
  async function lookFor ({ lookUps, most }: WordLookUps, of: Among): Promise<Candidate[]> {
    const wanted = besides(of.keys, of)
    const taken = await Promise.all(lookUps.map(async ({ key, reach }) => of.isPlain ? await take(wordKey(key), reach, most, of) : (await sift(wordKey(key), wanted, most, of)).found))
    return taken.flat()
  }

  /** Nothing has all words yet, or too little has and not as much has been looked at as may be. */
  const goesOn = (before: number): boolean => {
    const have = countFull(found)
    return have < enough && (before < lookedAtPerText || have === 0)
  }

  /** By what narrows the search down more than its words. Whether that is all that it finds. */
  async function lookAlong (of: Among, [narrow = '', ...others]: string[], looks = of.looks): Promise<boolean> {
    const any = new Set(weighed.flatMap(({ forms }) => forms.flatMap(({ keys }) => keys)))
    const { found, reached } = await sift(narrow, { $and: [{ 'searchKeys.key': { $in: [...any].map(wordKey) } }, besides(others, of)] }, lookedAtPerText, of, null, looks)
    await add(found, of)
    return reached === null
  }

  /** Of what shoppers do not see yet there usually is so little that it is looked through sooner than a word of all products. */
  const areFew = async (of: Among): Promise<boolean> =>
    of.keys[0] === visibilityKey(filters.visibility) && await lookAlong(of, of.keys, { atOnce: most.inAll, inAll: most.inAll })

  const rarestFirst = [...weighed].sort((a, b) => productsOf(a) - productsOf(b))
  for (const of of among) {
    const [narrow] = of.keys
    if (narrow !== undefined && isNarrow(narrow, vocabulary, productsOf(rarestFirst[0]))) {
      await lookAlong(of, of.keys)
      continue
    }
    if (await areFew(of)) continue
    let lookedAt = 0
    for (const turn of lookUpsInTurns(vocabulary, rarestFirst, most)) {
      if (!goesOn(Math.max(lookedAt, turn[0]?.before ?? 0))) break
      const taken = await Promise.all(turn.map(async (word) => await lookFor(word, of)))
      // What would not have been looked for is left out: what is found does not depend on what was asked for too early.
      for (const [at, { before }] of turn.entries()) {
        if (!goesOn(Math.max(lookedAt, before))) break
        await add(taken[at] ?? [], of)
        lookedAt += taken[at]?.length ?? 0
      }
    }
  }
  if (countFull(found) < enough) await describe()
  const isAnswer = countFull(found) > 0 ? () => true : ({ rank }: Ranked) => rank.hasMost
  return [...found.values()].filter(isAnswer)
    .map(({ candidate: { _id, externalId, brandName, tags }, rank }) => ({ _id, externalId, brandName, tags, rank: rank.value }))

  /**
   * By what descriptions say, of which no key is made: those of the best that lack a word, and of some that have one there alone. Where the vocabulary knows all that have
   * the words there, which is nearly always, no others are read.
   */
  async function describe (): Promise<void> {
    const told = weighed.filter((word) => mayBeDescribed(word, weighed)).map(({ key }) => vocabulary.describedBy(key, filters.visibility))
    const mayHave = (id: string): boolean => told.some(({ ids, areAll }) => !areAll || ids.includes(id))
    const best = words.length === 1 ? [] : [...found.values()].filter(({ candidate, rank }) => !rank.hasAll && mayHave(candidate._id)).sort((a, b) => b.rank.value - a.rank.value).slice(0, described)
    const others = told.flatMap(({ ids }) => ids).filter((id) => !found.has(id)).slice(0, 2 * described)
    const ids = [...new Set([...best.map(({ candidate }) => candidate._id), ...others])]
    if (ids.length === 0) return
    const isForTarget = among.some(({ isLinked }) => isLinked)
    const read = await products.aggregate<Candidate & Pick<ProductDocument, 'targeted'> & { description: string }>([
      { $match: { _id: { $in: ids } } },
      { $match: { $or: among.map((of) => ({ vendorId: of.vendorId, archived: of.archived, ...besides(of.keys, of) })) } },
      { $project: { ...candidateFields, targeted: 1, description: beginningOfDescription } }
    ], { batchSize: ids.length + 1 }).toArray()
    for (const candidate of read) {
      const ranked = { ...toRanked(candidate, isForTarget && candidate.targeted), description: candidate.description }
      const rank = rankOf(ranked, weighed)
      if (rank.value > 0) found.set(candidate._id, { candidate, rank })
    }
  }
}

/** What words mean is worked out in memory, some milliseconds each. */
async function readInTurns (vocabulary: Vocabulary, words: QueryWord[], isBegun: boolean): Promise<Array<QueryWord & { forms: WordForm[] }>> {
  const read: Array<QueryWord & { forms: WordForm[] }> = []
  for (const word of readQuery(vocabulary, words, isBegun)) {
    read.push(word)
    await giveWay()
  }
  return read
}

/** Of a word as it is typed; slips and beginnings do not make it commoner. */
const productsOf = (word: WeighedWord | undefined): number => word?.forms[0]?.count ?? 0

/** A target's products are few; a word's are known. */
function isNarrow (key: string, vocabulary: Vocabulary, products: number): boolean {
  if (key.startsWith('t:')) return true
  const word = wordIn(key)
  return word !== null && vocabulary.countOf(word) < products
}

function countFull (found: Map<string, Ranked>): number {
  let count = 0
  for (const { rank } of found.values()) if (rank.hasAll) count++
  return count
}

const toRanked = ({ name, brandName, categories = [], tags = [], soldOut }: Candidate, isLinked: boolean): RankedProduct =>
  ({ places: placesOf({ name, brandName, categories, tags }), description: null, isLinked, isInStock: soldOut !== true })
