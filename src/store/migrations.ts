/**
 * Changes to what databases of earlier versions hold, in order. What is merely new needs none: indexes.ts makes missing indexes
 * at every start. A step is here when something has to go, or to become something else.
 *
 * What a step has to keep to, since it may run in several processes at once, be killed at any point, and be run again:
 *  - idempotent: what is done already is left alone;
 *  - in small writes, each of which leaves the database fit for this version and for the one before it, whose processes are still
 *    running during an upgrade. What only this version understands is removed one version later.
 *
 * A step that has been released is never changed.
 */
import { MongoServerError, ObjectId, type AnyBulkWriteOperation, type Document, type MatchKeysAndValues, type UpdateFilter } from 'mongodb'
import { soldIn, withProductKeys } from '../domain/analytics/conversation-filter.js'
import type { ConversationDocument, OrderDocument } from '../domain/analytics/documents.js'
import { visibilityOf } from '../domain/product.js'
import { visibilityKey } from '../domain/search-keys.js'
import { isSoldOut } from '../domain/sold-out.js'
import type { SizeChartRecord } from '../domain/size-chart.js'
import type { Collections } from './database/connection.js'
import type { ProductDocument } from './catalog/product-document.js'
import { toStoredStock } from './catalog/stored-stock.js'
import { commitUpdates } from './database/commit-updates.js'
import { findByIds } from './database/find-by-ids.js'
import { groupsBySize } from './database/groups-by-size.js'

export interface Migration {
  /** 1, 2, … without gaps. */
  version: number
  /** For the log. */
  name: string
  run (collections: Collections, progress: MigrationProgress): Promise<void>
}

/** Of a step that takes so long that a start which dies in it must not have been in vain. */
export interface MigrationProgress {
  /** Where an earlier start got to with it. */
  from: string | null
  /** All up to there is done. */
  reached (at: string): Promise<void>
}

export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'no index over vendors\' partitions: nothing looks for vendors by them',
    run: async ({ vendors }) => { await dropIndex(vendors, 'by-partition') }
  },
  {
    version: 2,
    name: 'search keys in documents of their own, and a field instead of a key for products that fit everything',
    // Searches of the version before do not find what is in the new form. It has not been released, so none of its processes is running.
    run: async ({ products }) => {
      for (const name of ['by-vendor', 'by-search-key']) await dropIndex(products, name)
      await rewriteSearchKeys(products)
    }
  },
  {
    version: 3,
    name: 'originals of size charts say whose they are: they count towards the vendor\'s quota',
    run: async ({ sizeCharts, sizeChartPdfFiles }) => {
      const held = sizeCharts.find({ pdf: { $ne: null } }).project<Pick<SizeChartRecord, 'vendorId' | 'pdf'>>({ vendorId: 1, pdf: 1 })
      for await (const { vendorId, pdf } of held) {
        if (pdf !== null) await sizeChartPdfFiles.updateOne({ _id: new ObjectId(pdf.fileId) }, { $set: { metadata: { vendorId } } })
      }
    }
  },
  {
    version: 4,
    name: 'no index over the jobs that archived products: first loads paid for it',
    run: async ({ products }) => { await dropIndex(products, 'by-archiving-job') }
  },
  {
    version: 5,
    name: 'products that are sold out say so: a search puts those that are not before them',
    // What processes of the version before write meanwhile is taken to be in stock, until it is written again.
    run: async ({ products }, progress) => { await markSoldOut(products, progress) }
  },
  {
    version: 6,
    name: 'levels at stores as one text a variant, and no index entries for stores',
    // Processes of the version before do not find products by store any more, and cannot answer or set levels that are in the new form: they keep them, and fail aloud.
    run: async ({ products }, progress) => { await rewriteStock(products, progress) }
  },
  {
    version: 7,
    name: 'indexes of orders and sessions over time end with their ids: pages of analytics need them',
    run: async ({ orders, sessions }) => {
      for (const name of ['by-created', 'by-attribution']) await dropIndex(orders, name)
      await dropIndex(sessions, 'by-created')
    }
  },
  {
    version: 8,
    name: 'conversations are found by the products of the orders that are attributed to them',
    // One that a process of the version before links meanwhile is not, until it or an order of it comes again.
    run: async (collections, progress) => { await addSoldKeys(collections, progress) }
  },
  {
    version: 9,
    name: 'conversations are found by the products that were recommended in them',
    // The same holds of these.
    run: async ({ conversations }, progress) => { await addRecommendedKeys(conversations, progress) }
  },
  {
    version: 10,
    name: 'products that are not published yet are found by a key',
    // What processes of the version before write meanwhile is missing from lists of drafts and of scheduled products, until it is written again.
    run: async ({ products }, progress) => { await addVisibilityKeys(products, progress) }
  }
]

