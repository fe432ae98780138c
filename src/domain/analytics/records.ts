/**
 * The kinds of analytics records as they come in (interface.md, "Analytics records"; decisions.md, "Analytics").
 * docs/analytics.md has the same tables for people; a test holds the two together.
 */
import {
  choice, currencyCode, flag, idText, instant, money, object, optional, readerOf, required, seconds, several, textOf, url,
  wholeNumber, type Fields, type RecordOf
} from './field.js'
import type { Fault } from '../issue.js'

export const channels = ['ServiceChat', 'HelpdeskOneTicket', 'HelpdeskTwoTicket', 'HelpdeskThreeConversation'] as const
export const sentiments = ['POSITIVE', 'NEUTRAL', 'NEGATIVE'] as const
export const eventTypes = ['CustomerMessage', 'AIMessage', 'ExpertMessage', 'ExpertJoined', 'Recommendation', 'Closed'] as const
export const customerEventTypes = ['ProductPageView', 'CategoryPageView', 'PageView', 'Search', 'CartAdd', 'CartRemove'] as const
export type Channel = (typeof channels)[number]
export type Sentiment = (typeof sentiments)[number]

const product = object({
  externalId: required(idText, 'the product\'s external id in the catalog'),
  name: optional(textOf(255), 'its name then; the catalog\'s when left out'),
  brandName: optional(textOf(255), 'its brand then'),
  externalUrl: optional(url, 'its page then')
})
const variant = object({
  externalId: required(idText, 'the variant\'s external id in the catalog'),
  name: optional(textOf(255), 'its name then')
})

const conversation = {
  id: required(idText, 'unique within the vendor'),
  status: required(choice(['OPEN', 'CLOSED']), ''),
  channel: required(choice(channels), ''),
  platform: optional(choice(['WEB', 'EMAIL', 'SMS', 'SOCIAL']), ''),
  subject: optional(textOf(1_000), ''),
  created: required(instant, 'when it began; decides the period that it belongs to'),
  lastMessageDate: optional(instant, 'the newer of this and the newest message event counts'),
  updated: optional(instant, '`created` when left out'),
  externalUrl: optional(url, ''),
  sessionId: optional(idText, 'the customer\'s session'),
  currentExpertId: optional(idText, 'the expert in charge'),
  customer: optional(object({
    id: required(idText, ''),
    suppliedFirstName: optional(textOf(255), 'needs VIEW_PII to be read'),
    email: optional(textOf(320), 'needs VIEW_PII to be read; filtered by in lower case'),
    location: optional(textOf(255), '')
  }), ''),
  summaries: several(textOf(5_000), 20, ''),
  segment: optional(object({
    smartTagIds: several(idText, 50, 'tags that people or rules gave'),
    aiAppliedTags: several(object({
      tagId: required(idText, ''),
      weight: optional(money, ''),
      explanation: optional(textOf(2_000), '')
    }), 50, 'tags that the AI gave'),
    aiInferredSentiment: optional(choice(sentiments), ''),
    pairingTime: optional(seconds, 'until the customer was paired with whoever answered'),
    totalTimeSpentChatting: optional(seconds, 'that experts spent in the chat')
  }), 'the most recent segment')
} satisfies Fields

const conversationEvent = {
  id: required(idText, 'unique within the vendor'),
  conversationId: required(idText, ''),
  created: required(instant, ''),
  type: required(choice(eventTypes), ''),
  body: optional(textOf(20_000), 'the message'),
  expertId: optional(idText, 'who wrote or joined; with AIMessage and Recommendation: the expert in whose name the AI wrote'),
  detectedIntents: several(object({
    id: required(idText, ''), name: required(textOf(255), ''), explanation: optional(textOf(2_000), '')
  }), 20, ''),
  actionsTaken: several(object({ name: required(textOf(255), ''), success: required(flag, '') }), 20, ''),
  recommendations: several(object({ product: required(product, ''), variant: optional(variant, '') }), 50, ''),
  citedKnowledgeDocumentIds: several(idText, 50, '')
} satisfies Fields

const customerEvent = {
  id: required(idText, 'unique within the vendor'),
  sessionId: required(idText, ''),
  created: required(instant, ''),
  type: required(choice(customerEventTypes), ''),
  name: optional(textOf(255), 'of the category'),
  search: optional(textOf(1_000), 'what was searched for'),
  product: optional(product, ''),
  cartId: optional(idText, '')
} satisfies Fields

const session = {
  id: required(idText, 'unique within the vendor'),
  lead: optional(idText, 'the customer lead; `sessionByVendorId` answers with the newest session of a lead'),
  created: required(instant, 'decides the period that it belongs to'),
  lastUserAgent: optional(object({
    browser: optional(textOf(255), ''), deviceType: optional(textOf(255), ''), deviceModel: optional(textOf(255), '')
  }), '')
} satisfies Fields

