/**
 * Finds products by words, by the target they fit, by the store that has them, and by filters (decisions.md, "Assistant behaviour"): published ones, for customers,
 * or else others, for the vendor. Over the index of their search keys (domain/search-keys); where there is
 * no key for what is asked for, over that of products-in-order.
 *
 * Without words, products come in order of external id: those linked to the target first, then those that fit everything.
 * With words, best first, of a bounded number of products: word-search.ts.
 *
 * No index knows which store has what: nearly always that says little (docs/adr/0011-stock-at-many-stores.md). A store without stock would have a page look through
 * the whole catalog, so a page looks at so many products, and where it has not come to the end of them it says that there are more, from there on.
 */
import { maxBrandKeys, targetKey, visibilityKey, wordKey } from '../../domain/search-keys.js'
import { countFacets, type SearchFacets } from '../../domain/search/facets.js'
import type { QueryWord } from '../../domain/search/query-words.js'
import type { Vocabulary } from '../../domain/search/vocabulary.js'
import { wordsOf } from '../../domain/words.js'
import { visibilityOf, type Product } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import type { FoundAmong, Looks } from '../database/find-among.js'
import { findByIds } from '../database/find-by-ids.js'
import { fromDocument, type ProductDocument } from '../catalog/product-document.js'
import { inStockAt } from '../catalog/stock-filters.js'
import { noFilters, wantedBy, type ProductFilters } from '../catalog/product-filters.js'
import { besides, type Among } from './products-among.js'
import { countInRange, countLooked, lookInOrder, type SoughtRange } from '../catalog/products-in-order.js'
import type { SearchVocabularies } from './search-vocabularies.js'
import { searchByWords, type Answer, type WordQuery } from './word-search.js'

export interface ProductSearchQuery {
  /** Empty: no text. */
  words: QueryWord[]
  /** The last word is being typed. */
  isBegun: boolean
  /** Only products that are compatible with it. */
  fitmentTargetId: string | null
  /** Only products in stock there. */
  storeLocationId: string | null
  filters: ProductFilters
}

/** Where a page ended. */
export interface SearchCursor { rank: number, externalId: string }

export interface SearchPage {
  nodes: Product[]
  hasNextPage: boolean
  /** Of the last node, or how far was looked. */
  end: SearchCursor | null
  /** As many as all pages hold. */
  totalCount: () => Promise<number>
  /** Of the result with words, of the first products without. */
  facets: () => Promise<SearchFacets>
}

export interface ProductSearch {
  search (vendorId: string, query: ProductSearchQuery, page: { first: number, after: SearchCursor | null }): Promise<SearchPage>
}

const productsPerFacets = 250
/** Products with all levels of thousands of stores: a command takes some 70 ms then, a page that finds nothing half a second. */
const looksForStore: Looks = { atOnce: 500, inAll: 5_000 }
const countedForStore = 20_000
/** For each word, of the products that have it, for what the filters want: a third of a second of a server's work, where hardly any is wanted. */
const looksForWord = 50_000

interface Found { _id: string, rank: number, externalId: string }
/** `reached`: no more than up to there has been looked at; null: there are no more, or the page is full. */
interface FoundInOrder { found: Found[], reached: SearchCursor | null }
type Head = Pick<ProductDocument, '_id' | 'externalId' | 'brandName' | 'tags'>

