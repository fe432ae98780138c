/**
 * Filters of `conversations` (interface.md; decisions.md: entries are ANDed, keys in an entry are ANDed). Each thing that
 * can be filtered by is one text in a conversation's `filterKeys`, which hold the vendor: so one index serves any filter,
 * and no filter can name a field of the database.
 *
 * A filter is a conjunction of groups; a conversation matches a group when it has one of the group's keys.
 */
import type { ConversationDocument, ConversationFacts, OrderDocument } from './documents.js'
import type { Channel, Sentiment } from './records.js'

export interface ConversationFilter {
  expertId?: string | null
  email?: string | null
  conversionStatus?: 'Attributed' | 'Converted' | 'None' | null
  /** Any of them; several entries of the filter ask for all. */
  smartTagIds?: string[] | null
  /** Of a product in an order that is attributed to the conversation. */
  soldProductExternalId?: string | null
  /** Of a product that was recommended in the conversation. */
  recommendedProductExternalId?: string | null
  npsRating?: 'Positive' | 'Negative' | null
  sentiment?: Sentiment | null
  expertChatType?: 'AI' | 'Human' | 'Both' | 'HasAI' | 'HasHuman' | null
  channels?: Channel[] | null
}

type Base = Pick<ConversationDocument, 'vendorId' | 'channel' | 'customer' | 'segment'>

/** Each key stands in two indexes, orders hold up to 500 lines, events recommend up to 50 products, and a conversation has any number of either. */
const maxLinkedProducts = 200

type ProductLink = 'sold' | 'recommended'
type SoldIn = Pick<OrderDocument, 'lineItems'>

/** The products of these orders, which are attributed to one conversation, in their own order whatever that of the orders is. */
export const soldIn = (attributedOrders: readonly SoldIn[]): string[] =>
  attributedOrders.flatMap(({ lineItems }) => lineItems.flatMap(({ product }) => product?.externalId ?? [])).sort()

/** By external ids, the first of them. */
const productKeysOf = (vendorId: string, link: ProductLink, products: readonly string[]): string[] =>
  [...new Set(products)].slice(0, maxLinkedProducts).map((externalId) => keyOf(vendorId, link, externalId))

/** The keys of a conversation, with those for these products in place of the ones that it has. */
export const withProductKeys = (vendorId: string, filterKeys: readonly string[], link: ProductLink, products: readonly string[]): string[] =>
  [...filterKeys.filter((key) => !key.startsWith(keyOf(vendorId, link, ''))), ...productKeysOf(vendorId, link, products)]

const keyOf = (vendorId: string, kind: string, value: string): string => `${vendorId}|${kind}|${value}`

export function filterKeysOf (
  { vendorId, channel, customer, segment }: Base, facts: ConversationFacts, { negativeNps, attributedOrders }: { negativeNps: boolean, attributedOrders: readonly SoldIn[] }
): string[] {
  const keys = [`channel|${channel}`, `conversion|${facts.attributed ? 'Attributed' : facts.converted ? 'Converted' : 'None'}`, `chat|${facts.handledBy}`]
  if (facts.handledBy !== 'Human') keys.push('chat|HasAI')
  if (facts.handledBy !== 'AI') keys.push('chat|HasHuman')
  if (customer?.email != null) keys.push(`email|${customer.email.toLowerCase()}`)
  if (facts.positiveNps) keys.push('nps|Positive')
  if (negativeNps) keys.push('nps|Negative')
  if (segment?.aiInferredSentiment != null) keys.push(`sentiment|${segment.aiInferredSentiment}`)
  for (const id of facts.tagIds) keys.push(`tag|${id}`)
  for (const participant of facts.participants) {
    if (participant.startsWith('expert:')) keys.push(`expert|${participant.slice('expert:'.length)}`)
  }
  return [...keys.map((key) => `${vendorId}|${key}`), ...productKeysOf(vendorId, 'sold', soldIn(attributedOrders)), ...productKeysOf(vendorId, 'recommended', facts.recommended)]
}

/** Tags that people, rules or the AI gave, each once. */
export function tagIdsOf (segment: ConversationDocument['segment']): string[] {
  return [...new Set([...segment?.smartTagIds ?? [], ...(segment?.aiAppliedTags ?? []).map(({ tagId }) => tagId)])]
}

/** The groups, those that few conversations match first. An empty list of values asks for nothing, and matches all. */
export function groupsOf (vendorId: string, filter: readonly ConversationFilter[]): string[][] {
  const ranked: Array<{ rank: number, keys: string[] }> = []
  const add = (rank: number, kind: string, values: readonly string[]): void => {
    if (values.length > 0) ranked.push({ rank, keys: [...new Set(values)].map((value) => keyOf(vendorId, kind, value)) })
  }
  const one = <T extends string>(value: T | null | undefined): T[] => value === null || value === undefined ? [] : [value]
  for (const entry of filter) {
    add(0, 'email', one(entry.email).map((email) => email.toLowerCase()))
    add(1, 'expert', one(entry.expertId))
    add(2, 'tag', entry.smartTagIds ?? [])
    add(2, 'sold', one(entry.soldProductExternalId))
    add(2, 'recommended', one(entry.recommendedProductExternalId))
    add(3, 'nps', one(entry.npsRating))
    add(4, 'conversion', one(entry.conversionStatus))
    add(5, 'sentiment', one(entry.sentiment))
    add(6, 'chat', one(entry.expertChatType))
    add(7, 'channel', entry.channels ?? [])
  }
  return ranked.sort((a, b) => a.rank - b.rank).map(({ keys }) => keys)
}
