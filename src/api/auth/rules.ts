/**
 * What each root field of the schema needs (decisions.md, Access). The types make the table complete for the schema that
 * the resolver types were generated from; `assertRulesCover` refuses to start with any other.
 */
import type { GraphQLSchema } from 'graphql'
import type { Permission } from '../../domain/access.js'
import type { Mutation, Query, Subscription } from '../graphql/generated.js'

/** A permission, or any credential of the vendor that the operation works on. */
export type Rule = Permission | 'ANY_CREDENTIAL'

type RulesFor<T> = Record<Exclude<keyof T, '__typename'>, Rule>

export const rules: { Query: RulesFor<Query>, Mutation: RulesFor<Mutation>, Subscription: RulesFor<Subscription> } = {
  Query: {
    productImportJob: 'PRODUCT_MANAGE',
    productImportJobs: 'PRODUCT_MANAGE',
    product: 'PRODUCT_MANAGE',
    products: 'PRODUCT_MANAGE',
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
    productImportJobProgress: 'PRODUCT_MANAGE'
  }
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
