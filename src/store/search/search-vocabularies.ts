/**
 * Each vendor's vocabulary (domain/search/vocabulary), in `search_vocabularies`: one document, counted from the products themselves when it is searched by and
 * has become old. What it costs is paid by who searches, and it can drift from the products no further than it is old.
 *
 *   none, or of a small catalog and old ─▶ counted at once, up to 2,000 products
 *   of a larger one, and old            ─▶ asked for; a worker counts it within seconds (jobs/upkeep), and until then the old one serves
 *
 * It is old after a hundred times what counting took, so that counting is a hundredth of the work at most; after ten times, when products have been written by then. A
 * job that ends, in whichever way, and upsertProducts leave a mark, which is all that they write, unless they have changed variants alone; a small catalog with a mark is counted again for the first text that has a word
 * which the vocabulary does not know, so what has just been imported is found by slips and beginnings, too. In a larger one it is found by its own words until then.
 *
 * What is counted are live products, of which nearly all searches are. Of archived ones the words of their descriptions are noted, and no more: those of their names are keys.
 */
import { setImmediate as giveWay } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import { createBoundedMap } from '../../domain/bounded-map.js'
import { visibilityOf } from '../../domain/product.js'
import { DescribedWords } from '../../domain/search/described-words.js'
import { isLanguage } from '../../domain/search/languages.js'
import { sortInTurns } from '../../domain/search/sort-in-turns.js'
import { Vocabulary, type VocabularyContent } from '../../domain/search/vocabulary.js'
import { WordCounts } from '../../domain/search/word-counts.js'
import { maxWordKeys, wordIn } from '../../domain/search-keys.js'
import type { Collections } from '../database/connection.js'
import { countUp } from '../database/count-up.js'
import { isDuplicateKey } from '../database/database-errors.js'
import { beginningOfDescription, type ProductDocument } from '../catalog/product-document.js'
import { asReader } from '../reads/reader.js'
import type { SearchVocabularyDocument } from './search-vocabulary-document.js'

export interface SearchVocabularies {
  /** In memory, and compared with the database's within the last second; null: there is none. */
  trusted (vendorId: string): Vocabulary | null
  /** That one, or else the newest. */
  find (vendorId: string): Promise<Vocabulary>
  /** Whether there is a better one than is trusted; the same if not. */
  newest (vendorId: string): Promise<Vocabulary>
  /** What products are found and counted by has been written. */
  markChanged (vendorId: string): Promise<void>
  /** Counts those that searches have found old. `signal` stops between pages. */
  countDue (signal: AbortSignal): Promise<void>
}

export interface SearchVocabulariesOptions {
  now?: () => number
  /** Products that a search waits for. */
  atOnce?: number
  /** Products that a worker looks at; of a larger catalog, those with the first external ids. As many archived ones may be looked at besides. */
  most?: number
}

const defaultAtOnce = 2_000
const defaultMost = 200_000
/** Of words and descriptions: some ten milliseconds' work between two reads, also where others want the core. */
const pageSize = 100
/** How often one that is in memory is compared with the database's. */
const trustedMs = 1_000
const shareOfTime = 100
const shareWhenChanged = 10
/** A large one of 50,000 words takes 6 MB. */
const maxInMemory = 10
const dueAtOnce = 20

type Head = Pick<SearchVocabularyDocument, '_id' | 'countedAt' | 'tookMs' | 'products' | 'isComplete' | 'changes' | 'ofChanges' | 'dueAt'>
const headFields = { countedAt: 1, tookMs: 1, products: 1, isComplete: 1, changes: 1, ofChanges: 1, dueAt: 1 } as const

/** Not one that is nothing but a mark. */
const countedOf = (vendorId: string): Filter<SearchVocabularyDocument> => ({ _id: vendorId, countedAt: { $exists: true } })

/** `isSmall`: it is counted at once when products have been written. */
interface Kept { vocabulary: Vocabulary, countedAt: number, isSmall: boolean, comparedAt: number }

