/**
 * What each root field of the schema needs (decisions.md, Access). The types make the table complete for the schema that
 * the resolver types were generated from; `assertRulesCover` refuses to start with any other.
 */
import type { GraphQLSchema } from 'graphql'
import type { Permission } from '../../domain/access.js'
import type { Mutation, Query, Subscription } from '../graphql/generated.js'

/**
 * - a permission at the vendor that the operation works on
 * - ANY_CREDENTIAL of that vendor
 * - SIGNED_IN: whoever it is, about itself; no vendor is involved
 * - ADMIN: a user who is owner or admin of that vendor; no integration key
 * - USER: a user, about itself; no vendor is involved
 * - OPERATOR: whoever runs an embedded set-up, from the machine itself (auth/operator.ts); no vendor is involved
 * - …_IN_PERSON: by an access token. What gives access to anybody takes one: a stolen key that made or widened keys would
 *   outlive its own revoke
 */
export type Rule = Permission | 'ANY_CREDENTIAL' | 'SIGNED_IN' | 'OPERATOR' | 'ADMIN' | 'ADMIN_IN_PERSON' | UserRule
type UserRule = 'USER' | 'USER_IN_PERSON'

/** About the user itself, without a vendor. */
export const isUserRule = (rule: Rule): rule is UserRule => rule === 'USER' || rule === 'USER_IN_PERSON'
/** About the service or the credential: without a vendor, whoever's it is. */
export const isPrincipalRule = (rule: Rule): rule is 'SIGNED_IN' | 'OPERATOR' => rule === 'SIGNED_IN' || rule === 'OPERATOR'
export const isAdminRule = (rule: Rule): rule is 'ADMIN' | 'ADMIN_IN_PERSON' => rule === 'ADMIN' || rule === 'ADMIN_IN_PERSON'
export const isInPerson = (rule: Rule): rule is 'ADMIN_IN_PERSON' | 'USER_IN_PERSON' => rule === 'ADMIN_IN_PERSON' || rule === 'USER_IN_PERSON'

type RulesFor<T> = Record<Exclude<keyof T, '__typename'>, Rule>

export const rules: { Query: RulesFor<Query>, Mutation: RulesFor<Mutation>, Subscription: RulesFor<Subscription> } = {
  Query: {
    viewer: 'SIGNED_IN',
    sftpAddress: 'SIGNED_IN',
    productImportJob: 'PRODUCT_MANAGE',
    productImportJobs: 'PRODUCT_MANAGE',
    product: 'PRODUCT_MANAGE',
    products: 'PRODUCT_MANAGE',
    integrationApiKeys: 'ADMIN',
    userApiKeys: 'USER',
    auditEvents: 'ADMIN',
    sftpKeys: 'ADMIN',
    vendorUsers: 'ADMIN',
    service: 'OPERATOR',
    vendorById: 'ANY_CREDENTIAL',
    smartTagCounts: 'VIEW_CONVERSATIONS',
    vendorSmartTags: 'VIEW_CONVERSATIONS',
    conversations: 'VIEW_CONVERSATIONS',
    conversation: 'VIEW_CONVERSATIONS',
    customerEvent: 'VIEW_CONVERSATIONS',
    sessionByVendorId: 'VIEW_CONVERSIONS',
    sizeCharts: 'SIZE_CHART_MANAGE',
    sizeChart: 'SIZE_CHART_MANAGE',
    sizeChartAnswer: 'ANY_CREDENTIAL',
    storeLocations: 'STORE_LOCATION_MANAGE',
    storeLocation: 'STORE_LOCATION_MANAGE',
    fitmentFacets: 'FITMENT_MANAGE',
    fitmentTargets: 'FITMENT_MANAGE',
    searchProducts: 'ANY_CREDENTIAL'
  },
  Mutation: {
    upsertProducts: 'PRODUCT_MANAGE',
    processProductImport: 'PRODUCT_MANAGE',
    cancelProductImport: 'PRODUCT_MANAGE',
    createIntegrationApiKey: 'ADMIN_IN_PERSON',
    updateIntegrationApiKey: 'ADMIN_IN_PERSON',
    revokeIntegrationApiKey: 'ADMIN',
    addSftpKey: 'ADMIN_IN_PERSON',
    revokeSftpKey: 'ADMIN',
    addVendorUser: 'ADMIN_IN_PERSON',
    updateVendorUser: 'ADMIN_IN_PERSON',
    removeVendorUser: 'ADMIN_IN_PERSON',
    createUserApiKey: 'USER_IN_PERSON',
    revokeUserApiKey: 'USER',
    createSmartTag: 'EDIT_ANALYTICS',
    updateSmartTag: 'EDIT_ANALYTICS',
    deleteSmartTag: 'EDIT_ANALYTICS',
    createSizeChart: 'SIZE_CHART_MANAGE',
    updateSizeChart: 'SIZE_CHART_MANAGE',
    deleteSizeChart: 'SIZE_CHART_MANAGE',
    bulkUpsertSizeCharts: 'SIZE_CHART_MANAGE',
    bulkDeleteSizeCharts: 'SIZE_CHART_MANAGE',
    uploadSizeChartPdf: 'SIZE_CHART_MANAGE',
    createStoreLocation: 'STORE_LOCATION_MANAGE',
    updateStoreLocation: 'STORE_LOCATION_MANAGE',
    deleteStoreLocation: 'STORE_LOCATION_MANAGE',
    createFitmentFacet: 'FITMENT_MANAGE',
    updateFitmentFacet: 'FITMENT_MANAGE',
    deleteFitmentFacet: 'FITMENT_MANAGE',
    createFitmentTarget: 'FITMENT_MANAGE',
    bulkUpsertFitmentTargets: 'FITMENT_MANAGE',
    updateFitmentTarget: 'FITMENT_MANAGE',
    deleteFitmentTarget: 'FITMENT_MANAGE',
    resolveFitment: 'ANY_CREDENTIAL'
  },
  Subscription: {
    productImportJobProgress: 'PRODUCT_MANAGE',
    productImportJobChanges: 'PRODUCT_MANAGE'
  }
}

