/**
 * Finds products for customers: published ones only, by words, by the target they fit and by the store that has them
 * (decisions.md, "Assistant behaviour"). Over the index of their search keys (domain/search-keys); where nothing but the target is asked for,
 * what fits everything is read from products-in-order.
 *
 * Without words, products come in order of external id: those linked to the target first, then those that fit everything.
 * With words, they are ranked by how many of them they have, then by how many stand in the name. Of each word, and of all together, up to
 * `candidatesPerQuery` products are considered: beyond that a word is too common to rank by.
 */
import pLimit from 'p-limit'
import type { Filter } from 'mongodb'
import type { Product } from '../domain/product.js'
import { maxWordKeys, stockKey, targetKey, wordKey } from '../domain/search-keys.js'
import { wordsOf } from '../domain/words.js'
import type { Collections } from './connection.js'
import { countInPages, type CountedRange } from './count-in-pages.js'
import { findAmong, type Sought } from './find-among.js'
import { findByIds } from './find-by-ids.js'
import { fromDocument, type ProductDocument } from './product-document.js'
import { countInRange, findInOrder, type ProductRange } from './products-in-order.js'

export interface ProductSearchQuery {
  /** As domain/words gives them; empty: no text. */
  words: string[]
  /** Only products that are compatible with it. */
  fitmentTargetId: string | null
  /** Only products in stock there. */
  storeLocationId: string | null
}

/** Where a page ended. */
export interface SearchCursor { rank: number, externalId: string }

export interface SearchPage {
  nodes: Product[]
  hasNextPage: boolean
  /** Of the last node. */
  end: SearchCursor | null
  /** As many as all pages hold. */
  totalCount: () => Promise<number>
}

export interface ProductSearch {
  search (vendorId: string, query: ProductSearchQuery, page: { first: number, after: SearchCursor | null }): Promise<SearchPage>
}

const candidatesPerQuery = 1_000
const queriesAtOnce = 4
/** More than a name holds words. */
const rankPerWord = 1_024

/** Products that are looked for together: those with all of the keys; false: those alone that are linked to no target, null: whichever. */
interface List { keys: string[], targeted: false | null }
interface Found { _id: string, rank: number, externalId: string }
type Candidate = Pick<ProductDocument, '_id' | 'externalId' | 'name' | 'searchKeys'>
/** Its words alone, which its keys begin with: a product may be linked to thousands of targets. */
const candidateFields = { externalId: 1, name: 1, searchKeys: { $slice: ['$searchKeys', maxWordKeys] } } as const