type OfVersion1 = Pick<ProductDocument, '_id' | 'revision'> & { targeted?: undefined, searchKeys: string[] }
type OfVersion2 = Pick<ProductDocument, '_id' | 'revision' | 'targeted'>
const productsAtOnce = 500

/** Who writes a product meanwhile gives it another revision, and the new form. */
async function rewriteSearchKeys (products: Collections['products']): Promise<void> {
  const found = products.find({}, { batchSize: productsAtOnce }).project<OfVersion1 | OfVersion2>({ revision: 1, targeted: 1, searchKeys: 1 })
  while (await found.hasNext()) {
    const operations = found.readBufferedDocuments().filter((product): product is OfVersion1 => product.targeted === undefined)
      .map(({ _id, revision, searchKeys }): AnyBulkWriteOperation<ProductDocument> => {
        const $set = { targeted: !searchKeys.includes('u'), searchKeys: searchKeys.filter((key) => key !== 'u').map((key) => ({ key })) }
        return { updateOne: { filter: { _id, revision }, update: { $set } } }
      })
    await commitUpdates(products, operations)
  }
}

type Revised = Pick<ProductDocument, '_id' | 'revision'>

/** Of all products. Who writes one meanwhile gives it another revision, and the new form. `updateOf`: null where there is nothing to do. */
async function updateProducts<T extends Revised> (
  products: Collections['products'], { from, reached }: MigrationProgress, projection: Document, updateOf: (product: T) => UpdateFilter<ProductDocument> | null
): Promise<void> {
  const found = products.find(from === null ? {} : { _id: { $gt: from } }, { batchSize: productsAtOnce, sort: { _id: 1 } }).project<T>({ ...projection, revision: 1 })
  while (await found.hasNext()) {
    const page = found.readBufferedDocuments()
    const operations = page.flatMap((product): Array<AnyBulkWriteOperation<ProductDocument>> => {
      const [{ _id, revision }, update] = [product, updateOf(product)]
      return update === null ? [] : [{ updateOne: { filter: { _id, revision }, update } }]
    })
    await commitUpdates(products, operations)
    const last = page.at(-1)
    if (last !== undefined) await reached(last._id)
  }
}

async function markSoldOut (products: Collections['products'], progress: MigrationProgress): Promise<void> {
  await updateProducts<Revised & Pick<ProductDocument, 'variants'>>(products, progress, { 'variants.inventory': 1, 'variants.inventoryPolicy': 1 },
    ({ variants = [] }) => isSoldOut(variants) ? { $set: { soldOut: true } } : null)
}

type OfVersion9 = Revised & Pick<ProductDocument, 'publishedAt' | 'updatedAt'>

async function addVisibilityKeys (products: Collections['products'], progress: MigrationProgress): Promise<void> {
  await updateProducts<OfVersion9>(products, progress, { publishedAt: 1, updatedAt: 1 }, ({ publishedAt, updatedAt }) => {
    const key = visibilityKey(visibilityOf({ archived: false, publishedAt: publishedAt ?? null }, updatedAt))
    return key === null ? null : { $addToSet: { searchKeys: { key } } }
  })
}

type StockHead = Pick<ProductDocument, '_id' | 'size'>
type OfVersion5 = Pick<ProductDocument, '_id' | 'revision' | 'variants' | 'searchKeys'>
const storeKey = /^[lz]:/

/** A product may be 4 MiB, so they are read in groups. Who writes a product meanwhile gives it another revision, and the new form. */
async function rewriteStock (products: Collections['products'], { from, reached }: MigrationProgress): Promise<void> {
  // All with a level at a store have such a key. By `_id`, which bounds memory: in the order of the keys a product would come once for each of its stores.
  const filter = { 'searchKeys.key': { $regex: storeKey.source }, ...(from === null ? {} : { _id: { $gt: from } }) }
  const found = products.find(filter, { batchSize: productsAtOnce, sort: { _id: 1 }, hint: { _id: 1 } }).project<StockHead>({ size: 1 })
  while (await found.hasNext()) {
    const page = found.readBufferedDocuments()
    for (const group of groupsBySize(page, ({ size }) => size)) {
      const documents = await findByIds(products, group.map(({ _id }) => _id), { revision: 1, variants: 1, searchKeys: 1 })
      const operations = documents.map(({ _id, revision, ...stored }): AnyBulkWriteOperation<ProductDocument> => ({ updateOne: { filter: { _id, revision }, update: ofStock(stored) } }))
      await commitUpdates(products, operations)
    }
    const last = page.at(-1)
    if (last !== undefined) await reached(last._id)
  }
}

