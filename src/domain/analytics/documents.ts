/**
 * Analytics records as they are stored: the record itself, and what is derived from others that concern it, so that every
 * list and figure reads one collection over one index.
 *
 * Ids are deterministic: a record that comes again meets itself. Keys of other records (`conversationKey`, `sessionKey`)
 * are their `_id`s, which hold the vendor, so a look-up by key never leaves the vendor.
 */
import { hash } from 'node:crypto'
import { productId, variantId } from '../product.js'
import type { AnalyticsRecords, Channel, ProductSnapshot, RecordKind, VariantSnapshot } from './records.js'

interface Stored {
  _id: string
  vendorId: string
  /** Of the record as it came; tells a changed one. */
  digest: string
  /** What it was part of before it moved on, until that has been linked without it; absent otherwise. */
  left?: Links[]
}

/** What a record is part of. */
export interface Links { conversationKey?: string | null, sessionKey?: string | null }

export type HandledBy = 'AI' | 'Human' | 'Both'

/** What a conversation's events, surveys and orders say about it; see conversation-facts. */
export interface ConversationFacts {
  handledBy: HandledBy
  /** At least one human expert took part. */
  human: boolean
  /** The newest message, told by the record or an event; null: none yet. */
  lastMessageAt: Date | null
  /** Who took part: `expert:ID`, and `persona:ID` where the AI wrote in an expert's name. Each once. */
  participants: string[]
  /** Smart tags that people, rules or the AI gave, each once. */
  tagIds: string[]
  /** From the beginning to the first ExpertJoined. */
  joinSeconds: number | null
  /** Customer messages that an expert answered, and how long they waited in all. */
  responses: number
  responseSeconds: number
  /** External ids of products, ids of documents, as often as they were recommended or cited. */
  recommended: string[]
  cited: string[]
  csatRatings: number
  csatSum: number
  positiveNps: boolean
  positiveNpsExpertIds: string[]
  /** The session has an order, attributed or not. */
  converted: boolean
  attributed: boolean
  attributedExpertIds: string[]
}

type OrderRecord = AnalyticsRecords['orders']

export interface ConversationDocument extends Stored, Omit<AnalyticsRecords['conversations'], 'updated'> {
  updated: Date
  sessionKey: string | null
  /** `facts.lastMessageAt`, `created` when there is none: what lists are sorted by. */
  activeAt: Date
  facts: ConversationFacts
  /** Everything that lists are filtered by, as one indexed list; see conversation-filter. */
  filterKeys: string[]
  /** +1 with every write of record or facts: facts that were computed from older ones are not written. */
  revision: number
}

export interface ConversationEventDocument extends Stored, Omit<AnalyticsRecords['conversation-events'], 'conversationId'> {
  conversationKey: string
}

export interface CustomerEventDocument extends Stored, Omit<AnalyticsRecords['customer-events'], 'sessionId'> {
  sessionKey: string
}

export interface SessionDocument extends Stored, Omit<AnalyticsRecords['sessions'], 'id'> {
  id: string
  /** Derived: it has a conversation, an order. */
  chatted: boolean
  ordered: boolean
}

export interface OrderDocument extends Stored, OrderRecord {
  totalPriceUSD: number
  /** USD for one of `currency`, as of this order. */
  usdRate: number
  attributed: boolean
  sessionKey: string | null
  /** Of the conversation that it is attributed to. */
  conversationKey: string | null
  /** Derived: the session has a conversation; in these channels. */
  chatted: boolean
  sessionChannels: Channel[]
  /** Derived: channel of the conversation that it is attributed to; whether a human expert took part in it. */
  attributedChannel: Channel | null
  attributedToHuman: boolean
}

export interface SmartTagDocument extends Stored, Omit<AnalyticsRecords['smart-tags'], 'id'> {
  id: string
  /** Changed over the API: a load does not undo that. */
  editedAt: Date | null
  deletedAt: Date | null
}

export interface ExpertDocument extends Stored, Omit<AnalyticsRecords['experts'], 'id'> { id: string }
export interface KnowledgeDocumentDocument extends Stored, Omit<AnalyticsRecords['knowledge-documents'], 'id'> { id: string }

export interface SurveyDocument extends Stored, Omit<AnalyticsRecords['surveys'], 'conversationId'> {
  conversationKey: string
}

export interface AnalyticsDocuments {
  conversations: ConversationDocument
  'conversation-events': ConversationEventDocument
  'customer-events': CustomerEventDocument
  sessions: SessionDocument
  orders: OrderDocument
  'smart-tags': SmartTagDocument
  experts: ExpertDocument
  'knowledge-documents': KnowledgeDocumentDocument
  surveys: SurveyDocument
}

/** 128 bits of SHA-256. The foreign id stands last, so whatever it holds cannot run into the others. */
export const recordKey = (vendorId: string, kind: RecordKind, id: string): string =>
  hash('sha256', `${vendorId}\0${kind}\0${id}`, 'base64url').slice(0, 22)

/** Product and variant of a record as the API refers to them; the ids are those of the catalog. */
export interface ProductReferenceRecord { id: string, externalId: string, name: string | null, brandName: string | null, externalUrl: string | null }

export const referToProduct = (vendorId: string, product: ProductSnapshot): ProductReferenceRecord =>
  ({ id: productId(vendorId, product.externalId), ...product })

export const referToVariant = (vendorId: string, product: ProductSnapshot, variant: VariantSnapshot): { id: string, name: string | null } =>
  ({ id: variantId(productId(vendorId, product.externalId), variant.externalId), name: variant.name })
