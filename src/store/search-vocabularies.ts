/**
 * Each vendor's vocabulary (domain/search/vocabulary), in `search_vocabularies`: one document, counted from the products themselves when it is searched by and
 * has become old. No import writes to it: what it costs is paid by who searches, and it can drift from the products no further than it is old.
 *
 *   none, or of a small catalog and old ─▶ counted at once, up to 2,000 products
 *   of a larger one, and old            ─▶ asked for; a worker counts it within seconds (jobs/upkeep), and until then the old one serves
 *
 * It is old after a hundred times what counting took, so that counting is a hundredth of the work at most. What has come since is found by its own words, and not
 * yet by slips and beginnings.
 */
import type { Filter } from 'mongodb'
import { createBoundedMap } from '../domain/bounded-map.js'
import { isLanguage } from '../domain/search/languages.js'
import { Vocabulary, type Reach, type VocabularyContent } from '../domain/search/vocabulary.js'
import { WordCounts } from '../domain/search/word-counts.js'
import { maxWordKeys, wordIn } from '../domain/search-keys.js'
import type { Collections } from './connection.js'
import { isDuplicateKey } from './database-errors.js'
import type { ProductDocument } from './product-document.js'
import { asReader } from './reads/reader.js'

/** The document in `search_vocabularies`. Lists as text: it is read whole, and text decodes faster. */
export interface SearchVocabularyDocument {
  /** The vendor's id. */
  _id: string
  countedAt: Date
  tookMs: number
  products: number
  /** false: there were more products than were looked at. */
  isComplete: boolean
  languages: string[]
  /** In order, one a line. */
  words: string
  counts: string
  reaches: Array<{ word: string, reaches: readonly Reach[] }>
  /** A search has found it old; absent: none has, since it was counted. */
  dueAt?: Date
}

export interface SearchVocabularies {
  find (vendorId: string): Promise<Vocabulary>
  /** Counts those that searches have found old. `signal` stops between pages. */
  countDue (signal: AbortSignal): Promise<void>
}

export interface SearchVocabulariesOptions {
  now?: () => number
  /** Products that a search waits for. */
  atOnce?: number
  /** Products that a worker looks at; of a larger catalog, those with the first external ids. */
  most?: number
}

const defaultAtOnce = 2_000
const defaultMost = 200_000
const pageSize = 1_000
/** How often one that is in memory is compared with the database's. */
const trustedMs = 1_000
const shareOfTime = 100
/** A large one of 50,000 words takes 6 MB. */
const maxInMemory = 10
const dueAtOnce = 20

type Head = Pick<SearchVocabularyDocument, '_id' | 'countedAt' | 'tookMs' | 'products' | 'isComplete' | 'dueAt'>
const headFields = { countedAt: 1, tookMs: 1, products: 1, isComplete: 1, dueAt: 1 } as const

interface Kept { vocabulary: Vocabulary, countedAt: number, comparedAt: number }

