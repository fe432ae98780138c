/**
 * What the resolvers of analytics hand down: the stored records in the schema's words. What costs a query is a function,
 * which graphql-js calls only when the field is selected.
 */
import type { Caller } from '../../../domain/access.js'
import { referToProduct, referToVariant, type ConversationDocument, type ConversationEventDocument, type CustomerEventDocument, type OrderDocument, type SessionDocument, type SmartTagDocument } from '../../../domain/analytics/documents.js'
import type { ProductSnapshot, VariantSnapshot } from '../../../domain/analytics/records.js'
import type { CatalogProduct } from '../../../store/analytics/analytics-lookups.js'
import type { Repositories } from '../../../store/repositories.js'
import { callerKey, type Guarded } from '../../auth/caller-key.js'
import { createBatch, type Batch } from '../batch.js'
import { plainCursor } from '../cursors.js'
import type {
  AppliedTag, Attribution, Cart, ConversationAggregateStatistics, ConversationSummary, DetectedIntent, ActionTaken, Expert, KnowledgeCitation,
  ProductReference, SmartTag, UserAgent, VariantReference
} from '../schema-types.js'
import { pageSize } from '../limits/page-size.js'
import type { RowBudget } from '../limits/row-budget.js'

type Later<T> = () => Promise<T>
interface Context { rows: RowBudget }

/** Names are the record's own where it has them, else the catalog's of today. */
type ProductReferenceNode = Pick<ProductReference, 'id' | 'externalId'> & Record<'name' | 'brandName' | 'externalUrl', Later<string | null>>

interface PageInfo { hasNextPage: boolean, hasPrevPage: boolean, startCursor: string | null, endCursor: string | null }
interface Connection<T> extends PageInfo {
  edges: Array<{ cursor: string, node: T }>
  totalCount: Later<number>
}

export interface VendorNode {
  id: string
  name: string
  conversationAggregateStatistics: (args: { start?: Date | string | null, end?: Date | string | null, channel?: ConversationDocument['channel'] | null }) => ConversationAggregateStatisticsNode
}

type Figures = Omit<ConversationAggregateStatistics, '__typename' | 'topProductsByAttributedSales'> & { topProductsByAttributedSales: TopProductNode[] | null }
interface FigureArguments { timezone: string, first?: number | null }
/** Each figure as what computes it. */
export type ConversationAggregateStatisticsNode = Guarded & {
  [Field in keyof Figures]-?: (args: FigureArguments, context: Context) => Promise<Exclude<Figures[Field], undefined>>
}
export interface TopProductNode { numberOfRecommendations: number, numberSold: number, totalSales: number, product: ProductReferenceNode }

export interface CustomerIdentityNode extends Guarded {
  id: string
  suppliedFirstName: string | null
  email: string | null
  location: string | null
}
export interface NpsSurveyNode { id: string, rating: number, expert: Later<Expert | null> }
export interface SegmentStatsNode {
  smartTags: Later<SmartTag[]>
  aiAppliedTags: Later<AppliedTag[]>
  aiInferredSentiment: 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE' | null
  pairingTime: number | null
  totalTimeSpentChatting: number | null
}
export interface ConversationNode extends Guarded, Pick<ConversationDocument, 'id' | 'status' | 'channel' | 'platform' | 'subject' | 'created' | 'updated' | 'externalUrl'> {
  lastMessageDate: Date | null
  customerIdentity: CustomerIdentityNode | null
  currentExpert: Later<Expert | null>
  hasAttributedConversion: (args: { anyExpert?: boolean | null }) => boolean
  hasPositiveNPS: (args: { anyExpert?: boolean | null }) => boolean
  vendorConversationSummaries: ConversationSummary[]
  npsSurveys: Later<NpsSurveyNode[]>
  mostRecentSegmentStats: SegmentStatsNode | null
  events: (args: { last: number }, context: Context) => Promise<ConversationEventConnectionNode>
}
export type ConversationConnectionNode = Connection<ConversationNode>

export interface ConversationEventNode extends Pick<ConversationEventDocument, 'id' | 'body' | 'type' | 'created'> {
  expert: Later<Expert | null>
  detectedIntents: DetectedIntent[]
  actionsTaken: ActionTaken[]
  recommendations: Array<{ product: ProductReferenceNode, variant: VariantReference | null }>
  knowledgeCitations: Later<KnowledgeCitation[]>
}
export type ConversationEventConnectionNode = Connection<ConversationEventNode>