export function createProductSearch (
  { products }: Pick<Collections, 'products'>, vocabularies: Pick<SearchVocabularies, 'trusted' | 'find' | 'newest'>, looks: Partial<Looks> = {}, lookedAtForWord = looksForWord
): ProductSearch {
  function rangeOf (list: Among): SoughtRange {
    const { vendorId, archived, targeted, wanted, keys: [key, ...others] } = list
    return key === undefined ? { vendorId, archived, targeted, where: wanted } : { vendorId, archived, targeted: null, key, where: besides(others, list) }
  }

  /** What is linked to the target, then what fits everything: two lists without a product in common. */
  function listsOf (vendorId: string, { words, fitmentTargetId, storeLocationId, filters }: ProductSearchQuery): Among[] {
    const isOfStore = storeLocationId !== null
    const ofVisibility = visibilityKey(filters.visibility)
    const keys = [...(ofVisibility === null ? [] : [ofVisibility]), ...(filters.brand === null ? [] : wordsOf(filters.brand, maxBrandKeys).map(wordKey))]
    const of = { vendorId, archived: filters.visibility === 'ARCHIVED', wanted: { ...wantedBy(filters), ...(isOfStore ? inStockAt(storeLocationId) : {}) }, looks: { ...(isOfStore ? looksForStore : words.length > 0 ? { inAll: lookedAtForWord } : {}), ...looks } }
    const isPlain = !isOfStore && keys.length === 0 && Object.entries(filters).every(([name, value]) => value === noFilters[name as keyof ProductFilters])
    if (fitmentTargetId === null) return [{ ...of, keys, targeted: null, isLinked: false, isPlain }]
    return [
      { ...of, keys: [targetKey(fitmentTargetId), ...keys], targeted: null, isLinked: true, isPlain: false },
      { ...of, keys, targeted: false, isLinked: false, isPlain: false }
    ]
  }

  /** Of a word that is not known, products may have been written since: whether so is looked at meanwhile, and if so, it is searched once more. */
  async function byWords (vendorId: string, query: WordQuery, lists: Among[]): Promise<Answer[]> {
    const search = async (vocabulary: Vocabulary): Promise<Answer[]> => await searchByWords({ products }, query, lists, vocabulary)
    const trusted = vocabularies.trusted(vendorId)
    if (trusted === null || knowsAll(trusted, query.words)) return await search(trusted ?? await vocabularies.find(vendorId))
    const [answers, newest] = await Promise.all([search(trusted), vocabularies.newest(vendorId)])
    return newest === trusted ? answers : await search(newest)
  }

  async function inOrder (lists: Among[], first: number, cursor: SearchCursor | null): Promise<FoundInOrder> {
    const found: Found[] = []
    for (const [index, list] of lists.entries()) {
      const rank = lists.length - 1 - index
      if (cursor !== null && rank > cursor.rank) continue
      const limit = first + 1 - found.length
      const page = await pageOf(list, { after: cursor?.rank === rank ? cursor.externalId : null, limit }, { externalId: 1 })
      found.push(...page.found.map(({ _id, externalId }) => ({ _id, rank, externalId })))
      if (page.found.length === limit) break
      if (page.reached !== null) return { found, reached: { rank, externalId: page.reached } }
    }
    return { found, reached: null }
  }

  const pageOf = async (list: Among, page: { after: string | null, limit: number }, projection: Partial<Record<keyof Head, 1>>): Promise<FoundAmong<Head>> =>
    await lookInOrder<Head>({ products }, rangeOf(list), { ...page, projection }, list.looks)

  const countOf = async (list: Among): Promise<number> => list.looks.inAll === undefined
    ? await countInRange({ products }, rangeOf(list))
    : await countLooked({ products }, rangeOf(list), { ...list.looks, inAll: countedForStore })

  async function firstOf (lists: Among[]): Promise<Head[]> {
    const heads: Head[] = []
    for (const list of lists) {
      const limit = productsPerFacets - heads.length
      if (limit > 0) heads.push(...(await pageOf(list, { after: null, limit }, { externalId: 1, brandName: 1, tags: 1 })).found)
    }
    return heads
  }

  async function read (page: Found[], { visibility }: ProductFilters): Promise<Product[]> {
    const found = new Map((await findByIds(products, page.map(({ _id }) => _id))).map((document) => [document._id, fromDocument(document)]))
    const now = new Date()
    // One that was archived since the search must not be shown.
    return page.map(({ _id }) => found.get(_id)).filter((product) => product !== undefined).filter((product) => visibilityOf(product, now) === visibility)
  }

  return {
    async search (vendorId, query, { first, after }) {
      const lists = listsOf(vendorId, query)
      const all = query.words.length === 0
        ? null
        : (await byWords(vendorId, { ...query, first }, lists)).sort(byRank)
      const { found, reached } = all === null
        ? await inOrder(lists, first, after)
        : { found: all.filter((each) => after === null || byRank(each, after) > 0).slice(0, first + 1), reached: null }
      const page = found.slice(0, first)
      const last = page.at(-1)
      return {
        nodes: await read(page, query.filters),
        hasNextPage: found.length > first || reached !== null,
        end: found.length <= first && reached !== null ? reached : last === undefined ? null : { rank: last.rank, externalId: last.externalId },
        totalCount: async () => {
          if (all !== null) return all.length
          const counts = await Promise.all(lists.map(async (list) => await countOf(list)))
          return counts.reduce((sum, count) => sum + count, 0)
        },
        facets: async () => countFacets(all ?? await firstOf(lists))
      }
    }
  }
}

const knowsAll = (vocabulary: Vocabulary, words: QueryWord[]): boolean =>
  words.every(({ typed, key }) => vocabulary.countOf(key) > 0 || vocabulary.countOf(typed) > 0)

const byRank = (a: SearchCursor, b: SearchCursor): number =>
  b.rank - a.rank || (a.externalId < b.externalId ? -1 : a.externalId > b.externalId ? 1 : 0)