export function createSearchVocabularies (
  { products, searchVocabularies }: Pick<Collections, 'products' | 'searchVocabularies'>,
  { now = Date.now, atOnce = defaultAtOnce, most = defaultMost }: SearchVocabulariesOptions = {}
): SearchVocabularies {
  const inMemory = createBoundedMap<string, Kept>(maxInMemory)
  /** By vendor: searches that come together wait for the same. */
  const finding = new Map<string, Promise<Vocabulary>>()

  async function look (vendorId: string): Promise<Vocabulary> {
    const head = await searchVocabularies.findOne<Head>(countedOf(vendorId), { projection: headFields })
    if (head === null || (isSmall(head) && (isOld(head) || head.changes > head.ofChanges))) return await countNow(vendorId)
    if (isOld(head) && head.dueAt === undefined) await searchVocabularies.updateOne({ _id: vendorId, dueAt: { $exists: false } }, { $set: { dueAt: new Date(now()) } })
    const kept = inMemory.get(vendorId)
    if (kept?.countedAt === head.countedAt.getTime()) return keep(vendorId, kept.vocabulary, head)
    const found = await searchVocabularies.findOne(countedOf(vendorId))
    return found === null ? await countNow(vendorId) : keep(vendorId, new Vocabulary(contentOf(found)), found)
  }

  const isSmall = ({ isComplete, products }: Pick<Head, 'isComplete' | 'products'>): boolean => isComplete && products <= atOnce

  const isOld = ({ countedAt, tookMs, changes, ofChanges }: Head): boolean =>
    now() - countedAt.getTime() > Math.max(trustedMs, (changes > ofChanges ? shareWhenChanged : shareOfTime) * tookMs)

  async function countNow (vendorId: string): Promise<Vocabulary> {
    const document = await count(vendorId, atOnce)
    await write(document.isComplete ? document : { ...document, dueAt: new Date(now()) })
    return keep(vendorId, new Vocabulary(contentOf(document)), document)
  }

  function keep (vendorId: string, vocabulary: Vocabulary, counted: Pick<Head, 'countedAt' | 'isComplete' | 'products'>): Vocabulary {
    inMemory.set(vendorId, { vocabulary, countedAt: counted.countedAt.getTime(), isSmall: isSmall(counted), comparedAt: now() })
    return vocabulary
  }

  function trustedOf (vendorId: string): Kept | null {
    const kept = inMemory.get(vendorId)
    return kept !== undefined && now() - kept.comparedAt < trustedMs ? kept : null
  }

  async function lookTogether (vendorId: string): Promise<Vocabulary> {
    let found = finding.get(vendorId)
    if (found === undefined) {
      // No part of any one answer, but the vendor's.
      found = asReader({ owner: vendorId }, async () => await look(vendorId)).finally(() => { finding.delete(vendorId) })
      finding.set(vendorId, found)
    }
    return await found
  }

  async function write ({ _id, ...counted }: Written): Promise<void> {
    const isDue = counted.dueAt !== undefined
    try {
      await searchVocabularies.updateOne({ _id }, { $set: counted, $max: { changes: counted.ofChanges }, ...(isDue ? {} : { $unset: { dueAt: true } }) }, { upsert: true })
    } catch (error) {
      // Another process has counted it in the same moment.
      if (!isDuplicateKey(error)) throw error
    }
  }

  async function count (vendorId: string, atMost: number, signal?: AbortSignal): Promise<Written> {
    const startedAt = now()
    const ofChanges = (await searchVocabularies.findOne<Pick<Head, 'changes'>>({ _id: vendorId }, { projection: { changes: 1 } }))?.changes ?? 0
    const [counts, described] = [new WordCounts(), new DescribedWords()]
    const isComplete = await eachOf(byExternalId({ vendorId, archived: false }, signal), atMost, ({ _id, externalId, publishedAt, described: description }, words) => {
      counts.add(externalId, words)
      described.add(_id, description, words, visibilityOf({ archived: false, publishedAt: publishedAt ?? null }, new Date(startedAt)))
    })
    const hasAllArchived = await eachOf(byExternalId({ vendorId, archived: true }, signal), atMost, ({ _id, described: description }, words) => {
      described.add(_id, description, words, 'ARCHIVED')
    })
    const content = counts.content(await sortInTurns(counts.words(), giveWay))
    await giveWay()
    const lines = described.lines(await sortInTurns(described.words(), giveWay))
    return documentOf(vendorId, { ...content, isComplete, hasAllArchived, described: lines }, { countedAt: new Date(startedAt), tookMs: now() - startedAt, ofChanges })
  }

  /** Those that fit everything and those that are linked to targets stand apart in their index. */
  async function * byExternalId (filter: { vendorId: string, archived: boolean }, signal: AbortSignal | undefined): AsyncGenerator<Counted> {
    const [first, second] = [false, true].map((targeted) => inOrder({ ...filter, targeted }, signal)) as [AsyncGenerator<Counted>, AsyncGenerator<Counted>]
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
    trusted: (vendorId) => trustedOf(vendorId)?.vocabulary ?? null,
    find: async (vendorId) => trustedOf(vendorId)?.vocabulary ?? await lookTogether(vendorId),
    async newest (vendorId) {
      const trusted = trustedOf(vendorId)
      // A larger one is counted by a worker, some time: there is no better one for being asked for.
      return trusted?.isSmall === false ? trusted.vocabulary : await lookTogether(vendorId)
    },
    markChanged: async (vendorId) => { await markChanged({ searchVocabularies }, vendorId) },
    async countDue (signal) {
      const due = await searchVocabularies.find({ dueAt: { $lte: new Date(now()) } }, { projection: { _id: 1 }, sort: { dueAt: 1 }, limit: dueAtOnce }).toArray()
      for (const { _id } of due) {
        if (signal.aborted) return
        await write(await count(_id, most, signal))
      }
    }
  }
}

