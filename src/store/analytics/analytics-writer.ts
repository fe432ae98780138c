/**
 * Writes analytics records, idempotently: new ones are inserted, changed ones updated, and those that are there already
 * cost a look at their digest. Then what is derived from them is brought up to date (store/analytics/link-records), also
 * for those that have not changed: they may be here again because the process died before that.
 */
import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb'
import type { ConversationDocument, Links } from '../../domain/analytics/documents.js'
import type { AnalyticsRecord, RecordKind } from '../../domain/analytics/records.js'
import { createChangeMarks } from '../database/change-marks.js'
import { analyticsCollection, type Collections } from '../database/connection.js'
import { ignoreDuplicates } from '../database/database-errors.js'
import { findByIds } from '../database/find-by-ids.js'
import { widenExtent } from './conversation-extents.js'
import { completeFresh, linkRecords, type Touched } from './link-records.js'
import { writeInDays } from './open-days.js'
import { derivedFields, documentOf } from './to-document.js'

type AnyDocument = Document & { _id: string, digest: string, created: Date, left?: Links[] }

/** Another writer was between reading and writing each time. */
const maxTries = 20

export interface AnalyticsWriter {
  /** Of one kind and vendor; a later record of the same id wins. Resolves with how many differed from what was stored. May be repeated. */
  write (vendorId: string, kind: RecordKind, records: AnalyticsRecord[]): Promise<number>
}

export function createAnalyticsWriter (collections: Collections): AnalyticsWriter {
  const marks = createChangeMarks(collections, 'conversations')

  /** Writes what differs; resolves with the ids of that, and with what the records were part of until now. */
  async function store (vendorId: string, kind: RecordKind, documents: Map<string, AnyDocument>): Promise<{ written: Set<string>, left: Map<string, Links[]> }> {
    const collection = analyticsCollection(collections, kind) as unknown as Collection<AnyDocument>
    const written = new Set<string>()
    const left = new Map<string, Links[]>()
    for (let tries = 0; tries < maxTries; tries++) {
      const heads = await findByIds(collection, [...documents.keys()], headFields[kind]) as AnyDocument[]
      const stored = new Map(heads.map((head) => [head._id, head]))
      const fresh = [...documents.values()].filter(({ _id }) => !stored.has(_id))
      const changes: Change[] = []
      for (const head of heads) {
        const document = documents.get(head._id) as AnyDocument
        if (head.digest !== document.digest) changes.push({ head, document, left: leftBy(head, document) })
        else if (head.left !== undefined) left.set(head._id, head.left)
      }
      for (const { _id } of [...fresh, ...changes.map(({ document }) => document)]) written.add(_id)
      for (const { document: { _id }, left: links } of changes) if (links.length > 0) left.set(_id, links)
      if (await writeAll(collection, vendorId, kind, fresh, changes)) return { written, left }
    }
    throw new Error('analytics records are changed faster than they can be written')
  }

  /** False when another writer was there in between. */
  async function writeAll (
    collection: Collection<AnyDocument>, vendorId: string, kind: RecordKind, fresh: AnyDocument[], changes: Change[]
  ): Promise<boolean> {
    if (fresh.length === 0 && changes.length === 0) return true
    if (fresh.length > 0) await completeFresh(collections, kind, fresh)
    const documents = [...fresh, ...changes.map(({ document }) => document)]
    if (kind === 'conversations') await widenExtent(collections, documents as unknown as ConversationDocument[])
    const write = async (): Promise<boolean> => await writeDocuments(collection, kind, fresh, changes)
    if (kind !== 'conversations' && kind !== 'orders') return await write()
    return await writeInDays(collections, kind, vendorId, [...documents, ...changes.map(({ head }) => head)].map(({ created }) => created), write)
  }

  return {
    async write (vendorId, kind, records) {
      if (records.length === 0) return 0
      const documents = new Map<string, AnyDocument>()
      for (const record of records) {
        const document = documentOf(kind, vendorId, record as never) as unknown as AnyDocument
        documents.set(document._id, document)
      }
      const { written, left } = await store(vendorId, kind, documents)
      const touched = touchedBy(kind, [...[...left.values()].flat(), ...documents.values()])
      await linkRecords(collections, touched)
      // Also where nothing differed: they may be here again because the process died before their links were written, or the mark.
      if (Object.values(touched).some(({ size }: ReadonlySet<string>) => size > 0)) await marks.mark(vendorId)
      if (left.size > 0) {
        const linked = [...documents.values()].filter(({ _id }) => left.has(_id))
        await analyticsCollection(collections, kind).bulkWrite(linked.map(({ _id, digest }) => (
          // Of another digest: somebody else has changed it since, and links all of that.
          { updateOne: { filter: { _id, digest }, update: { $unset: { left: '' } } } }
        )), { ordered: false })
      }
      return written.size
    }
  }
}

