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
import { deriveConversation, type DerivedConversation } from '../../domain/analytics/conversation-facts.js'
import type { ConversationDocument, OrderDocument, SessionDocument } from '../../domain/analytics/documents.js'
import type { Channel, RecordKind } from '../../domain/analytics/records.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'
import { widenExtent } from './conversation-extents.js'
import { writeInDays } from './open-days.js'
import { isCreditedToHuman } from './to-document.js'

/** Conversations whose events are in memory at a time; also what a server takes well in one `$in`. */
const chunkSize = 50
/** Linked to one chunk; more than a customer ever has, and a bound on what a hostile file can put in memory. */
const maxLinked = 20_000
const maxTries = 20

type LinkCollections = Pick<Collections, 'conversations' | 'conversationEvents' | 'sessions' | 'orders' | 'surveys' | 'conversationExtents' | 'daySums'>

export interface Touched {
  conversationKeys: Iterable<string>
  /** Sessions whose conversations or orders have changed. */
  sessionKeys: Iterable<string>
  /** Sessions that have come themselves: no other record depends on those. */
  ownSessionKeys: Iterable<string>
}

export async function linkRecords (collections: LinkCollections, { conversationKeys, sessionKeys, ownSessionKeys }: Touched): Promise<void> {
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
  const own = [...new Set(ownSessionKeys)]
  for (let from = 0; from < own.length; from += chunkSize) {
    const chunk = own.slice(from, from + chunkSize)
    const { channels } = await conversationsOfSessions(collections, chunk)
    await writeSessions(collections, chunk, channels, await findIn(collections.orders, 'sessionKey', chunk, { sessionKey: 1 }))
  }
}

async function linkSessions (collections: LinkCollections, sessionKeys: string[]): Promise<void> {
  const { orders } = collections
  const { conversations, channels } = await conversationsOfSessions(collections, sessionKeys)
  await linkConversations(collections, conversations.map(({ _id }) => _id))
  const placed = await findIn(orders, 'sessionKey', sessionKeys, { sessionKey: 1, chatted: 1, sessionChannels: 1 })
  await writeChanges(orders, placed.map((order) => ({ document: order, change: chattedIn(channels, order.sessionKey) })))
  await writeSessions(collections, sessionKeys, channels, placed)
}

async function writeSessions ({ sessions }: LinkCollections, sessionKeys: string[], channels: ChannelsOfSessions, placed: OrderDocument[]): Promise<void> {
  const ordered = new Set(placed.map(({ sessionKey }) => sessionKey))
  const known = await findByIds(sessions, sessionKeys)
  await writeChanges(sessions, known.map((session) =>
    ({ document: session, change: { chatted: channels.has(session._id), ordered: ordered.has(session._id) } })))
}

type ChannelsOfSessions = Map<string, Set<Channel>>

async function conversationsOfSessions (
  { conversations }: LinkCollections, sessionKeys: string[]
): Promise<{ conversations: ConversationDocument[], channels: ChannelsOfSessions }> {
  const linked = await findIn(conversations, 'sessionKey', sessionKeys, { sessionKey: 1, channel: 1 })
  const channels: ChannelsOfSessions = new Map()
  for (const { sessionKey, channel } of linked) {
    if (sessionKey !== null) channels.set(sessionKey, (channels.get(sessionKey) ?? new Set()).add(channel))
  }
  return { conversations: linked, channels }
}

function chattedIn (channels: ChannelsOfSessions, sessionKey: string | null): Pick<OrderDocument, 'chatted' | 'sessionChannels'> {
  const sessionChannels = [...channels.get(sessionKey ?? '') ?? []].sort()
  return { chatted: sessionChannels.length > 0, sessionChannels }
}

/**
 * Gives documents that are about to be inserted what is derived from others that are there already. They are linked after
 * that all the same, for what came in between; but then there is nothing left to write, and writing a document a second
 * time costs many times what reading its links does.
 */
export async function completeFresh (collections: LinkCollections, kind: RecordKind, documents: Document[]): Promise<void> {
  for (let from = 0; from < documents.length; from += chunkSize) {
    const chunk = documents.slice(from, from + chunkSize)
    if (kind === 'conversations') await completeConversations(collections, chunk as ConversationDocument[])
    if (kind === 'orders') await completeOrders(collections, chunk as OrderDocument[])
    if (kind === 'sessions') await completeSessions(collections, chunk as SessionDocument[])
  }
}

async function completeConversations (collections: LinkCollections, chunk: ConversationDocument[]): Promise<void> {
  const { derive } = await evidenceOf(collections, chunk)
  for (const conversation of chunk) Object.assign(conversation, derive(conversation))
}

async function completeOrders (collections: LinkCollections, chunk: OrderDocument[]): Promise<void> {
  const { channels } = await conversationsOfSessions(collections, textsOf(chunk.map(({ sessionKey }) => sessionKey)))
  const credited = await findByIds(collections.conversations, textsOf(chunk.map(({ conversationKey }) => conversationKey)))
  const byKey = new Map(credited.map((conversation) => [conversation._id, conversation]))
  for (const order of chunk) {
    const conversation = byKey.get(order.conversationKey ?? '')
    Object.assign(order, chattedIn(channels, order.sessionKey), conversation === undefined ? {} : creditOf(order, conversation, conversation.facts.human))
  }
}

