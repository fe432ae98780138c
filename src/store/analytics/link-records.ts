/**
 * Brings what is derived from several records up to date: a conversation's facts, whether a session chatted and ordered,
 * what an order knows of its conversation and session.
 *
 * Everything is computed anew from the records themselves and written by value, so it may be done at any time, in any
 * order, and again: a batch that was written but not linked when the process died is linked when it comes again, which it
 * does (a Kafka offset is committed after linking; a load that did not end is run again). Conversations are written by
 * revision, so that facts from before another writer's events never overwrite those from after.
 */
import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import { deriveConversation } from '../../domain/analytics/conversation-facts.js'
import type { ConversationDocument, OrderDocument } from '../../domain/analytics/documents.js'
import type { Channel } from '../../domain/analytics/records.js'
import type { Collections } from '../connection.js'
import { findByIds } from '../find-by-ids.js'
import { widenExtent } from './conversation-extents.js'
import { isCreditedToHuman } from './to-document.js'

/** Conversations whose events are in memory at a time; also what a server takes well in one `$in`. */
const chunkSize = 50
/** Linked to one chunk; more than a customer ever has, and a bound on what a hostile file can put in memory. */
const maxLinked = 20_000
const maxTries = 20

type LinkCollections = Pick<Collections, 'conversations' | 'conversationEvents' | 'sessions' | 'orders' | 'surveys' | 'conversationExtents'>

export interface Touched {
  conversationKeys: Iterable<string>
  sessionKeys: Iterable<string>
}

export async function linkRecords (collections: LinkCollections, { conversationKeys, sessionKeys }: Touched): Promise<void> {
  const touched = [...new Set(conversationKeys)]
  const sessions = new Set(sessionKeys)
  for (let from = 0; from < touched.length; from += chunkSize) {
    const found = await findByIds(collections.conversations, touched.slice(from, from + chunkSize), { sessionKey: 1 })
    for (const { sessionKey } of found) if (sessionKey !== null) sessions.add(sessionKey)
    // Those of a session come with it.
    await linkConversations(collections, found.filter(({ sessionKey }) => sessionKey === null).map(({ _id }) => _id))
  }
  const keys = [...sessions]
  for (let from = 0; from < keys.length; from += chunkSize) await linkSessions(collections, keys.slice(from, from + chunkSize))
}

async function linkSessions (collections: LinkCollections, sessionKeys: string[]): Promise<void> {
  const { conversations, sessions, orders } = collections
  const linked = await findIn(conversations, 'sessionKey', sessionKeys, { sessionKey: 1, channel: 1 })
  await linkConversations(collections, linked.map(({ _id }) => _id))

  const channels = new Map<string, Set<Channel>>()
  for (const { sessionKey, channel } of linked) {
    if (sessionKey !== null) channels.set(sessionKey, (channels.get(sessionKey) ?? new Set()).add(channel))
  }
  const placed = await findIn(orders, 'sessionKey', sessionKeys, { sessionKey: 1, chatted: 1, sessionChannels: 1 })
  await writeChanges(orders, placed.map((order) => {
    const sessionChannels = [...channels.get(order.sessionKey ?? '') ?? []].sort()
    return { document: order, change: { chatted: sessionChannels.length > 0, sessionChannels } }
  }))
  const ordered = new Set(placed.map(({ sessionKey }) => sessionKey))
  const known = await findByIds(sessions, sessionKeys)
  await writeChanges(sessions, known.map((session) =>
    ({ document: session, change: { chatted: channels.has(session._id), ordered: ordered.has(session._id) } })))
}

async function linkConversations (collections: LinkCollections, keys: string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += chunkSize) {
    let left = keys.slice(from, from + chunkSize)
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === maxTries) throw new Error('conversations are changed faster than they can be linked')
      left = await linkChunk(collections, left)
    }
  }
}