/**
 * Mutations that leave no event in the audit trail: data that flows all day and has marks of its own. Every other one does, also
 * one that is added tomorrow.
 */
export const unauditedMutations: ReadonlySet<string> = new Set(['upsertProducts', 'resolveFitment'])

/** GRAPHQL: its root fields have rules of their own. */
export type RouteRule = Permission | 'PUBLIC' | 'GRAPHQL'

/** What each route needs, by its path; start-up refuses one that is not here (auth/route-guard.ts). */
export const routeRules: Record<string, RouteRule> = {
  '/graphql': 'GRAPHQL',
  '/api/v1/files': 'PRODUCT_MANAGE',
  '/api/v1/files/:id': 'PRODUCT_MANAGE',
  '/api/v1/products/import': 'PRODUCT_MANAGE',
  '/api/v1/products/import/:jobId': 'PRODUCT_MANAGE',
  '/api/v1/products/import/:jobId/errors': 'PRODUCT_MANAGE',
  // For customers, who have no credential: the id cannot be guessed (decisions.md, "Size charts").
  '/api/v1/size-charts/:id/pdf': 'PUBLIC',
  // Static pages, and what they sign in with: a code of 192 random bits, good once.
  '/console': 'PUBLIC',
  '/console/*': 'PUBLIC',
  '/console/sign-in': 'PUBLIC',
  '/healthz': 'PUBLIC',
  '/readyz': 'PUBLIC',
  '/metrics': 'PUBLIC',
  // Static pages, and only when GRAPHIQL is set.
  '/graphiql': 'PUBLIC',
  '/graphiql/main.js': 'PUBLIC',
  '/graphiql/sw.js': 'PUBLIC',
  '/graphiql/config.js': 'PUBLIC'
}

export type RuleTable = Record<'Query' | 'Mutation' | 'Subscription', Record<string, Rule>>

/** Throws when a root field has no rule, or a rule no field. */
export function assertRulesCover (schema: GraphQLSchema, table: RuleTable = rules): void {
  const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
    .flatMap((type) => Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name ?? ''}.${field}`))
  const ruled = Object.entries(table).flatMap(([type, rules]) => Object.keys(rules).map((field) => `${type}.${field}`))
  const unruled = fields.filter((field) => !ruled.includes(field))
  if (unruled.length > 0) throw new Error(`Root fields without an access rule: ${unruled.join(', ')}`)
  const idle = ruled.filter((field) => !fields.includes(field))
  if (idle.length > 0) throw new Error(`Access rules without a root field: ${idle.join(', ')}`)
}
