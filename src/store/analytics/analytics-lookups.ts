/** Look-ups of what analytics records refer to, within one vendor, and of sessions with their orders. */
import { recordKey, type ExpertDocument, type KnowledgeDocumentDocument, type OrderDocument, type SessionDocument } from '../../domain/analytics/documents.js'
import type { Product } from '../../domain/product.js'
import type { Collections } from '../database/connection.js'
import { findByIds } from '../database/find-by-ids.js'

export type CatalogProduct = Pick<Product, '_id' | 'name' | 'brandName' | 'externalUrl'>

export interface AnalyticsLookups {
  /** By id; unknown ones are absent. */
  experts (vendorId: string, ids: string[]): Promise<Map<string, ExpertDocument>>
  knowledgeDocuments (vendorId: string, ids: string[]): Promise<Map<string, KnowledgeDocumentDocument>>
  /** What the catalog says of products now, by internal id. */
  catalogProducts (ids: string[]): Promise<Map<string, CatalogProduct>>
  /** The newest session of a lead. */
  sessionOfLead (vendorId: string, lead: string): Promise<SessionDocument | null>
  /** The newest `last`, oldest first, and whether there are more before them. */
  ordersOfSession (sessionKey: string, last: number): Promise<{ orders: OrderDocument[], hasEarlier: boolean }>
  countOrdersOfSession (sessionKey: string): Promise<number>
}

export function createAnalyticsLookups ({ experts, knowledgeDocuments, sessions, orders, products }: Collections): AnalyticsLookups {
  return {
    async experts (vendorId, ids) {
      const found = await findByIds(experts, [...new Set(ids)].map((id) => recordKey(vendorId, 'experts', id)))
      return new Map(found.map((expert) => [expert.id, expert]))
    },
    async knowledgeDocuments (vendorId, ids) {
      const found = await findByIds(knowledgeDocuments, [...new Set(ids)].map((id) => recordKey(vendorId, 'knowledge-documents', id)))
      return new Map(found.map((document) => [document.id, document]))
    },
    async catalogProducts (ids) {
      const found = await findByIds(products, [...new Set(ids)], { name: 1, brandName: 1, externalUrl: 1 })
      return new Map(found.map((product) => [product._id, product]))
    },
    async sessionOfLead (vendorId, lead) {
      const [newest] = await sessions.find({ vendorId, lead }).sort({ created: -1, _id: -1 }).limit(1).toArray()
      return newest ?? null
    },
    async ordersOfSession (sessionKey, last) {
      const found = await orders.find({ sessionKey }).sort({ created: -1, _id: -1 }).limit(last + 1).toArray()
      return { orders: found.slice(0, last).reverse(), hasEarlier: found.length > last }
    },
    countOrdersOfSession: async (sessionKey) => await orders.countDocuments({ sessionKey })
  }
}