const order = {
  id: required(idText, 'unique within the vendor'),
  sessionId: optional(idText, 'the session that it was placed in'),
  created: required(instant, 'decides the period that it belongs to'),
  totalPrice: required(money, 'in `currency`'),
  currency: required(currencyCode, ''),
  totalPriceUSD: optional(money, 'required unless `currency` is USD'),
  orderNumber: optional(textOf(255), ''),
  externalId: optional(idText, ''),
  externalUrl: optional(url, ''),
  platform: optional(textOf(255), ''),
  attribution: optional(object({
    method: required(textOf(255), 'how it was attributed'),
    conversationId: optional(idText, 'the conversation that it is attributed to'),
    chattingExpertId: optional(idText, 'the expert who is credited'),
    asAiPersona: optional(flag, 'the AI chatted in that expert\'s name')
  }), 'left out or null: the order is not attributed to chat'),
  lineItems: several(object({
    quantity: required(wholeNumber(0, 1_000_000), ''),
    finalTotalPrice: required(money, 'of the line, in `currency`'),
    product: optional(product, ''),
    variant: optional(variant, '')
  }), 500, '')
} satisfies Fields

const smartTag = {
  id: required(idText, 'unique within the vendor'),
  title: required(idText, ''),
  description: optional(textOf(2_000), '')
} satisfies Fields

const expert = {
  id: required(idText, 'unique within the vendor'),
  firstName: optional(textOf(255), ''),
  lastName: optional(textOf(255), ''),
  isCSAgent: optional(flag, 'a customer service agent of the vendor')
} satisfies Fields

const knowledgeDocument = {
  id: required(idText, 'unique within the vendor'),
  title: optional(textOf(1_000), '')
} satisfies Fields

const survey = {
  id: required(idText, 'unique within the vendor'),
  conversationId: required(idText, ''),
  created: required(instant, ''),
  type: required(choice(['NPS', 'CSAT']), ''),
  rating: required(wholeNumber(0, 10), 'NPS 0 to 10, CSAT 1 to 5'),
  expertId: optional(idText, 'whom it is about')
} satisfies Fields

export const recordFields = {
  conversations: conversation,
  'conversation-events': conversationEvent,
  'customer-events': customerEvent,
  sessions: session,
  orders: order,
  'smart-tags': smartTag,
  experts: expert,
  'knowledge-documents': knowledgeDocument,
  surveys: survey
} satisfies Record<string, Fields>

export type RecordKind = keyof typeof recordFields
export const recordKinds = Object.keys(recordFields) as RecordKind[]
export const isRecordKind = (name: unknown): name is RecordKind => typeof name === 'string' && Object.hasOwn(recordFields, name)

export type AnalyticsRecords = { [Kind in RecordKind]: RecordOf<(typeof recordFields)[Kind]> }
export type AnalyticsRecord = AnalyticsRecords[RecordKind]
export type ProductSnapshot = NonNullable<AnalyticsRecords['customer-events']['product']>
export type VariantSnapshot = NonNullable<AnalyticsRecords['orders']['lineItems'][number]['variant']>

const readers = Object.fromEntries(
  Object.entries(recordFields).map(([kind, fields]) => [kind, readerOf(fields as Fields)])
) as unknown as { [Kind in RecordKind]: (value: unknown, faults: Fault[]) => AnalyticsRecords[Kind] }

/** A record of the kind in normal form; after a fault was pushed the result is meaningless. */
export function readRecord<Kind extends RecordKind> (kind: Kind, value: unknown, faults: Fault[]): AnalyticsRecords[Kind] {
  const before = faults.length
  const record = readers[kind](value, faults)
  if (faults.length === before) {
    if (kind === 'orders') completeOrder(record as AnalyticsRecords['orders'], faults)
    if (kind === 'surveys') checkRating(record as AnalyticsRecords['surveys'], faults)
  }
  return record
}

/** An order in USD says its amount once. */
function completeOrder (order: AnalyticsRecords['orders'], faults: Fault[]): void {
  if (order.totalPriceUSD !== null) return
  if (order.currency === 'USD') order.totalPriceUSD = order.totalPrice
  else faults.push({ code: 'required', path: 'totalPriceUSD' })
}

function checkRating ({ type, rating }: AnalyticsRecords['surveys'], faults: Fault[]): void {
  if (type === 'CSAT' && (rating < 1 || rating > 5)) faults.push({ code: 'wrong-type', path: 'rating', detail: 'an integer from 1 to 5' })
}