async function completeSessions (collections: LinkCollections, chunk: SessionDocument[]): Promise<void> {
  const keys = chunk.map(({ _id }) => _id)
  const { channels } = await conversationsOfSessions(collections, keys)
  const ordered = new Set((await findIn(collections.orders, 'sessionKey', keys, { sessionKey: 1 })).map(({ sessionKey }) => sessionKey))
  for (const session of chunk) Object.assign(session, { chatted: channels.has(session._id), ordered: ordered.has(session._id) })
}

const creditOf = (order: OrderDocument, { channel }: Pick<ConversationDocument, 'channel'>, human: boolean): Pick<OrderDocument, 'attributedChannel' | 'attributedToHuman'> =>
  ({ attributedChannel: channel, attributedToHuman: human || isCreditedToHuman(order) })

const textsOf = (keys: Array<string | null>): string[] => [...new Set(keys.filter((key) => key !== null))]

async function linkConversations (collections: LinkCollections, keys: string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += chunkSize) {
    let left = keys.slice(from, from + chunkSize)
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === maxTries) throw new Error('conversations are changed faster than they can be linked')
      left = await linkChunk(collections, left)
    }
  }
}

/** What there is about these conversations. */
async function evidenceOf ({ conversationEvents, orders, surveys }: LinkCollections, conversations: ConversationDocument[]): Promise<{
  derive: (conversation: ConversationDocument) => DerivedConversation, attributedTo: (conversation: ConversationDocument) => OrderDocument[]
}> {
  const keys = conversations.map(({ _id }) => _id)
  const sessionKeys = textsOf(conversations.map(({ sessionKey }) => sessionKey))
  const [events, rated, attributed, placed] = await Promise.all([
    findIn(conversationEvents, 'conversationKey', keys, {
      conversationKey: 1, type: 1, created: 1, expertId: 1, 'recommendations.product.externalId': 1, citedKnowledgeDocumentIds: 1
    }),
    findIn(surveys, 'conversationKey', keys, { conversationKey: 1, type: 1, rating: 1, expertId: 1 }),
    findIn(orders, 'conversationKey', keys, {
      conversationKey: 1, created: 1, attribution: 1, attributedChannel: 1, attributedToHuman: 1, 'lineItems.product.externalId': 1
    }),
    findIn(orders, 'sessionKey', sessionKeys, { sessionKey: 1 })
  ])
  const eventsOf = grouped(events)
  const surveysOf = grouped(rated)
  const ordersOf = grouped(attributed)
  const ordered = new Set(placed.map(({ sessionKey }) => sessionKey))
  return {
    attributedTo: ({ _id }) => ordersOf.get(_id) ?? [],
    derive: (conversation) => deriveConversation(conversation, {
      events: eventsOf.get(conversation._id) ?? [],
      surveys: surveysOf.get(conversation._id) ?? [],
      attributedOrders: ordersOf.get(conversation._id) ?? [],
      sessionHasOrder: conversation.sessionKey !== null && ordered.has(conversation.sessionKey)
    })
  }
}

/** Gives the keys of those that were changed meanwhile. */
async function linkChunk (collections: LinkCollections, keys: string[]): Promise<string[]> {
  const { conversations, orders } = collections
  // Before what they are computed from: whoever adds to that afterwards also links, and sees the revision of this write.
  const found = await findByIds(conversations, keys)
  const { derive, attributedTo } = await evidenceOf(collections, found)
  const changed: ConversationDocument[] = []
  const operations: Array<AnyBulkWriteOperation<ConversationDocument>> = []
  const orderChanges: Array<Change<OrderDocument>> = []
  for (const conversation of found) {
    const { _id, revision } = conversation
    const derived = derive(conversation)
    for (const order of attributedTo(conversation)) {
      orderChanges.push({ document: order, change: creditOf(order, conversation, derived.facts.human) })
    }
    if (isSame(conversation, derived)) continue
    changed.push({ ...conversation, activeAt: derived.activeAt })
    operations.push({ updateOne: { filter: { _id, revision }, update: { $set: derived, $inc: { revision: 1 } } } })
  }
  const credited = orderChanges.filter(isNews)
  const vendorId = found[0]?.vendorId ?? ''
  await writeInDays(collections, 'orders', vendorId, credited.map(({ document: { created } }) => created), async () => { await writeChanges(orders, credited) })
  if (operations.length === 0) return []
  await widenExtent(collections, changed)
  const { modifiedCount } = await writeInDays(collections, 'conversations', vendorId, changed.map(({ created }) => created),
    async () => await conversations.bulkWrite(operations, { ordered: false }))
  if (modifiedCount === operations.length) return []
  const now = await findByIds(conversations, changed.map(({ _id }) => _id), { revision: 1 })
  const revisions = new Map(changed.map(({ _id, revision }) => [_id, revision]))
  // Those of this write as well; the next look finds nothing to change in them.
  return now.filter(({ _id, revision }) => revision !== revisions.get(_id)).map(({ _id }) => _id)
}

interface Change<T> { document: T, change: Partial<T> }

const isNews = <T>({ document, change }: Change<T>): boolean => !isSame(document as object, change)

async function writeChanges<T extends Document & { _id: string }> (collection: Collection<T>, changes: Array<Change<T>>): Promise<void> {
  const operations = changes.filter(isNews).map(({ document, change }) => (
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