export interface CustomerEventNode extends Pick<CustomerEventDocument, 'id' | 'created' | 'type' | 'name' | 'search'> {
  product: ProductReferenceNode | null
  cart: Cart | null
}
export interface ConversionNode extends Pick<OrderDocument, 'id' | 'created' | 'totalPrice' | 'currency' | 'orderNumber' | 'externalId' | 'externalUrl' | 'platform'> {
  attributionMethod: string | null
  lineItems: Array<{ quantity: number, finalTotalPrice: number, product: ProductReferenceNode | null, variant: VariantReference | null }>
  attribution: (Omit<Attribution, 'chattingExpert'> & { chattingExpert: Later<Expert | null> }) | null
}
export interface ConversionConnectionNode extends Connection<ConversionNode> { nodes: ConversionNode[] }
export interface SessionNode {
  id: string
  lastUserAgent: UserAgent | null
  conversions: (args: { last: number }, context: Context) => Promise<ConversionConnectionNode>
}

export interface AnalyticsNodes {
  conversation (document: ConversationDocument): ConversationNode
  customerEvent (document: CustomerEventDocument): CustomerEventNode
  session (document: SessionDocument): SessionNode
  expert (id: string | null): Promise<Expert | null>
  isCSAgent (expertId: string): Promise<boolean>
  knowledgeDocument (id: string): Promise<{ id: string, title: string | null }>
  product (snapshot: ProductSnapshot): ProductReferenceNode
  smartTag: Batch<SmartTagDocument>
}

const eventPage = { min: 1, max: 1_000, default: 1 }
const conversionPage = { min: 1, max: 200, default: 1 }

export const toSmartTag = ({ id, title, description }: SmartTagDocument): SmartTag => ({ id, title, description })

