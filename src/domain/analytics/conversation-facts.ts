/**
 * What a conversation's events, surveys and orders say about it (decisions.md, "Analytics"). Pure and a function of its
 * input alone: whatever order records came in, and however often, the facts are the same.
 *
 *   human        an expert joined or wrote a message
 *   handledBy    AI: no expert took part; Both: an expert and the AI wrote; Human: the rest
 *   response     a customer's message to the next expert message; each customer message counts once
 */
import type { ConversationDocument, ConversationEventDocument, ConversationFacts, OrderDocument, SurveyDocument } from './documents.js'
import { filterKeysOf, tagIdsOf } from './conversation-filter.js'

/** One conversation can have any number of events; its facts stay a small document. */
const maxListed = 1_000

export const npsPositiveFrom = 9
export const npsNegativeTo = 6

export type FactEvent = Pick<ConversationEventDocument, '_id' | 'type' | 'created' | 'expertId' | 'recommendations' | 'citedKnowledgeDocumentIds'>
export type FactOrder = Pick<OrderDocument, 'attribution' | 'conversationKey' | 'lineItems'>
export type FactSurvey = Pick<SurveyDocument, 'type' | 'rating' | 'expertId'>

export interface ConversationEvidence {
  /** In any order. */
  events: FactEvent[]
  surveys: FactSurvey[]
  /** Attributed to the conversation. */
  attributedOrders: FactOrder[]
  sessionHasOrder: boolean
}

export type DerivedConversation = Pick<ConversationDocument, 'activeAt' | 'facts' | 'filterKeys'>

type Base = Pick<ConversationDocument, '_id' | 'vendorId' | 'created' | 'lastMessageDate' | 'channel' | 'customer' | 'segment'>

const messages = new Set(['CustomerMessage', 'AIMessage', 'ExpertMessage', 'Recommendation'])

export function deriveConversation (conversation: Base, evidence: ConversationEvidence): DerivedConversation {
  const events = [...evidence.events].sort((a, b) => a.created.getTime() - b.created.getTime() || (a._id < b._id ? -1 : 1))
  const participants = new Set<string>()
  const recommended: string[] = []
  const cited: string[] = []
  let lastMessageAt = conversation.lastMessageDate?.getTime() ?? -Infinity
  let human = false
  let ai = false
  let joinedAt: number | null = null
  let responses = 0
  let responseSeconds = 0
  /** Customer messages that wait for an expert. */
  let waiting: number[] = []

  for (const { type, created, expertId, recommendations, citedKnowledgeDocumentIds } of events) {
    const at = created.getTime()
    if (messages.has(type)) lastMessageAt = Math.max(lastMessageAt, at)
    if (type === 'ExpertJoined') joinedAt ??= at
    if (type === 'ExpertJoined' || type === 'ExpertMessage') {
      human = true
      if (expertId !== null) participants.add(`expert:${expertId}`)
    }
    if (type === 'AIMessage' || type === 'Recommendation') {
      ai ||= type === 'AIMessage'
      if (expertId !== null) participants.add(`persona:${expertId}`)
    }
    if (type === 'CustomerMessage') waiting.push(at)
    if (type === 'ExpertMessage') {
      responses += waiting.length
      for (const askedAt of waiting) responseSeconds += (at - askedAt) / 1_000
      waiting = []
    }
    for (const { product } of recommendations) recommended.push(product.externalId)
    cited.push(...citedKnowledgeDocumentIds)
  }

  const { surveys, attributedOrders, sessionHasOrder } = evidence
  const csat = surveys.filter(({ type }) => type === 'CSAT')
  const nps = surveys.filter(({ type }) => type === 'NPS')
  const positive = nps.filter(({ rating }) => rating >= npsPositiveFrom)
  const facts: ConversationFacts = {
    handledBy: !human ? 'AI' : ai ? 'Both' : 'Human',
    human,
    lastMessageAt: lastMessageAt === -Infinity ? null : new Date(lastMessageAt),
    participants: [...participants].sort().slice(0, maxListed),
    tagIds: tagIdsOf(conversation.segment),
    joinSeconds: joinedAt === null ? null : Math.max(0, joinedAt - conversation.created.getTime()) / 1_000,
    responses,
    responseSeconds,
    recommended: recommended.slice(0, maxListed),
    cited: cited.slice(0, maxListed),
    csatRatings: csat.length,
    csatSum: csat.reduce((sum, { rating }) => sum + rating, 0),
    positiveNps: positive.length > 0,
    positiveNpsExpertIds: idsOf(positive.map(({ expertId }) => expertId)),
    converted: sessionHasOrder || attributedOrders.length > 0,
    attributed: attributedOrders.length > 0,
    attributedExpertIds: idsOf(attributedOrders.map(({ attribution }) => attribution?.chattingExpertId ?? null))
  }
  return {
    activeAt: facts.lastMessageAt ?? conversation.created,
    facts,
    filterKeys: filterKeysOf(conversation, facts, { negativeNps: nps.some(({ rating }) => rating <= npsNegativeTo), attributedOrders })
  }
}

const idsOf = (ids: Array<string | null>): string[] => [...new Set(ids.filter((id) => id !== null))].sort().slice(0, maxListed)