export function createProductSearch ({ products }: Pick<Collections, 'products'>, lookedAt?: number): ProductSearch {
  const published = (): Filter<ProductDocument> => ({ publishedAt: { $lte: new Date() } })

  /**
   * What the index knows is put apart in an $or of one: beside the range of dates, secantusd-rs would scan all of the vendor's products.
   * Not $all, which the embedded servers find nothing with when it names two keys.
   */
  const withKeys = (vendorId: string, list: List, externalIds: CountedRange = null): Filter<ProductDocument> =>
    ({ $or: [withKey(vendorId, list.keys[0] ?? '', externalIds)], ...besidesKey(list) })

  const besidesKey = ({ keys: [, ...others], targeted }: List): Filter<ProductDocument> => ({
    ...(others.length === 0 ? {} : { $and: others.map((key) => ({ 'searchKeys.key': key })) }),
    ...(targeted === null ? {} : { targeted }),
    ...published()
  })

  const withKey = (vendorId: string, key: string, externalIds: CountedRange): Filter<ProductDocument> =>
    ({ 'searchKeys.key': key, vendorId, archived: false, ...(externalIds === null ? {} : { externalId: externalIds }) })

  const withoutKeys = (vendorId: string, { targeted }: List): ProductRange => ({ vendorId, archived: false, targeted, where: published() })

  /** What is linked to the target, then what fits everything: two lists without a product in common. */
  function listsOf ({ fitmentTargetId, storeLocationId }: ProductSearchQuery): List[] {
    const stock = storeLocationId === null ? [] : [stockKey(storeLocationId)]
    if (fitmentTargetId === null) return [{ keys: stock, targeted: null }]
    return [{ keys: [targetKey(fitmentTargetId), ...stock], targeted: null }, { keys: stock, targeted: false }]
  }

  async function inOrder (vendorId: string, lists: List[], first: number, cursor: SearchCursor | null): Promise<Found[]> {
    const found: Found[] = []
    for (const [index, list] of lists.entries()) {
      const rank = lists.length - 1 - index
      if (found.length > first || (cursor !== null && rank > cursor.rank)) continue
      const page = await pageOf(vendorId, list, { after: cursor?.rank === rank ? cursor.externalId : null, limit: first + 1 - found.length })
      found.push(...page.map(({ _id, externalId }) => ({ _id, rank, externalId })))
    }
    return found
  }

  async function pageOf (vendorId: string, list: List, { after, limit }: { after: string | null, limit: number }): Promise<Array<Pick<Candidate, '_id' | 'externalId'>>> {
    const projection = { externalId: 1 }
    return list.keys.length === 0
      ? await findInOrder({ products }, withoutKeys(vendorId, list), { after, limit, projection })
      : await findAmong<ProductDocument, Candidate>(products, withKeysAlong(vendorId, list), { after, limit, projection })
  }

  const withKeysAlong = (vendorId: string, list: List): Sought<ProductDocument> =>
    ({ along: 'externalId', indexed: (externalIds) => withKey(vendorId, list.keys[0] ?? '', externalIds), wanted: besidesKey(list) })

  const countOf = async (vendorId: string, list: List): Promise<number> => list.keys.length === 0
    ? await countInRange({ products }, withoutKeys(vendorId, list))
    : await countInPages(products, {
      along: 'externalId',
      indexed: (externalIds) => withKey(vendorId, list.keys[0] ?? '', externalIds),
      count: async (externalIds) => await products.countDocuments(withKeys(vendorId, list, externalIds))
    })

  async function ranked (vendorId: string, words: string[], lists: List[]): Promise<Found[]> {
    const limit = pLimit(queriesAtOnce)
    const wanted = words.map(wordKey)
    // Documents with all words are looked up by themselves, because of each word alone not all may be considered.
    const together = wanted.length > 1 ? [wanted, ...wanted.map((key) => [key])] : [wanted]
    const found = new Map<string, Found>()
    const queries = lists.flatMap(({ keys, targeted }, index) => together.map(async (ofWords) => await limit(async () => {
      const sought = withKeysAlong(vendorId, { keys: [...keys, ...ofWords], targeted })
      // Of two lists, the first is what is made for the target.
      const isLinked = index < lists.length - 1
      for (const product of await findAmong<ProductDocument, Candidate>(products, sought, { after: null, limit: candidatesPerQuery, projection: candidateFields }, lookedAt)) {
        found.set(product._id, { _id: product._id, externalId: product.externalId, rank: rankOf(product, words, isLinked) })
      }
    })))
    await Promise.all(queries)
    return [...found.values()].sort(byRank)
  }

  async function read (page: Found[]): Promise<Product[]> {
    const found = new Map((await findByIds(products, page.map(({ _id }) => _id))).map((document) => [document._id, fromDocument(document)]))
    // One that was archived since the search must not be shown.
    return page.map(({ _id }) => found.get(_id)).filter((product) => product !== undefined)
      .filter(({ archived, publishedAt }) => !archived && publishedAt !== null && publishedAt <= new Date())
  }

  return {
    async search (vendorId, query, { first, after }) {
      const lists = listsOf(query)
      const all = query.words.length === 0 ? null : await ranked(vendorId, query.words, lists)
      const found = all === null
        ? await inOrder(vendorId, lists, first, after)
        : all.filter((each) => after === null || byRank(each, after) > 0).slice(0, first + 1)
      const page = found.slice(0, first)
      const last = page.at(-1)
      return {
        nodes: await read(page),
        hasNextPage: found.length > first,
        end: last === undefined ? null : { rank: last.rank, externalId: last.externalId },
        totalCount: async () => {
          if (all !== null) return all.length
          const counts = await Promise.all(lists.map(async (list) => await countOf(vendorId, list)))
          return counts.reduce((sum, count) => sum + count, 0)
        }
      }
    }
  }
}

const byRank = (a: SearchCursor, b: SearchCursor): number =>
  b.rank - a.rank || (a.externalId < b.externalId ? -1 : a.externalId > b.externalId ? 1 : 0)

/** Words that it has, then words in its name, then whether it is made for the target. */
function rankOf ({ name, searchKeys }: Candidate, words: string[], isLinked: boolean): number {
  const keys = new Set(searchKeys?.map(({ key }) => key))
  const inName = new Set(wordsOf(name, rankPerWord))
  const has = words.filter((word) => keys.has(wordKey(word))).length
  const named = words.filter((word) => inName.has(word)).length
  return (has * rankPerWord + named) * 2 + (isLinked ? 1 : 0)
}
