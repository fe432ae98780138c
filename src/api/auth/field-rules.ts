/**
 * What single fields of the schema need beyond their root field (interface.md, "Permissions"; decisions.md, "Analytics"):
 * the field is null, with FORBIDDEN at its path, and the rest of the answer stands.
 *
 * Only root resolvers are handed the caller. They leave it on the objects that they hand down, under a symbol, which no
 * record and no client can name; an object of a guarded type without it is a mistake of ours, and refused.
 */
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql'
import type { Caller, Permission } from '../../domain/access.js'
import type { Conversation, ConversationAggregateStatistics, CustomerIdentity } from '../graphql/generated.js'
import { assertPermitted } from './access.js'
import { callerKey, type Guarded } from './caller-key.js'

type FieldsOf<T> = Exclude<keyof T, '__typename'>

interface FieldRules {
  /** Every one, so that a new figure cannot be forgotten. */
  ConversationAggregateStatistics: Record<FieldsOf<ConversationAggregateStatistics>, Permission>
  Conversation: Partial<Record<FieldsOf<Conversation>, Permission>>
  CustomerIdentity: Partial<Record<FieldsOf<CustomerIdentity>, Permission>>
}

export const fieldRules: FieldRules = {
  ConversationAggregateStatistics: {
    numberOfChats: 'VIEW_CONVERSATIONS',
    numberOfAIChats: 'VIEW_CONVERSATIONS',
    numberOfHumanChats: 'VIEW_CONVERSATIONS',
    automationRate: 'VIEW_CONVERSATIONS',
    totalValueOfConversationsAttributedToChat: 'VIEW_CONVERSIONS',
    totalValueOfConversationsAttributedToHumanChat: 'VIEW_CONVERSIONS',
    totalValueOfConversationsAttributedToAIChat: 'VIEW_CONVERSIONS',
    numberOfConversionsAttributed: 'VIEW_CONVERSIONS',
    conversionRateForChatters: 'VIEW_CONVERSIONS',
    conversionRateForNonChatters: 'VIEW_CONVERSIONS',
    aovForChatters: 'VIEW_CONVERSIONS',
    aovForNonChatters: 'VIEW_CONVERSIONS',
    aovForAttributedConversions: 'VIEW_CONVERSIONS',
    aovForNonAttributedConversions: 'VIEW_CONVERSIONS',
    averageExpertResponseTime: 'VIEW_CONVERSATIONS',
    medianJoinTime: 'VIEW_CONVERSATIONS',
    totalManHoursSpentInChat: 'VIEW_CONVERSATIONS',
    attributedRevenueTimeSeries: 'VIEW_CONVERSIONS',
    chatsByHourHistogram: 'VIEW_CONVERSATIONS',
    chatsByDayOfWeekHistogram: 'VIEW_CONVERSATIONS',
    chatsByHourOfWeekHistogram: 'VIEW_CONVERSATIONS',
    chatsTimeSeries: 'VIEW_CONVERSATIONS',
    topProductsByAttributedSales: 'VIEW_CONVERSIONS',
    topExpertByAttributedSales: 'VIEW_CONVERSIONS',
    topExperts: 'VIEW_CONVERSATIONS',
    topCitedKnowledge: 'VIEW_CONVERSATIONS',
    minutesSavedByRemark: 'VIEW_CONVERSATIONS',
    csatScore: 'VIEW_NPS'
  },
  Conversation: {
    hasAttributedConversion: 'VIEW_CONVERSIONS',
    hasPositiveNPS: 'VIEW_NPS',
    npsSurveys: 'VIEW_NPS'
  },
  CustomerIdentity: {
    email: 'VIEW_PII',
    suppliedFirstName: 'VIEW_PII'
  }
}

type Resolvers = Record<string, Record<string, GraphQLFieldResolver<Guarded, unknown>>>

/** Resolvers that check before they read the field as graphql-js would. */
export function guardFields (rules: Record<string, Partial<Record<string, Permission>>> = { ...fieldRules }): Resolvers {
  return Object.fromEntries(Object.entries(rules).map(([type, fields]) => [
    type, Object.fromEntries(Object.entries(fields).map(([field, permission]) => [field, guard(permission as Permission)]))
  ]))
}

const guard = (permission: Permission): GraphQLFieldResolver<Guarded, unknown> => (parent, args, context, info) => {
  const caller = parent[callerKey] as Caller | undefined
  if (caller === undefined) throw new Error(`${info.parentType.name} was handed down without its caller`)
  assertPermitted(caller, permission)
  return defaultFieldResolver(parent, args, context, info)
}