/** What products are found and counted by has been written. Of who has no vocabulary, the mark is all that there is until it is searched by; counts are kept by it, too (database/kept-counts). */
export async function markChanged ({ searchVocabularies }: Pick<Collections, 'searchVocabularies'>, vendorId: string): Promise<void> {
  await countUp(searchVocabularies, vendorId)
}

/** How often it has been, as far as is marked. */
export async function changesOf ({ searchVocabularies }: Pick<Collections, 'searchVocabularies'>, vendorId: string): Promise<number> {
  return (await searchVocabularies.findOne({ _id: vendorId }, { projection: { changes: 1 } }))?.changes ?? 0
}

type Written = Omit<SearchVocabularyDocument, 'changes'>
type Counted = Pick<ProductDocument, '_id' | 'externalId' | 'searchKeys' | 'publishedAt'> & { described: string }
/** Words alone, with which the keys begin: a product may be linked to thousands of targets. */
const countedFields = { externalId: 1, publishedAt: 1, searchKeys: { $slice: maxWordKeys }, described: beginningOfDescription }

/** Gives whether those were all: no more than `atMost` are looked at. */
async function eachOf (products: AsyncGenerator<Counted>, atMost: number, add: (product: Counted, words: ReadonlySet<string>) => void): Promise<boolean> {
  let lookedAt = 0
  for await (const product of products) {
    if (lookedAt === atMost) return false
    add(product, new Set(wordsIn(product.searchKeys)))
    lookedAt++
  }
  return true
}

function * wordsIn (keys: Counted['searchKeys']): Generator<string> {
  for (const { key } of keys ?? []) {
    const word = wordIn(key)
    if (word !== null) yield word
  }
}

function documentOf (
  _id: string, { products, isComplete, hasAllArchived, languages, words, counts, reaches, described }: VocabularyContent, counted: Pick<SearchVocabularyDocument, 'countedAt' | 'tookMs' | 'ofChanges'>
): Written {
  return { _id, ...counted, products, isComplete, hasAllArchived, languages, words: words.join('\n'), counts: counts.join('\n'), reaches: Array.from(reaches, ([word, reaches]) => ({ word, reaches })), described: described.join('\n') }
}

const contentOf = ({ products, isComplete, hasAllArchived = false, languages, words, counts, reaches, described }: Written): VocabularyContent => ({
  products,
  isComplete,
  hasAllArchived,
  languages: languages.filter(isLanguage),
  words: words === '' ? [] : words.split('\n'),
  counts: counts === '' ? [] : counts.split('\n').map(Number),
  reaches: new Map(reaches.map(({ word, reaches }) => [word, reaches])),
  described: described === '' ? [] : described.split('\n')
})
