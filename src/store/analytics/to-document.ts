/** A record as the document that is inserted for it; what is derived from others begins as if there were none. */
import { hash } from 'node:crypto'
import { deriveConversation } from '../../domain/analytics/conversation-facts.js'
import { recordKey, type AnalyticsDocuments } from '../../domain/analytics/documents.js'
import type { AnalyticsRecords, RecordKind } from '../../domain/analytics/records.js'

type ToDocument<Kind extends RecordKind> =
  (record: AnalyticsRecords[Kind], vendorId: string) => Omit<AnalyticsDocuments[Kind], '_id' | 'vendorId' | 'digest'>

const nothing = { events: [], surveys: [], attributedOrders: [], sessionHasOrder: false }
const keyOrNull = (vendorId: string, kind: RecordKind, id: string | null | undefined): string | null =>
  id === null || id === undefined ? null : recordKey(vendorId, kind, id)

const toDocument: { [Kind in RecordKind]: ToDocument<Kind> } = {
  conversations (record, vendorId) {
    const base = {
      ...record,
      updated: record.updated ?? record.created,
      sessionKey: keyOrNull(vendorId, 'sessions', record.sessionId),
      revision: 0
    }
    return { ...base, ...deriveConversation({ ...base, _id: '', vendorId }, nothing) }
  },
  'conversation-events': ({ conversationId, ...record }, vendorId) =>
    ({ ...record, conversationKey: recordKey(vendorId, 'conversations', conversationId) }),
  'customer-events': ({ sessionId, ...record }, vendorId) => ({ ...record, sessionKey: recordKey(vendorId, 'sessions', sessionId) }),
  sessions: (record) => ({ ...record, chatted: false, ordered: false }),
  orders: (record, vendorId) => ({
    ...record,
    totalPriceUSD: record.totalPriceUSD ?? record.totalPrice,
    usdRate: record.totalPrice === 0 ? 1 : (record.totalPriceUSD ?? record.totalPrice) / record.totalPrice,
    attributed: record.attribution !== null,
    sessionKey: keyOrNull(vendorId, 'sessions', record.sessionId),
    conversationKey: keyOrNull(vendorId, 'conversations', record.attribution?.conversationId),
    chatted: false,
    sessionChannels: [],
    attributedChannel: null,
    attributedToHuman: isCreditedToHuman(record)
  }),
  'smart-tags': (record) => ({ ...record, editedAt: null, deletedAt: null }),
  experts: (record) => record,
  'knowledge-documents': (record) => record,
  surveys: ({ conversationId, ...record }, vendorId) => ({ ...record, conversationKey: recordKey(vendorId, 'conversations', conversationId) })
}

/** What an order says by itself; its conversation, once known, knows better. */
export const isCreditedToHuman = ({ attribution }: Pick<AnalyticsRecords['orders'], 'attribution'>): boolean =>
  attribution?.chattingExpertId != null && attribution.asAiPersona !== true

export function documentOf<Kind extends RecordKind> (kind: Kind, vendorId: string, record: AnalyticsRecords[Kind]): AnalyticsDocuments[Kind] {
  const digest = hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22)
  return { _id: recordKey(vendorId, kind, record.id), vendorId, digest, ...toDocument[kind](record, vendorId) } as unknown as AnalyticsDocuments[Kind]
}

/** Of each kind, what others decide: a record that comes again leaves it alone. */
export const derivedFields: { [Kind in RecordKind]: ReadonlyArray<keyof AnalyticsDocuments[Kind]> } = {
  conversations: ['activeAt', 'facts', 'filterKeys', 'revision'],
  'conversation-events': [],
  'customer-events': [],
  sessions: ['chatted', 'ordered'],
  orders: ['chatted', 'sessionChannels', 'attributedChannel', 'attributedToHuman'],
  'smart-tags': ['editedAt', 'deletedAt'],
  experts: [],
  'knowledge-documents': [],
  surveys: []
}