function ofStock ({ variants = [], searchKeys = [] }: Pick<OfVersion5, 'variants' | 'searchKeys'>): UpdateFilter<ProductDocument> {
  const $set: Record<string, unknown> = {}
  variants.forEach(({ locationQuantities }, index) => {
    if (Array.isArray(locationQuantities)) $set[`variants.${index}.locationQuantities`] = toStoredStock(locationQuantities)
  })
  const keys = searchKeys.filter(({ key }) => !storeKey.test(key))
  if (keys.length > 0) $set['searchKeys'] = keys
  return { ...(Object.keys($set).length > 0 ? { $set: $set as MatchKeysAndValues<ProductDocument> } : {}), ...(keys.length === 0 ? { $unset: { searchKeys: true } } : {}) }
}

type Filtered = Pick<ConversationDocument, '_id' | 'vendorId' | 'revision' | 'filterKeys'>
const filtered = { vendorId: 1, revision: 1, filterKeys: 1 }
const [conversationsAtOnce, ordersLookedAt] = [50, 20_000]

async function addSoldKeys ({ conversations, orders }: Collections, progress: MigrationProgress): Promise<void> {
  const pages = conversationPages<Filtered>(conversations, { 'facts.attributed': true }, filtered, progress)
  for await (const page of pages) {
    const sold = await orders.find({ conversationKey: { $in: page.map(({ _id }) => _id) } }, { batchSize: 1_000 })
      .project<Pick<OrderDocument, 'conversationKey' | 'lineItems'>>({ conversationKey: 1, 'lineItems.product.externalId': 1 }).limit(ordersLookedAt).toArray()
    await setFilterKeys(conversations, page, ({ _id, vendorId, filterKeys }) =>
      withProductKeys(vendorId, filterKeys, 'sold', soldIn(sold.filter(({ conversationKey }) => conversationKey === _id))))
  }
}

type Recommending = Filtered & { facts: Pick<ConversationDocument['facts'], 'recommended'> }

async function addRecommendedKeys (conversations: Collections['conversations'], progress: MigrationProgress): Promise<void> {
  const pages = conversationPages<Recommending>(conversations, {}, { ...filtered, 'facts.recommended': 1 }, progress)
  for await (const page of pages) {
    const recommending = page.filter(({ facts }) => facts.recommended.length > 0)
    await setFilterKeys(conversations, recommending, ({ vendorId, filterKeys, facts }) => withProductKeys(vendorId, filterKeys, 'recommended', facts.recommended))
  }
}

/** In the order of their ids. A page is reached once the next one is asked for. */
async function * conversationPages<T extends Filtered> (
  conversations: Collections['conversations'], condition: Document, projection: Document, { from, reached }: MigrationProgress
): AsyncGenerator<T[]> {
  const filter = { ...condition, ...(from === null ? {} : { _id: { $gt: from } }) }
  const found = conversations.find(filter, { batchSize: conversationsAtOnce, sort: { _id: 1 }, hint: { _id: 1 } }).project<T>(projection)
  while (await found.hasNext()) {
    const page = found.readBufferedDocuments(conversationsAtOnce)
    yield page
    const last = page.at(-1)
    if (last !== undefined) await reached(last._id)
  }
}

/** Who links a conversation meanwhile gives it another revision, and the new keys. */
async function setFilterKeys<T extends Filtered> (conversations: Collections['conversations'], page: readonly T[], keysOf: (conversation: T) => string[]): Promise<void> {
  const operations = page.map((conversation): AnyBulkWriteOperation<ConversationDocument> => {
    const { _id, revision } = conversation
    return { updateOne: { filter: { _id, revision }, update: { $set: { filterKeys: keysOf(conversation) } } } }
  })
  if (operations.length > 0) await conversations.bulkWrite(operations, { ordered: false })
}

const namespaceNotFound = 26
const indexNotFound = 27

/** One that is not there is fine, and so is a collection that is not. */
async function dropIndex (collection: Pick<Collections['vendors'], 'dropIndex'>, name: string): Promise<void> {
  try {
    await collection.dropIndex(name)
  } catch (error) {
    if (!(error instanceof MongoServerError) || (error.code !== indexNotFound && error.code !== namespaceNotFound)) throw error
  }
}