/** Gives the keys of those that were changed meanwhile. */
async function linkChunk (collections: LinkCollections, keys: string[]): Promise<string[]> {
  const { conversations, conversationEvents, orders, surveys } = collections
  // Before what they are computed from: whoever adds to that afterwards also links, and sees the revision of this write.
  const found = await findByIds(conversations, keys)
  const [events, rated, attributed] = await Promise.all([
    findIn(conversationEvents, 'conversationKey', keys, {
      conversationKey: 1, type: 1, created: 1, expertId: 1, 'recommendations.product.externalId': 1, citedKnowledgeDocumentIds: 1
    }),
    findIn(surveys, 'conversationKey', keys, { conversationKey: 1, type: 1, rating: 1, expertId: 1 }),
    findIn(orders, 'conversationKey', keys, { conversationKey: 1, attribution: 1, attributedChannel: 1, attributedToHuman: 1 })
  ])
  const sessionKeys = [...new Set(found.map(({ sessionKey }) => sessionKey).filter((key) => key !== null))]
  const ordered = new Set((await findIn(orders, 'sessionKey', sessionKeys, { sessionKey: 1 })).map(({ sessionKey }) => sessionKey))

  const eventsOf = grouped(events)
  const surveysOf = grouped(rated)
  const ordersOf = grouped(attributed)
  const changed: ConversationDocument[] = []
  const operations: Array<AnyBulkWriteOperation<ConversationDocument>> = []
  const orderChanges: Array<Change<OrderDocument>> = []
  for (const conversation of found) {
    const { _id, revision, sessionKey } = conversation
    const derived = deriveConversation(conversation, {
      events: eventsOf.get(_id) ?? [],
      surveys: surveysOf.get(_id) ?? [],
      attributedOrders: ordersOf.get(_id) ?? [],
      sessionHasOrder: sessionKey !== null && ordered.has(sessionKey)
    })
    for (const order of ordersOf.get(_id) ?? []) {
      const attributedToHuman = derived.facts.human || isCreditedToHuman(order)
      orderChanges.push({ document: order, change: { attributedChannel: conversation.channel, attributedToHuman } })
    }
    if (isSame(conversation, derived)) continue
    changed.push({ ...conversation, activeAt: derived.activeAt })
    operations.push({ updateOne: { filter: { _id, revision }, update: { $set: derived, $inc: { revision: 1 } } } })
  }
  await writeChanges(orders, orderChanges)
  if (operations.length === 0) return []
  await widenExtent(collections, changed)
  const { modifiedCount } = await conversations.bulkWrite(operations, { ordered: false })
  if (modifiedCount === operations.length) return []
  const now = await findByIds(conversations, changed.map(({ _id }) => _id), { revision: 1 })
  const revisions = new Map(changed.map(({ _id, revision }) => [_id, revision]))
  // Another writer's revision may be one more as well: then both computed, and the later look sees no difference.
  return now.filter(({ _id, revision }) => revision !== revisions.get(_id)).map(({ _id }) => _id)
}

interface Change<T> { document: T, change: Partial<T> }

async function writeChanges<T extends Document & { _id: string }> (collection: Collection<T>, changes: Array<Change<T>>): Promise<void> {
  const operations = changes.filter(({ document, change }) => !isSame(document, change)).map(({ document, change }) => (
    { updateOne: { filter: { _id: document._id }, update: { $set: change } } } as unknown as AnyBulkWriteOperation<T>
  ))
  if (operations.length > 0) await collection.bulkWrite(operations, { ordered: false })
}

/** Whether the document holds the change already. */
const isSame = (document: object, change: object): boolean =>
  Object.entries(change).every(([name, value]) => JSON.stringify((document as Record<string, unknown>)[name]) === JSON.stringify(value))

function grouped<T extends { conversationKey: string | null }> (documents: T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const document of documents) {
    const key = document.conversationKey ?? ''
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [document])
    else group.push(document)
  }
  return groups
}

/** By an indexed key, at most `chunkSize` of them. */
async function findIn<T extends Document & { _id: string }> (
  collection: Collection<T>, field: keyof T & string, keys: string[], projection: Record<string, 1>
): Promise<T[]> {
  if (keys.length === 0) return []
  const filter = { [field]: { $in: keys } } as unknown as Filter<T>
  return await collection.find<T>(filter, { projection, batchSize: 1_000 }).limit(maxLinked).toArray()
}