/** For one root field of one caller. */
export function createAnalyticsNodes (caller: Caller, { analytics }: Pick<Repositories, 'analytics'>): AnalyticsNodes {
  const { vendorId } = caller
  const { conversations, lookups, smartTags } = analytics
  const experts = createBatch(async (ids) => await lookups.experts(vendorId, ids))
  const documents = createBatch(async (ids) => await lookups.knowledgeDocuments(vendorId, ids))
  const catalog: Batch<CatalogProduct> = createBatch(async (ids) => await lookups.catalogProducts(ids))
  const smartTag = createBatch(async (ids) => await smartTags.findMany(vendorId, ids))
  const surveys = createBatch(async (keys) => {
    const byConversation = new Map<string, Awaited<ReturnType<typeof conversations.npsSurveys>>>()
    for (const survey of await conversations.npsSurveys(keys)) {
      byConversation.set(survey.conversationKey, [...byConversation.get(survey.conversationKey) ?? [], survey])
    }
    return byConversation
  })

  /** An expert whose record has not come (yet) is an id without a name. */
  async function expert (id: string | null): Promise<Expert | null> {
    if (id === null) return null
    const found = await experts(id)
    return { id, firstName: found?.firstName ?? null, lastName: found?.lastName ?? null }
  }

  const knowledgeDocument = async (id: string): Promise<{ id: string, title: string | null }> =>
    ({ id, title: (await documents(id))?.title ?? null })

  function product (snapshot: ProductSnapshot): ProductReferenceNode {
    const { id, externalId, ...told } = referToProduct(vendorId, snapshot)
    const named = (field: 'name' | 'brandName' | 'externalUrl') => async () => told[field] ?? (await catalog(id))?.[field] ?? null
    return { id, externalId, name: named('name'), brandName: named('brandName'), externalUrl: named('externalUrl') }
  }

  const variant = (of: ProductSnapshot | null, snapshot: VariantSnapshot | null): VariantReference | null =>
    of === null || snapshot === null ? null : referToVariant(vendorId, of, snapshot)

  async function tags (ids: readonly string[]): Promise<SmartTag[]> {
    const found = await Promise.all(ids.map(smartTag))
    return found.filter((tag) => tag !== undefined).map(toSmartTag)
  }

  function segmentStats (segment: NonNullable<ConversationDocument['segment']>): SegmentStatsNode {
    const { smartTagIds, aiAppliedTags, ...rest } = segment
    return {
      ...rest,
      smartTags: async () => await tags(smartTagIds),
      aiAppliedTags: async () => (await Promise.all(aiAppliedTags.map(async ({ tagId, weight, explanation }) => {
        const [tag] = await tags([tagId])
        return tag === undefined ? [] : [{ tag, weight, explanation }]
      }))).flat()
    }
  }

  function conversation (document: ConversationDocument): ConversationNode {
    const { _id, facts, customer, segment, currentExpertId, summaries } = document
    const ofCurrent = (ids: string[]): boolean => currentExpertId !== null && ids.includes(currentExpertId)
    return {
      ...document,
      [callerKey]: caller,
      lastMessageDate: facts.lastMessageAt,
      customerIdentity: customer === null ? null : { ...customer, [callerKey]: caller },
      currentExpert: async () => await expert(currentExpertId),
      hasAttributedConversion: ({ anyExpert }) => anyExpert === false ? ofCurrent(facts.attributedExpertIds) : facts.attributed,
      hasPositiveNPS: ({ anyExpert }) => anyExpert === false ? ofCurrent(facts.positiveNpsExpertIds) : facts.positiveNps,
      vendorConversationSummaries: summaries.map((summary) => ({ summary })),
      npsSurveys: async () => (await surveys(_id) ?? []).map(({ id, rating, expertId }) => ({ id, rating, expert: async () => await expert(expertId) })),
      mostRecentSegmentStats: segment === null ? null : segmentStats(segment),
      async events ({ last: wanted }, { rows }) {
        const last = pageSize(wanted, eventPage, 'last')
        rows.take('event', last)
        const { events, hasEarlier } = await conversations.events(_id, last)
        return { ...connectionOf(events.map(conversationEvent), { hasPrevPage: hasEarlier }), totalCount: async () => await conversations.countEvents(_id) }
      }
    }
  }

  const conversationEvent = ({ expertId, recommendations, citedKnowledgeDocumentIds, ...rest }: ConversationEventDocument): ConversationEventNode => ({
    ...rest,
    expert: async () => await expert(expertId),
    recommendations: recommendations.map((each) => ({ product: product(each.product), variant: variant(each.product, each.variant) })),
    knowledgeCitations: async () => await Promise.all(citedKnowledgeDocumentIds.map(async (id) => ({ knowledgeDocument: await knowledgeDocument(id) })))
  })

  const conversion = ({ attribution, lineItems, ...rest }: OrderDocument): ConversionNode => ({
    ...rest,
    attributionMethod: attribution?.method ?? null,
    attribution: attribution === null ? null : { method: attribution.method, chattingExpert: async () => await expert(attribution.chattingExpertId) },
    lineItems: lineItems.map(({ quantity, finalTotalPrice, product: sold, variant: soldVariant }) => (
      { quantity, finalTotalPrice, product: sold === null ? null : product(sold), variant: variant(sold, soldVariant) }
    ))
  })

  return {
    conversation,
    expert,
    isCSAgent: async (id) => (await experts(id))?.isCSAgent ?? false,
    knowledgeDocument,
    product,
    smartTag,
    customerEvent: ({ product: seen, cartId, ...rest }) =>
      ({ ...rest, product: seen === null ? null : product(seen), cart: cartId === null ? null : { id: cartId } }),
    session: ({ _id, id, lastUserAgent }) => ({
      id,
      lastUserAgent,
      async conversions ({ last: wanted }, { rows }) {
        const last = pageSize(wanted, conversionPage, 'last')
        rows.take('node', last)
        const { orders, hasEarlier } = await lookups.ordersOfSession(_id, last)
        const nodes = orders.map(conversion)
        return { ...connectionOf(nodes, { hasPrevPage: hasEarlier }), nodes, totalCount: async () => await lookups.countOrdersOfSession(_id) }
      }
    })
  }
}

/** The end of a list. */
function connectionOf<T extends { id: string }> (nodes: T[], { hasPrevPage }: { hasPrevPage: boolean }): Omit<Connection<T>, 'totalCount'> {
  const edges = nodes.map((node) => ({ cursor: plainCursor(node.id), node }))
  return { edges, hasNextPage: false, hasPrevPage, startCursor: edges.at(0)?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null }
}