export function createSearchVocabularies (
  { products, searchVocabularies }: Pick<Collections, 'products' | 'searchVocabularies'>,
  { now = Date.now, atOnce = defaultAtOnce, most = defaultMost }: SearchVocabulariesOptions = {}
): SearchVocabularies {
  const inMemory = createBoundedMap<string, Kept>(maxInMemory)
  /** By vendor: searches that come together wait for the same. */
  const finding = new Map<string, Promise<Vocabulary>>()

  async function look (vendorId: string): Promise<Vocabulary> {
    const head = await searchVocabularies.findOne<Head>({ _id: vendorId }, { projection: headFields })
    if (head === null || (isOld(head) && head.isComplete && head.products <= atOnce)) return await countNow(vendorId)
    if (isOld(head) && head.dueAt === undefined) await searchVocabularies.updateOne({ _id: vendorId, dueAt: { $exists: false } }, { $set: { dueAt: new Date(now()) } })
    const kept = inMemory.get(vendorId)
    if (kept?.countedAt === head.countedAt.getTime()) return keep(vendorId, kept.vocabulary, kept.countedAt)
    const found = await searchVocabularies.findOne({ _id: vendorId })
    return found === null ? await countNow(vendorId) : keep(vendorId, new Vocabulary(contentOf(found)), found.countedAt.getTime())
  }

  const isOld = ({ countedAt, tookMs }: Head): boolean => now() - countedAt.getTime() > Math.max(trustedMs, shareOfTime * tookMs)

  async function countNow (vendorId: string): Promise<Vocabulary> {
    const document = await count(vendorId, atOnce)
    await write(document.isComplete ? document : { ...document, dueAt: new Date(now()) })
    return keep(vendorId, new Vocabulary(contentOf(document)), document.countedAt.getTime())
  }

  function keep (vendorId: string, vocabulary: Vocabulary, countedAt: number): Vocabulary {
    inMemory.set(vendorId, { vocabulary, countedAt, comparedAt: now() })
    return vocabulary
  }

  async function write (document: SearchVocabularyDocument): Promise<void> {
    try {
      await searchVocabularies.replaceOne({ _id: document._id }, document, { upsert: true })
    } catch (error) {
      // Another process has counted it in the same moment.
      if (!isDuplicateKey(error)) throw error
    }
  }

  async function count (vendorId: string, atMost: number, signal?: AbortSignal): Promise<SearchVocabularyDocument> {
    const startedAt = now()
    const counts = new WordCounts()
    let isComplete = true
    for await (const { externalId, searchKeys } of byExternalId(vendorId, signal)) {
      if (counts.products === atMost) {
        isComplete = false
        break
      }
      counts.add(externalId, wordsIn(searchKeys))
    }
    return documentOf(vendorId, counts.content(), { countedAt: new Date(startedAt), tookMs: now() - startedAt, isComplete })
  }

  /** Those that fit everything and those that are linked to targets stand apart in their index. */
  async function * byExternalId (vendorId: string, signal: AbortSignal | undefined): AsyncGenerator<Counted> {
    const [first, second] = [false, true].map((targeted) => inOrder({ vendorId, archived: false, targeted }, signal)) as [AsyncGenerator<Counted>, AsyncGenerator<Counted>]
    try {
      let [a, b] = [await first.next(), await second.next()]
      while (a.done !== true || b.done !== true) {
        if (b.done === true || (a.done !== true && a.value.externalId < b.value.externalId)) {
          yield a.value as Counted
          a = await first.next()
        } else {
          yield b.value
          b = await second.next()
        }
      }
    } finally {
      await Promise.all([first.return(null), second.return(null)])
    }
  }

  async function * inOrder (filter: Filter<ProductDocument>, signal: AbortSignal | undefined): AsyncGenerator<Counted> {
    const found = products.find(filter, { batchSize: pageSize, sort: { externalId: 1 } }).project<Counted>(countedFields)
    try {
      while (await found.hasNext()) {
        signal?.throwIfAborted()
        yield * found.readBufferedDocuments()
      }
    } finally {
      await found.close()
    }
  }

  return {
    async find (vendorId) {
      const kept = inMemory.get(vendorId)
      if (kept !== undefined && now() - kept.comparedAt < trustedMs) return kept.vocabulary
      let found = finding.get(vendorId)
      if (found === undefined) {
        // No part of any one answer, but the vendor's.
        found = asReader({ owner: vendorId }, async () => await look(vendorId)).finally(() => { finding.delete(vendorId) })
        finding.set(vendorId, found)
      }
      return await found
    },
    async countDue (signal) {
      const due = await searchVocabularies.find({ dueAt: { $lte: new Date(now()) } }, { projection: { _id: 1 }, sort: { dueAt: 1 }, limit: dueAtOnce }).toArray()
      for (const { _id } of due) {
        if (signal.aborted) return
        await write(await count(_id, most, signal))
      }
    }
  }
}

type Counted = Pick<ProductDocument, 'externalId' | 'searchKeys'>
/** Words alone, with which the keys begin: a product may be linked to thousands of targets. */
const countedFields = { _id: 0, externalId: 1, searchKeys: { $slice: maxWordKeys } }

function * wordsIn (keys: Counted['searchKeys']): Generator<string> {
  for (const { key } of keys ?? []) {
    const word = wordIn(key)
    if (word !== null) yield word
  }
}

function documentOf (
  _id: string, { products, languages, words, counts, reaches }: VocabularyContent, counted: Pick<SearchVocabularyDocument, 'countedAt' | 'tookMs' | 'isComplete'>
): SearchVocabularyDocument {
  return { _id, ...counted, products, languages, words: words.join('\n'), counts: counts.join('\n'), reaches: Array.from(reaches, ([word, reaches]) => ({ word, reaches })) }
}

const contentOf = ({ products, languages, words, counts, reaches }: SearchVocabularyDocument): VocabularyContent => ({
  products,
  languages: languages.filter(isLanguage),
  words: words === '' ? [] : words.split('\n'),
  counts: counts === '' ? [] : counts.split('\n').map(Number),
  reaches: new Map(reaches.map(({ word, reaches }) => [word, reaches]))
})
