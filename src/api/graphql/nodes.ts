/**
 * What GraphQL resolvers hand down for products and variants: the stored records plus what the schema names differently.
 *
 * Mercurius keys its loaders by the JSON of the parent object. `toJSON` makes that key the id and revision: without it every variant
 * of a list would be serialised whole for each of its links.
 */
import type { IntegrationApiKey, UserApiKey } from '../../domain/access.js'
import type { Actor, AuditEvent } from '../../domain/audit.js'
import type { ImportJob } from '../../domain/import-job.js'
import type { SizeChartRecord, StoreLocationRecord } from '../../domain/links.js'
import type { Image, Product, Variant } from '../../domain/product.js'
import type { AuditActor, StoreLocation } from './schema-types.js'

export interface VariantNode extends Variant {
  vendorId: string
  /** The product's own, which fit the variant as well; together see loaders.ts. */
  productTargetIds: readonly string[]
  image: Image | null
  toJSON (): string
}

/** Its variants are made when they are selected, as a product may have thousands, and a list of products many such. */
export interface ProductNode extends Omit<Product, 'variants'> {
  id: string
  variants: () => VariantNode[]
  toJSON (): string
}

/** `totalCount` is counted only when it is selected: graphql-js calls a property that is a function. */
interface Connection<T> {
  nodes: T[]
  hasNextPage: boolean
  endCursor: string | null
  totalCount: () => Promise<number>
}
export type ImportJobConnection = Connection<ImportJob>
export type ProductNodeConnection = Connection<ProductNode>
export interface ActorNode { actor: AuditActor, userId: string | null, keyId: string | null }
export interface ImportStarterNode extends ActorNode { vendorId: string }

const actorNames = { user: 'USER', 'integration-key': 'INTEGRATION_KEY', operator: 'OPERATOR' } as const

export const toActorNode = (actor: Actor): ActorNode => ({
  actor: actorNames[actor.kind],
  userId: actor.kind === 'user' ? actor.userId : null,
  keyId: actor.kind === 'operator' ? null : actor.keyId
})

export type AuditPage = Connection<AuditEvent>
export type SizeChartNodeConnection = Connection<SizeChartRecord>

/** Once it is revoked, with the integration keys that its user has made: all, for the audit trail, and those that the user may see. */
export interface UserApiKeyNode extends UserApiKey {
  madeKeys?: IntegrationApiKey[]
  integrationApiKeys?: IntegrationApiKey[]
}

export function toProductNode (product: Product): ProductNode {
  return {
    ...product,
    id: product._id,
    variants: () => toVariantNodes(product),
    toJSON: () => `${product._id}:${product.revision}`
  }
}

function toVariantNodes ({ vendorId, revision, images, fitmentTargetIds, variants }: Product): VariantNode[] {
  const byId = new Map(images.map((image) => [image.externalId, image]))
  return variants.map((variant) => ({
    ...variant,
    vendorId,
    image: variant.imageExternalId === null ? null : byId.get(variant.imageExternalId) ?? null,
    productTargetIds: fitmentTargetIds,
    toJSON: () => `${variant.id}:${revision}`
  }))
}

export const toStoreLocation = ({ _id, ...rest }: StoreLocationRecord): StoreLocation => ({ id: _id, ...rest })
