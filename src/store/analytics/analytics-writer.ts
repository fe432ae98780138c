/**
 * Writes analytics records, idempotently: new ones are inserted, changed ones updated, and those that are there already
 * cost a look at their digest. Then what is derived from them is brought up to date (store/analytics/link-records), also
 * for those that have not changed: they may be here again because the process died before that.
 */
import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb'
import type { ConversationDocument } from '../../domain/analytics/documents.js'
import type { AnalyticsRecord, RecordKind } from '../../domain/analytics/records.js'
import { analyticsCollection, type Collections } from '../connection.js'
import { ignoreDuplicates } from '../database-errors.js'
import { findByIds } from '../find-by-ids.js'
import { widenExtent } from './conversation-extents.js'
import { completeFresh, linkRecords, type Touched } from './link-records.js'
import { derivedFields, documentOf } from './to-document.js'

type AnyDocument = Document & { _id: string, digest: string }

export interface AnalyticsWriter {
  /** Of one kind and vendor; a later record of the same id wins. Resolves with how many differed from what was stored. May be repeated. */
  write (vendorId: string, kind: RecordKind, records: AnalyticsRecord[]): Promise<number>
}

export function createAnalyticsWriter (collections: Collections): AnalyticsWriter {
  /** Resolves with how many differed, and with what the stored forms of those were linked to. */
  async function store (kind: RecordKind, documents: Map<string, AnyDocument>): Promise<{ written: number, before: AnyDocument[] }> {
    const collection = analyticsCollection(collections, kind) as unknown as Collection<AnyDocument>
    const heads = await findByIds(collection, [...documents.keys()], headFields[kind]) as AnyDocument[]
    const stored = new Map(heads.map((head) => [head._id, head]))
    const fresh = [...documents.values()].filter(({ _id }) => !stored.has(_id))
    const changed = [...documents.values()].filter(({ _id, digest }) => stored.has(_id) && stored.get(_id)?.digest !== digest)
    const written = fresh.length + changed.length
    const before = changed.map(({ _id }) => stored.get(_id) as AnyDocument)
    if (fresh.length > 0) {
      await completeFresh(collections, kind, fresh)
      if (kind === 'conversations') await widenExtent(collections, fresh as unknown as ConversationDocument[])
      try {
        await collection.insertMany(fresh, { ordered: false })
      } catch (error) {
        // Another writer was faster; what it wrote is taken for the older one.
        ignoreDuplicates(error)
        changed.push(...fresh)
      }
    }
    if (kind === 'conversations') await widenExtent(collections, changed as unknown as ConversationDocument[])
    if (changed.length > 0) await collection.bulkWrite(changed.map((document) => updateOf(kind, document)), { ordered: false })
    return { written, before }
  }

  return {
    async write (vendorId, kind, records) {
      if (records.length === 0) return 0
      const documents = new Map<string, AnyDocument>()
      for (const record of records) {
        const document = documentOf(kind, vendorId, record as never) as unknown as AnyDocument
        documents.set(document._id, document)
      }
      const { written, before } = await store(kind, documents)
      // A record that moved to another conversation or session leaves the old one without it.
      await linkRecords(collections, touchedBy(kind, [...before, ...documents.values()]))
      return written
    }
  }
}

function updateOf (kind: RecordKind, document: AnyDocument): AnyBulkWriteOperation<AnyDocument> {
  const { _id, ...fields } = document
  for (const name of derivedFields[kind] as readonly string[]) delete fields[name]
  const filter: Document = kind === 'smart-tags' ? { _id, editedAt: null, deletedAt: null } : { _id }
  return {
    updateOne: { filter, update: { $set: fields, ...(kind === 'conversations' ? { $inc: { revision: 1 } } : {}) } }
  }
}

/** What a change of these records bears on. */
function touchedBy (kind: RecordKind, documents: AnyDocument[]): Touched {
  const keys = (name: string): Set<string> =>
    new Set(documents.map((document) => document[name] as unknown).filter((key) => typeof key === 'string'))
  const none = new Set<string>()
  switch (kind) {
    case 'conversations': return { conversationKeys: keys('_id'), sessionKeys: keys('sessionKey'), ownSessionKeys: none }
    case 'conversation-events':
    case 'surveys': return { conversationKeys: keys('conversationKey'), sessionKeys: none, ownSessionKeys: none }
    case 'orders': return { conversationKeys: keys('conversationKey'), sessionKeys: keys('sessionKey'), ownSessionKeys: none }
    case 'sessions': return { conversationKeys: none, sessionKeys: none, ownSessionKeys: keys('_id') }
    case 'customer-events':
    case 'smart-tags':
    case 'experts':
    case 'knowledge-documents': return { conversationKeys: none, sessionKeys: none, ownSessionKeys: none }
  }
}

const links = ['conversationKey', 'sessionKey']
const head = (...names: string[]): Record<string, 1> => Object.fromEntries(['digest', ...names].map((name) => [name, 1]))

/** What is read of a stored record: whether it differs, and what it was linked to. */
const headFields: Record<RecordKind, Record<string, 1>> = {
  conversations: head('sessionKey'),
  'conversation-events': head('conversationKey'),
  'customer-events': head(),
  sessions: head(),
  orders: head(...links),
  'smart-tags': head(),
  experts: head(),
  'knowledge-documents': head(),
  surveys: head('conversationKey')
}
