/** Reading conversations, their events and surveys. */
import type { Document } from 'mongodb'
import type { ConversationDocument, ConversationEventDocument, CustomerEventDocument, SurveyDocument } from '../../domain/analytics/documents.js'
import { recordKey } from '../../domain/analytics/documents.js'
import { createChangeMarks } from '../database/change-marks.js'
import type { Collections } from '../database/connection.js'
import { countByLandmarks } from '../database/count-by-landmarks.js'
import { countThrough } from '../database/count-through.js'
import type { Within } from '../database/counted.js'
import { createKeptCounts } from '../database/kept-counts.js'
import { serverOf } from '../database/server-of.js'
import { createConversationPages, extentIn, ofHour, type ConversationsAmong, type ReadConversationPage } from './conversation-pages.js'
import { createdIn } from './created-in.js'
import { createRecordPages, recordsPerPage } from './record-pages.js'

export interface Conversations {
  find (vendorId: string, id: string): Promise<ConversationDocument | null>
  findByKey (vendorId: string, key: string): Promise<ConversationDocument | null>
  page: ReadConversationPage
  /** See database/kept-counts for how old it may be. */
  count (vendorId: string, among: ConversationsAmong): Promise<number>
  /** The newest `last`, oldest first, and whether there are more before them. */
  events (conversationKey: string, last: number): Promise<{ events: ConversationEventDocument[], hasEarlier: boolean }>
  countEvents (conversationKey: string): Promise<number>
  /** NPS surveys, oldest first, of many conversations. */
  npsSurveys (conversationKeys: string[]): Promise<SurveyDocument[]>
  /** The newest of a session, oldest first. */
  customerEvents (sessionKey: string, last: number): Promise<CustomerEventDocument[]>
}

const maxSurveys = 1_000

export function createConversations (collections: Collections, lookedAtPerCommand = recordsPerPage): Conversations {
  const { conversations, conversationEvents, customerEvents, surveys, conversationExtents } = collections
  const countKept = createKeptCounts(createChangeMarks(collections, 'conversations').read)

  async function findByKey (vendorId: string, key: string): Promise<ConversationDocument | null> {
    const found = await conversations.findOne({ _id: key })
    return found?.vendorId === vendorId ? found : null
  }

  /** Of those in a page, that have a key of each group. */
  async function countAmong (first: Document, groups: string[][], page: Document, hour: Document[]): Promise<number> {
    return await countThrough(conversations, [
      { $match: { ...first, ...page } },
      ...hour,
      ...groups.map((keys) => ({ $match: { filterKeys: { $in: keys } } }))
    ])
  }

  async function count (vendorId: string, { groups, period, hour }: ConversationsAmong): Promise<number> {
    const [rarest = [], ...others] = groups
    const [key] = rarest
    // A list of keys is no order of the index: then it is the vendor's.
    const equal: Document = rarest.length === 1 ? { filterKeys: key } : { vendorId }
    const extent = hour === null ? null : await extentIn(conversationExtents, vendorId, period)
    if (hour !== null && extent === null) return 0
    const inHour = extent === null ? [] : ofHour(hour, extent)
    const isOfOneKey = rarest.length <= 1
    const isAll = others.length === 0 && isOfOneKey && hour === null
    if (!(await serverOf(conversations).profile()).stopsAtLimit) {
      return await countByLandmarks(conversations, {
        along: 'created',
        within: (createdIn(period)['created'] ?? {}) as Within,
        indexed: (created) => ({ ...equal, ...(created === null ? {} : { created }) }),
        // Keys of which there are several are looked at afterwards: such a server takes no list of them for a range, and would go through all that have any.
        ...(isAll ? {} : { count: async (created) => await countAmong(equal, isOfOneKey ? others : groups, created === null ? {} : { created }, inHour) })
      })
    }
    const first: Document = isOfOneKey ? equal : { filterKeys: { $in: rarest } }
    const few = await conversations.countDocuments({ ...equal, ...createdIn(period) }, { limit: lookedAtPerCommand + 1 })
    if (few <= lookedAtPerCommand) return isAll ? few : await countAmong(first, others, createdIn(period), inHour)
    let total = 0
    for await (const match of createRecordPages(conversations, equal, period, { pageSize: lookedAtPerCommand }).walk()) {
      total += isAll ? await conversations.countDocuments(match) : await countAmong(first, others, rangeIn(match), inHour)
    }
    return total
  }

  return {
    find: async (vendorId, id) => await findByKey(vendorId, recordKey(vendorId, 'conversations', id)),
    findByKey,
    page: createConversationPages(collections, lookedAtPerCommand),
    async count (vendorId, among) {
      const counted = async (): Promise<number> => await count(vendorId, among)
      // A zone has no name.
      return among.hour === null ? await countKept(vendorId, JSON.stringify([among.groups, among.period]), counted) : await counted()
    },
    async events (conversationKey, last) {
      const found = await conversationEvents.find({ conversationKey }).sort({ created: -1, _id: -1 }).limit(last + 1).toArray()
      return { events: found.slice(0, last).reverse(), hasEarlier: found.length > last }
    },
    countEvents: async (conversationKey) => await conversationEvents.countDocuments({ conversationKey }),
    async npsSurveys (conversationKeys) {
      const found: SurveyDocument[] = []
      for (let from = 0; from < conversationKeys.length; from += 50) {
        const filter = { conversationKey: { $in: conversationKeys.slice(from, from + 50) } }
        found.push(...await surveys.find(filter).limit(maxSurveys).toArray())
      }
      return found.filter(({ type }) => type === 'NPS').sort((a, b) => a.created.getTime() - b.created.getTime() || (a._id < b._id ? -1 : 1))
    },
    async customerEvents (sessionKey, last) {
      return (await customerEvents.find({ sessionKey }).sort({ created: -1, _id: -1 }).limit(last).toArray()).reverse()
    }
  }
}

/** Of a page of records, without what is equal in all of them. */
const rangeIn = (match: Document): Document => Object.fromEntries(Object.entries(match).filter(([field]) => field === 'created' || field === '_id'))