/** False when another writer was there in between. */
async function writeDocuments (collection: Collection<AnyDocument>, kind: RecordKind, fresh: AnyDocument[], changes: Change[]): Promise<boolean> {
  let all = true
  if (fresh.length > 0) {
    try {
      await collection.insertMany(fresh, { ordered: false })
    } catch (error) {
      ignoreDuplicates(error)
      all = false
    }
  }
  if (changes.length > 0) {
    const { matchedCount } = await collection.bulkWrite(changes.map((change) => updateOf(kind, change)), { ordered: false })
    // A tag that was edited or deleted over the API stays as it is.
    if (matchedCount < changes.length && kind !== 'smart-tags') all = false
  }
  return all
}

interface Change {
  /** As stored. */
  head: AnyDocument
  document: AnyDocument
  left: Links[]
}

/**
 * What a record is no longer part of, and has to be linked without it. Kept in the record until that has been done: should the
 * process die first, the record that comes again tells.
 */
function leftBy (head: AnyDocument, document: AnyDocument): Links[] {
  const moved = linkNames.some((name) => typeof head[name] === 'string' && head[name] !== document[name])
  const here = Object.fromEntries(linkNames.map((name) => [name, head[name]])) as Links
  return [...head.left ?? [], ...(moved ? [here] : [])]
}

function updateOf (kind: RecordKind, { head, document, left }: Change): AnyBulkWriteOperation<AnyDocument> {
  const { _id, ...fields } = document
  for (const name of derivedFields[kind] as readonly string[]) delete fields[name]
  const filter: Document = { _id, digest: head.digest, ...(kind === 'smart-tags' ? { editedAt: null, deletedAt: null } : {}) }
  return {
    updateOne: {
      filter,
      update: { $set: { ...fields, ...(left.length > 0 ? { left } : {}) }, ...(kind === 'conversations' ? { $inc: { revision: 1 } } : {}) }
    }
  }
}

/** What a change of these records bears on. */
function touchedBy (kind: RecordKind, documents: Array<AnyDocument | Links>): Touched {
  const keys = (name: string): Set<string> =>
    new Set(documents.map((document) => (document as Document)[name] as unknown).filter((key) => typeof key === 'string'))
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

const linkNames = ['conversationKey', 'sessionKey'] as const
const head = (...names: string[]): Record<string, 1> => Object.fromEntries(['digest', ...names].map((name) => [name, 1]))

/** What is read of a stored record: whether it differs, when it was created, and what it is part of. */
const headFields: Record<RecordKind, Record<string, 1>> = {
  conversations: head('created', 'sessionKey', 'left'),
  'conversation-events': head('conversationKey', 'left'),
  'customer-events': head(),
  sessions: head(),
  orders: head('created', ...linkNames, 'left'),
  'smart-tags': head(),
  experts: head(),
  'knowledge-documents': head(),
  surveys: head('conversationKey', 'left')
}
